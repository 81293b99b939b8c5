"""The JSON report, key by key; `report_schema` publishes exactly these records.

A key that is added keeps the version; one that is renamed, removed or means something else
raises it.
"""

from typing import Any, Literal

import msgspec

SCHEMA_VERSION: Literal[1] = 1


class At(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A place in parts; line and column count from 1 and are null where no text has them."""

    file: str
    line: int | None
    column: int | None
    object: str
    path: str


class EvidenceEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Something that was read. `place` is `file:line:column`, or the object and its path.

    `role` says in a word what a place that merely supports has to do with the joint; or "".
    """

    place: str
    saw: str
    role: str
    at: At


class CauseEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What broke the joint; probably, unless proven."""

    text: str
    proven: bool


class PatchEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A change to one object: JSON patch operations (RFC 6902)."""

    of: str
    operations: list[dict[str, Any]]


class FixEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One way to mend it, and what else that would change for somebody."""

    text: str
    breaks: str
    patch: PatchEntry | None


class FindingEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A broken joint.

    `subjects` are all members of the group and everything involved or explained, `subject`
    first. `fingerprint` stays the same while the joint stays broken, whatever the words.
    """

    rule: str
    slug: str
    severity: Literal["error", "warning", "note"]
    message: str
    subject: str
    subjects: list[str]
    evidence: list[EvidenceEntry]
    cause: CauseEntry | None
    sees: str
    fix: list[FixEntry]
    assumes: list[str]
    explains: list[str]
    fingerprint: str


class UndecidedEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A fact that a rule lacked, for how many subjects, up to three of them, what gives it."""

    rule: str
    slug: str
    fact: str
    give: str
    count: int
    subjects: list[str]


class FailedEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A verdict that podwire owes because of a fault of its own; `subject` null: of all."""

    rule: str
    slug: str
    subject: str | None
    error: str


class SilencedEntry(FindingEntry, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A finding that somebody chose not to hear about: why, and where they said so."""

    reason: str
    by: str


class ForeignEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Objects that make pods, of a kind that podwire does not read (`RayJob.ray.io`)."""

    kind: str
    count: int


class LookedAtEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What was read; the times are RFC 3339, null where none is written."""

    documents: int
    objects: int
    nodes: int
    oldest: str | None
    newest: str | None
    foreign: list[ForeignEntry]


class Counts(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Findings by severity; verdicts that lacked a fact; findings that are not reported.

    `silenced` are those that somebody silenced, `known` those that a baseline has: entries
    of both are in the report's `silenced`.
    """

    error: int
    warning: int
    note: int
    undecided: int
    silenced: int
    known: int
    failed: int


class ReportDocument(
    msgspec.Struct,
    frozen=True,
    forbid_unknown_fields=True,
    kw_only=True,
    rename={"schema_version": "schemaVersion"},
):
    """What `podwire check --format json` prints."""

    schema_version: Literal[1] = SCHEMA_VERSION
    findings: list[FindingEntry]
    undecided: list[UndecidedEntry]
    silenced: list[SilencedEntry]
    failed: list[FailedEntry]
    unread: list[str]
    looked_at: LookedAtEntry
    counts: Counts
