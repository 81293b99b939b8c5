"""Versions of software, and tables of what changed with which one.

A table has an upper end: nobody read what comes after it. docs/design/0002 has the reasons.
"""

import re
from typing import Generic, TypeVar

import msgspec

from podwire.model.evidence import Answer, Known, Unknown

T = TypeVar("T")

_VERSION = re.compile(r"v?(\d+)\.(\d+)(?:\.(\d+))?(?:[-+.]?(.*))?")


class Version(msgspec.Struct, frozen=True, gc=False):
    """Major, minor, patch, and `settled`: a pre-release comes before its release.

    What follows (`-rc.1`, `+28`, `-eksbuild.3`) is kept in `text` only.
    """

    major: int
    minor: int
    patch: int = 0
    settled: bool = True
    text: str = ""

    @classmethod
    def parse(cls, text: str) -> "Version":
        """Read `v3.6.0`, `3.6`, `1.32.4-eks-1`, `v26.7.0-rc.1`.

        Raises:
            ValueError: no major.minor at the start (`latest`, a digest).
        """
        match = _VERSION.fullmatch(text.strip())
        if match is None:
            raise ValueError(f"{text!r} is no version like v3.6.0")
        major, minor, patch, rest = match.groups()
        early = re.match(r"(alpha|beta|rc|pre|dev)", rest or "") is not None
        return cls(
            major=int(major), minor=int(minor), patch=int(patch or 0), settled=not early, text=text
        )

    @property
    def numbers(self) -> tuple[int, int, int]:
        """Major, minor, patch."""
        return (self.major, self.minor, self.patch)

    def is_at_least(self, since: str) -> bool:
        """Compare with a released version: its own pre-releases come before it."""
        return (*self.numbers, self.settled) >= (*Version.parse(since).numbers, True)

    def __str__(self) -> str:
        return self.text or f"v{self.major}.{self.minor}.{self.patch}"


class Table(msgspec.Struct, Generic[T], frozen=True):
    """What a component does, by version: each row holds from its version on.

    `newest` is the last version whose source was read. Rows ascend; before the first row
    nothing is known.
    """

    component: str
    newest: str
    rows: tuple[tuple[str, T], ...]


def by_version(version: Answer[Version], table: Table[T]) -> Answer[T]:
    """Look a behaviour up; no version is asked for where all known ones agree."""
    values = {repr(value) for _, value in table.rows}
    if len(values) == 1:
        return Known(value=table.rows[0][1])
    if isinstance(version, Unknown):
        return version
    have = version.value
    if have.numbers > Version.parse(table.newest).numbers:
        return Unknown(
            reason=f"{table.component} {have} is newer than {table.newest}, "
            "the newest podwire knows",
            give="a newer podwire",
        )
    found = [value for since, value in table.rows if have.is_at_least(since)]
    if not found:
        return Unknown(
            reason=f"{table.component} {have} is older than {table.rows[0][0]}, "
            "the oldest podwire knows",
        )
    return Known(value=found[-1], places=version.places, assumes=version.assumes)
