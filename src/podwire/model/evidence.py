"""Known, Unknown, absent: what podwire may say about anything it did or did not read.

A source (the objects of a kind in a namespace, a sysfs attribute, a component's version)
and whatever is derived from one is `Known` or `Unknown`. Absence is an answer that somebody
looked up: `Known` with the value `None`, whose places say where, and whose `assumes` say
what would have to be true where podwire could not look. docs/design/0001 has the reasons.
"""

import enum
from collections.abc import Callable, Iterable
from typing import Generic, NoReturn, TypeAlias, TypeVar

import msgspec

T = TypeVar("T")
U = TypeVar("U")

_FEW = 3  # reasons and places that a joined answer repeats

Step: TypeAlias = str | int
Path: TypeAlias = tuple[Step, ...]


class Origin(enum.Enum):
    """What kind of input a document came from; it decides how its places are written."""

    MANIFEST = "manifest"
    CLUSTER = "cluster"
    NODE = "node"
    POD = "pod"
    SPEC = "spec"
    LOG = "log"

    @property
    def is_observed(self) -> bool:
        """It was read from something that runs; a manifest or a spec is a wish."""
        return self not in {Origin.MANIFEST, Origin.SPEC}


class Document(msgspec.Struct, frozen=True, gc=False):
    """One document of one input: a file, or the n-th `---` part of a file.

    `name` is what the user would type or find in the bundle, with forward slashes.
    `owner` is the node's name, or `namespace/pod`, where the file belongs to one.
    `time` is when the content was read, RFC 3339, where that is written anywhere.
    """

    name: str
    part: int = 0
    origin: Origin = Origin.MANIFEST
    owner: str = ""
    time: str | None = None


NOWHERE = Document(name="")


class Place(msgspec.Struct, frozen=True, gc=False):
    """Where something was read: a path in a document, and a path in the text found there.

    `object` names the API object, as in `Pod train/worker-0`; `base` leads to that object
    and `path` from there to the value. When the value is itself JSON, `inner` goes on in it.
    In files that are no tree (sysfs, logs) `path` is one step: the attribute, or the line.
    `line` and `column` are there only where reading stopped and no path leads to it.
    """

    document: Document
    object: str = ""
    base: Path = ()
    path: Path = ()
    inner: Path | None = None
    line: int = 0
    column: int = 0

    @property
    def steps(self) -> Path:
        """The path from the document's root."""
        return (*self.base, *self.path)

    def __str__(self) -> str:
        """Write the place without line and column: those need the text (`present`)."""
        if self.line:
            return f"{self.document.name}:{self.line}:{self.column}"
        inner = "" if self.inner is None else " " + dotted(self.inner)
        if self.document.origin is Origin.NODE:
            return f"Node {self.document.owner} {self._on_node()}{inner}"
        if self.object:
            return f"{self.object} {dotted(self.path)}{inner}".rstrip()
        return f"{self.document.name} {dotted(self.steps)}{inner}".rstrip()

    def _on_node(self) -> str:
        """Write the path on the machine, or the file that a command's output is in."""
        first = str(self.path[0]) if self.path else ""
        if first.startswith("sys/"):
            return f"/{first}"
        file = self.document.name.rpartition(f"nodes/{self.document.owner}/")[2]
        return f"{file} {dotted(self.steps)}".rstrip()


def dotted(path: Path) -> str:
    """Write a path as kubectl's JSONPath does: `.spec.containers[0].resources["a/b"]`."""
    written = "".join(_step(step) for step in path)
    return written[1:] if written.startswith(".[") else written


def _step(step: Step) -> str:
    if isinstance(step, int):
        return f"[{step}]"
    plain = step.replace("-", "a").replace("_", "a")
    return f".{step}" if plain.isalnum() and plain.isascii() else f'["{step}"]'


class Known(msgspec.Struct, Generic[T], frozen=True, gc=False):
    """An answer that somebody read, or that follows from what was read.

    `assumes` holds sentences that have to be true for it; a finding that rests on the
    answer repeats them.
    """

    value: T
    places: tuple[Place, ...] = ()
    assumes: tuple[str, ...] = ()

    def need(self) -> "Known[T]":
        """Return itself: it is known."""
        return self


class Unknown(msgspec.Struct, frozen=True, gc=False):
    """Nobody could look: why, and what would give the answer (a command, a file or a flag).

    `fact` is what all such gaps have in common (`numa_node of a function`): verdicts that
    lack it are counted together. Empty: the reason itself.
    """

    reason: str
    give: str = ""
    fact: str = ""

    def need(self) -> NoReturn:
        """Raise `Missing`; the engine turns it into an undecided verdict."""
        raise Missing(self)


class Missing(Exception):  # noqa: N818 - no error: a verdict that lacks a fact
    """A verdict needs a fact that nobody read."""

    def __init__(self, unknown: Unknown) -> None:
        super().__init__(unknown.reason)
        self.unknown = unknown


Answer: TypeAlias = Known[T] | Unknown


def derived(answer: Answer[T], change: Callable[[T], U]) -> Answer[U]:
    """Say what follows from an answer: it rests on the same places and assumptions."""
    if isinstance(answer, Unknown):
        return answer
    return Known(value=change(answer.value), places=answer.places, assumes=answer.assumes)


def any_of(answers: Iterable[Answer[bool]]) -> Answer[bool]:
    """Decide "some": one known true decides; else anything unknown makes it unknown."""
    return _decide(answers, deciding=True)


def all_of(answers: Iterable[Answer[bool]]) -> Answer[bool]:
    """Decide "each": one known false decides; else anything unknown makes it unknown."""
    return _decide(answers, deciding=False)


def _decide(answers: Iterable[Answer[bool]], *, deciding: bool) -> Answer[bool]:
    unknown: list[Unknown] = []
    known: list[Known[bool]] = []
    for answer in answers:
        if isinstance(answer, Unknown):
            unknown.append(answer)
        elif answer.value is deciding and not answer.assumes:
            return answer
        else:
            known.append(answer)
    deciders = [k for k in known if k.value is deciding]
    if deciders:
        return min(deciders, key=lambda k: len(k.assumes))
    if unknown:
        return joined(unknown)
    return Known(
        value=not deciding,
        places=tuple(p for k in known[:_FEW] for p in k.places[:_FEW])[:_FEW],
        assumes=tuple(dict.fromkeys(a for k in known for a in k.assumes)),
    )


def joined(unknown: Iterable[Unknown]) -> Unknown:
    """Put reasons into one, each once, in the order they came: three, and how many more."""
    every = tuple(unknown)
    return Unknown(
        reason=_listed(u.reason for u in every),
        give=_listed(u.give for u in every if u.give),
        fact=_listed(u.fact or u.reason for u in every),
    )


def _listed(texts: Iterable[str]) -> str:
    each = tuple(dict.fromkeys(texts))
    more = f"; and {len(each) - _FEW} more" if len(each) > _FEW else ""
    return "; ".join(each[:_FEW]) + more


def first_known(*answers: Answer[T]) -> Answer[T]:
    """Take the most direct evidence that is known; it never judges between two that are."""
    for answer in answers:
        if isinstance(answer, Known):
            return answer
    return joined(a for a in answers if isinstance(a, Unknown))
