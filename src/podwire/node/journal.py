"""Journals of runs that did not end."""

from podwire.node.reading import kept_in, names_in
from podwire.plan.journal import FOLDER, Entry, parse
from podwire.ports.hostfs import HostFs


def entries_of(files: HostFs) -> tuple[Entry, ...]:
    """Read every journal.

    Raises:
        JournalError: one is no journal, or a newer podwire's.
        ReadFault: one cannot be read.
    """
    found = []
    for name in names_in(files, FOLDER):
        data = kept_in(files, f"{FOLDER}/{name}") if name.endswith(".json") else None
        if data is not None:
            found.append(parse(data, name=f"/{FOLDER}/{name}"))
    return tuple(found)
