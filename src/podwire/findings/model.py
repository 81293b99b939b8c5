"""What a rule says, and what a rule is. The engine adds who said it and about what."""

import enum
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Protocol

import msgspec

from podwire.model.evidence import Place, Unknown
from podwire.model.names import Ref
from podwire.peers.event_texts import Situation
from podwire.wire.picture import Picture


class Severity(enum.Enum):
    """What happens, worst first. It belongs to a finding, never to a rule."""

    ERROR = "error"  # what was asked for does not happen, or something is open to misuse
    WARNING = "warning"  # works worse, or not for long
    NOTE = "note"  # worth knowing

    @property
    def rank(self) -> int:
        """0 is worst."""
        return list(Severity).index(self)


class Joint(enum.Enum):
    """Where two pieces have to agree; members stand in the order of the wire, from the pod."""

    INPUT = "input"
    ANNOTATION = "pod - network"
    NAME = "network - resource"
    COUNT = "network - request"
    OFFER = "resource - node"
    PLACEMENT = "pod - node"
    SETUP = "node set-up - VF"
    POOL = "pool - VF"
    LINK = "VF - fabric"
    CNI = "network - CNI"
    RDMA = "container - RDMA device"
    MEMORY = "container - memory"
    SCHEDULER = "pod - scheduler"
    SERVER = "request - plugin"
    SEEN = "plugin - GPU"
    RUNTIME = "pod - runtime"
    HANDOVER = "plugin - runtime"
    SPEC = "name - spec"


class Evidence(msgspec.Struct, frozen=True, gc=False):
    """Something that was read, and where. `saw` is short: a value, not a file.

    `role` says in a word what a place that merely supports has to do with it ("advertised").
    """

    at: Place
    saw: str
    role: str = ""


class Patch(msgspec.Struct, frozen=True, gc=False):
    """A change to one API object that does what the fix says (JSON patch operations)."""

    of: Ref
    operations: tuple[dict[str, Any], ...]


class Fix(msgspec.Struct, frozen=True, gc=False):
    """One way to mend the joint; `breaks` says what else that would change for somebody."""

    text: str
    breaks: str = ""
    patch: Patch | None = None


class Cause(msgspec.Struct, frozen=True, gc=False):
    """What broke the joint; unless `proven`, what probably did."""

    text: str
    proven: bool


class Symptom(msgspec.Struct, frozen=True, gc=False):
    """A finding of another rule that this one accounts for."""

    slug: str
    of: Ref


class Finding(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """A broken joint.

    `message` is certain, given `assumes`. `evidence` stands in the order of the wire.
    `also` is everything else involved. Findings of a rule with one severity and the same
    `group` become one.
    """

    severity: Severity
    message: str
    evidence: tuple[Evidence, ...]
    sees: str
    fix: tuple[Fix, ...] = ()
    cause: Cause | None = None
    assumes: tuple[str, ...] = ()
    also: tuple[Ref, ...] = ()
    group: str = ""
    explains: tuple[Symptom, ...] = ()


class Subject(Protocol):
    """Anything a rule can be asked about."""

    @property
    def ref(self) -> Ref:
        """What findings call it."""


class Rule(msgspec.Struct, frozen=True, kw_only=True):
    """A card: what identifies a rule, what it is asked about, and how it decides.

    `over` gives the subjects, or Unknown: then the rule is undecided once. `is_symptom`
    allows findings of other rules to account for this rule's. `shows_as` are the situations
    of events (`peers.event_texts`) that show the fault happening: such an event of a subject
    becomes evidence. The prose is the docstring of the module that holds `check`.
    """

    id: str
    slug: str
    title: str
    since: str
    joint: Joint
    refs: tuple[str, ...]
    over: Callable[[Picture], Iterable[Subject] | Unknown]
    check: Callable[[Any, Picture], Iterator[Finding]]  # of what `over` gives, whatever it is
    is_symptom: bool = False
    shows_as: tuple[Situation, ...] = ()
