"""A unit as its file and its drop-ins make it."""

import msgspec

from podwire.documents.ini import Assignment
from podwire.model.evidence import Document, Place

# Lists of other units: an empty value takes nothing back (systemd.unit(5)).
DEPENDENCIES = frozenset(
    {"After", "Before", "Wants", "Requires", "Requisite", "BindsTo", "Upholds"}
)
INSTALLS = frozenset({"WantedBy", "RequiredBy", "UpheldBy"})
_YES = frozenset({"yes", "true", "on", "1", "y", "t"})
_NO = frozenset({"no", "false", "off", "0", "n", "f"})


class Line(msgspec.Struct, frozen=True, gc=False):
    """One assignment, and the document it stands in."""

    document: Document
    found: Assignment

    @property
    def value(self) -> str:
        """What stands behind `=`."""
        return self.found.value

    @property
    def place(self) -> Place:
        """Where the value begins."""
        return Place(document=self.document, path=self.found.path)

    def place_at(self, offset: int) -> Place:
        """Where a character of the value stands."""
        return Place(document=self.document, path=self.found.path_at(offset))


class Unit(msgspec.Struct, frozen=True, gc=False):
    """A unit file with its drop-ins, all assignments in the order in which they count."""

    name: str
    lines: tuple[Line, ...]
    document: Document

    def listed(self, section: str, key: str) -> tuple[Line, ...]:
        """Give what a list holds: an empty value took back what was before it."""
        kept: list[Line] = []
        for line in self.lines:
            if (line.found.section, line.found.key) == (section, key):
                if line.value:
                    kept.append(line)
                elif key not in DEPENDENCIES:
                    kept.clear()
        return tuple(kept)

    def single(self, section: str, *keys: str) -> Line | None:
        """Give the assignment that counts: the last one, of several names for one thing."""
        found = None
        for line in self.lines:
            if line.found.section == section and line.found.key in keys:
                found = line if line.value else None
        return found

    def names(self, section: str, key: str) -> tuple[str, ...]:
        """Give the units that a list names."""
        return tuple(name for line in self.listed(section, key) for name in line.value.split())

    def naming(self, section: str, key: str, name: str) -> Line | None:
        """Give the line that names a unit."""
        return next((x for x in self.listed(section, key) if name in x.value.split()), None)

    def is_on(self, section: str, key: str, *, default: bool) -> bool:
        """Read a switch; what is neither yes nor no leaves the default."""
        line = self.single(section, key)
        value = "" if line is None else line.value.lower()
        return default if value not in _YES | _NO else value in _YES

    @property
    def kind(self) -> str:
        """`Type=` of a service: `simple` where nothing is said."""
        line = self.single("Service", "Type")
        return "simple" if line is None else line.value
