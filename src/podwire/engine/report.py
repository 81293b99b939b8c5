"""What a whole check says: findings, what stayed undecided, what was silenced."""

import msgspec

from podwire.facts.inventory import LookedAt
from podwire.findings.model import Finding, Rule, Severity
from podwire.model.evidence import Document
from podwire.model.names import Ref


class Judged(msgspec.Struct, frozen=True, gc=False):
    """A finding with the rule that made it.

    `subjects` begins with `subject` and holds all members of the group and all involved;
    `explains` holds the subjects whose symptoms it accounts for, `folded` their findings.
    """

    rule: Rule
    finding: Finding
    subject: Ref
    subjects: tuple[Ref, ...]
    explains: tuple[Ref, ...] = ()
    folded: tuple["Judged", ...] = ()

    @property
    def order(self) -> tuple[int, str, Ref]:
        """Worst first, then by rule, then by subject."""
        return (self.finding.severity.rank, self.rule.id, self.subject)


class Undecided(msgspec.Struct, frozen=True, gc=False):
    """A fact that a rule lacked: how often, for whom (three of them), what would give it."""

    rule: Rule
    reason: str
    give: str
    count: int
    samples: tuple[Ref, ...]


class Failed(msgspec.Struct, frozen=True):
    """A verdict that podwire owes because of a fault of its own; `subject` None: of all."""

    rule: Rule
    subject: Ref | None
    error: Exception

    @property
    def words(self) -> str:
        """Say what happened, in one line."""
        return f"{type(self.error).__name__}: {self.error}"


class Silenced(msgspec.Struct, frozen=True, gc=False):
    """A finding that somebody chose not to hear about, and where they said so.

    `is_known`: nobody silenced it, an earlier report (`--baseline`) has it.
    """

    judged: Judged
    reason: str
    by: str
    is_known: bool = False


class Report(msgspec.Struct, frozen=True):
    """The result of one check."""

    findings: tuple[Judged, ...] = ()
    undecided: tuple[Undecided, ...] = ()
    silenced: tuple[Silenced, ...] = ()
    failed: tuple[Failed, ...] = ()
    unread: tuple[Document, ...] = ()
    looked_at: LookedAt = LookedAt()

    def count(self, severity: Severity) -> int:
        """How many findings are of this severity."""
        return sum(1 for judged in self.findings if judged.finding.severity is severity)

    @property
    def known(self) -> int:
        """How many findings a baseline has."""
        return sum(entry.is_known for entry in self.silenced)
