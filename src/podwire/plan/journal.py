"""What a run writes down before it touches a PF: only what nobody can see afterwards."""

import msgspec

VERSION = 1
FOLDER = "var/lib/podwire/journal"


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One PF's journal. `boot` is the boot ID: what the kernel held is gone with the boot."""

    version: int = VERSION
    boot: str = ""
    pf: str
    autoprobe: str | None = None
    count: int = 0
    doing: str = ""
    number: int = 0

    @property
    def path(self) -> str:
        """Where it lies, below the root."""
        return f"{FOLDER}/{self.pf}.json"


class JournalError(ValueError):
    """A journal that cannot be used; the text says why."""


def parse(data: bytes, *, name: str) -> Entry:
    """Read an entry.

    Raises:
        JournalError: a newer podwire wrote it, or it is none.
    """
    try:
        version = msgspec.json.decode(data, type=_Versioned).version
        if version > VERSION:
            raise JournalError(f"{name} has version {version}; this podwire reads up to {VERSION}")
        entry = msgspec.json.decode(data, type=Entry)
    except msgspec.DecodeError as error:
        raise JournalError(f"{name} is no journal of podwire: {error}") from None
    if name.rpartition("/")[2] != f"{entry.pf}.json":
        raise JournalError(f"{name} is the journal of another PF, {entry.pf}")
    return entry


class _Versioned(msgspec.Struct):
    version: int


def written(entry: Entry) -> bytes:
    """Write it so that a person can read it."""
    return msgspec.json.format(msgspec.json.encode(entry), indent=2) + b"\n"
