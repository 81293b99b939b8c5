"""Names that have to agree: resources, networks, objects. Parsed at the edge, once."""

import functools
import re

import msgspec

_LABEL = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_SUBDOMAIN = re.compile(rf"{_LABEL}(\.{_LABEL})*")
_QUALIFIED = re.compile(r"[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?")


class ResourceName(msgspec.Struct, frozen=True, gc=False, order=True):
    """An extended resource, `example.com/ib_vf`: a domain and a name, compared as a whole."""

    prefix: str
    name: str

    @classmethod
    def parse(cls, text: str) -> "ResourceName":
        """Split at the first slash.

        Raises:
            ValueError: there is no slash, or nothing on one side of it.
        """
        prefix, slash, name = text.partition("/")
        if not (slash and prefix and name):
            raise ValueError(f"{text!r} is no extended resource: it has to be domain/name")
        return cls(prefix=prefix, name=name)

    @classmethod
    @functools.lru_cache(maxsize=4096)  # A cluster has few, and thousands of pods name them.
    def maybe(cls, text: str) -> "ResourceName | None":
        """Split where it can be split."""
        try:
            return cls.parse(text)
        except ValueError:
            return None

    def refusal(self) -> str | None:
        """Say why kubelet refuses to register this name, or None.

        Source: kubernetes pkg/apis/core/v1/helper/helpers.go IsExtendedResourceName (v1.36.2).
        """
        if self.prefix == "kubernetes.io" or self.prefix.endswith(".kubernetes.io"):
            return f"the domain {self.prefix} is Kubernetes' own"
        if self.prefix.startswith("requests."):
            return "an extended resource must not start with requests."
        if len(self.prefix) > 253 - len("requests.") or not _SUBDOMAIN.fullmatch(self.prefix):
            return f"{self.prefix!r} is no lower-case DNS name"
        if len(self.name) > 63 or not _QUALIFIED.fullmatch(self.name):
            return (
                f"{self.name!r} is no qualified name: 1 to 63 letters, digits, '-', '_' or '.', "
                "a letter or digit at both ends"
            )
        return None

    def __str__(self) -> str:
        return f"{self.prefix}/{self.name}" if self.prefix else self.name  # `cpu` has no domain


class Ref(msgspec.Struct, frozen=True, gc=False, order=True):
    """An API object, or another thing of a node: what a finding is about.

    `name` is whole: a VF's is `node/0000:18:00.2`, with `namespace` empty. `part` tells
    apart what verdicts are about within one thing (an interface of a pod, a pool on a
    node); it is not written.
    """

    kind: str
    name: str
    namespace: str = ""
    part: str = ""

    @property
    def whole(self) -> "Ref":
        """The thing itself."""
        return Ref(kind=self.kind, name=self.name, namespace=self.namespace)

    def at(self, part: str) -> "Ref":
        """A part of the thing, or of this part."""
        inner = f"{self.part} {part}".strip()
        return Ref(kind=self.kind, name=self.name, namespace=self.namespace, part=inner)

    def covers(self, other: "Ref") -> bool:
        """Whether the other is this thing, this very part of it, or a part of that."""
        is_inner = not self.part or other.part.startswith(f"{self.part} ")
        return self == other or (is_inner and self.whole == other.whole)

    @property
    def full_name(self) -> str:
        """`namespace/name`, or the name where nothing has a namespace."""
        return f"{self.namespace}/{self.name}" if self.namespace else self.name

    def __str__(self) -> str:
        return f"{self.kind} {self.full_name}"
