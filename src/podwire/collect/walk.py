"""Every file below a folder, in a steady order, however the folder is made."""

from collections.abc import Iterator

from podwire.ports.hostfs import Entry, EntryKind, HostFs, ReadFault, Trouble

_MOST_FILES = 500_000
_DEPTH = 64


def files_below(files: HostFs, top: str = "") -> Iterator[str | ReadFault]:
    """Give the paths of files, sorted within each folder; what cannot be listed as a fault.

    Hidden names are left out, and so are links to folders: what they lead to lies below the
    root as well, or must not be read. Other names that lead to no file are given like files;
    reading one says why.
    """
    pending = [(top, 0)]
    count = 0
    while pending:
        folder, depth = pending.pop()
        try:
            entries = files.entries(folder)
        except ReadFault as error:
            yield error
            continue
        deeper = []
        for entry in entries:
            path = f"{folder}/{entry.name}" if folder else entry.name
            if _is_left_out(entry):
                continue
            if entry.kind is EntryKind.FOLDER:
                deeper.append((path, depth + 1))
                continue
            count += 1
            if count > _MOST_FILES:
                detail = f"more than {_MOST_FILES:,} files"
                yield ReadFault(top, Trouble.TOO_BIG, detail=detail)
                return
            yield path
        if depth < _DEPTH:
            pending.extend(reversed(deeper))


def _is_left_out(entry: Entry) -> bool:
    return entry.name.startswith(".") or (entry.is_link and entry.kind is EntryKind.FOLDER)
