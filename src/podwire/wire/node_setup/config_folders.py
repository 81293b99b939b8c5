"""systemd's folders: which file of a name counts, and which drop-ins go with it.

Source: systemd v252 src/basic/path-lookup.h CONF_PATHS, src/basic/conf-files.c: a file in a
folder further up hides one of the same name; an empty one hides it and is none.
"""

from collections.abc import Iterator

import msgspec

from podwire.facts.node import NodeFiles, TextFile
from podwire.model.evidence import Document

_ROOTS = ("etc", "run", "usr/local/lib", "usr/lib", "lib")
_PACKAGED = _ROOTS[2:]


class Config(msgspec.Struct, frozen=True):
    """A file and its drop-ins in the order in which they are read."""

    name: str
    texts: tuple[tuple[Document, str], ...]
    is_packaged: bool = False


class Folders:
    """All of systemd's folders on one node, put in order once."""

    def __init__(self, files: NodeFiles) -> None:
        self._listings = files.listings
        self._folders: dict[str, dict[str, tuple[str, TextFile]]] = {}
        for root in _ROOTS:
            front = f"{root}/systemd/"
            for path, file in files.files.items():
                if path.startswith(front):
                    folder, _, name = path.removeprefix(f"{root}/").rpartition("/")
                    self._folders.setdefault(folder, {}).setdefault(name, (root, file))

    def configs(self, folder: str, *suffixes: str) -> Iterator[Config]:
        """Give the files of a folder (`systemd/network`) that count, by name."""
        for name, (root, file) in sorted(self._folders.get(folder, {}).items()):
            if name.endswith(suffixes) and file.text.strip() and not self._is_hidden(folder, name):
                texts = ((file.document, file.text), *self.drop_ins(folder, name))
                yield Config(name=name, texts=texts, is_packaged=root in _PACKAGED)

    def drop_ins(self, folder: str, name: str) -> tuple[tuple[Document, str], ...]:
        """Give the drop-ins of a file, also of one that itself was not collected."""
        found = sorted(self._folders.get(f"{folder}/{name}.d", {}).items())
        return tuple(
            (file.document, file.text)
            for inner, (_, file) in found
            if inner.endswith(".conf") and file.text.strip()
        )

    def is_replaced(self, folder: str, name: str) -> bool:
        """Say whether a file of the machine's owner, or a mask, takes a packaged one's place."""
        found = self._folders.get(folder, {}).get(name)
        is_own = found is not None and found[0] not in _PACKAGED
        return is_own or self._is_hidden(folder, name)

    def _is_hidden(self, folder: str, name: str) -> bool:
        """Say whether /etc lists what nobody read: a link to /dev/null, which `mask` makes."""
        found = self._folders.get(folder, {}).get(name)
        return name in self.names(folder) and (found is None or found[0] != _ROOTS[0])

    def names(self, folder: str) -> tuple[str, ...]:
        """Give all names in a folder of /etc, where they were listed; else none."""
        return self._listings.get(f"etc/{folder}", ())

    def is_listed(self, folder: str) -> bool:
        """Say whether all names in the folder of /etc are known."""
        return f"etc/{folder}" in self._listings
