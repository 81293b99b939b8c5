"""What an annotation selects: the networks of a pod in their order, or why nobody can read it."""

from typing import Literal, TypeAlias

import msgspec

from podwire.model.evidence import Path
from podwire.model.names import Ref

Form: TypeAlias = Literal["none", "comma", "json"]


class Selection(msgspec.Struct, frozen=True, gc=False):
    """One attachment: a network, and what is asked of it.

    `namespace` is filled in with the pod's where none was written. `interface` is what was
    asked for. `path` leads to the element where the annotation is JSON (an inner path);
    `text` is the element on one line.
    """

    index: int
    name: str
    namespace: str
    interface: str = ""
    device_id: str = ""
    guid: str = ""
    mac: str = ""
    ips: tuple[str, ...] = ()
    gateways: tuple[str, ...] = ()
    path: Path | None = None
    text: str = ""

    @property
    def ref(self) -> Ref:
        """The network that it names."""
        return Ref(kind="NetworkAttachmentDefinition", namespace=self.namespace, name=self.name)

    def interface_name(self) -> str:
        """Name the interface in the pod.

        Multus counts all delegates and eth0's is number 0, so a cluster whose configuration
        has `defaultNetworks` counts on from there (multus-cni v4.3.0 pkg/multus getIfname).
        """
        return self.interface or f"net{self.index + 1}"


class Selections(msgspec.Struct, frozen=True, gc=False):
    """All attachments of a pod; `form` is how they were written."""

    items: tuple[Selection, ...] = ()
    form: Form = "none"


class Unreadable(msgspec.Struct, frozen=True, gc=False):
    """Multus refuses the text, and with it the pod's sandbox.

    `message` is what Multus says, `reason` the part of it that says why. `at` counts characters
    from the start of the text, `path` leads into it where it is JSON; either may be missing.
    `hint` is what to write instead.
    """

    message: str
    reason: str
    at: int | None = None
    path: Path | None = None
    hint: str = ""
