"""Files with API objects, podwire's own spec, or a device plugin's configuration."""

import re
from collections.abc import Callable, Iterable

import msgspec

from podwire.collect import dump
from podwire.collect.buffer import SMALL, Buffer
from podwire.collect.gathered import CUT_OFF, DUPLICATE, Gathered
from podwire.collect.scope import Listing
from podwire.collect.trees import TreeReader
from podwire.documents import json, yaml
from podwire.documents.text import Problem, decode_text
from podwire.documents.tree import Loaded
from podwire.model.evidence import Document, Origin
from podwire.ports.hostfs import HostFs, ReadFault, Trouble

JSON_LIMIT = 1536 << 20  # the objects in it need memory beside it
_IN_PIECES = "give it in pieces, one for each namespace (kubectl get -n NAMESPACE -o json)"
_WRITTEN_BY_HAND = 1_000_000  # above, JSON is read fast and twins among its keys are not seen
_TO_JSON = "write it as JSON (kubectl get -o json), which may be bigger"
_SEPARATOR = re.compile(rb"^---(?=[ \t\r\n]|\Z)", re.MULTILINE)  # of YAML; JSON has no such line
_BOM = b"\xef\xbb\xbf"
_HEAD = 64


class ManifestReader:
    """Reads files of one input into what was gathered."""

    def __init__(self, files: HostFs, *, gathered: Gathered) -> None:
        self._files = files
        self._gathered = gathered

    def read(
        self, path: str, *, document: Document, listing: Listing, kind: str | None = None
    ) -> None:
        """Read one file; what holds nothing that podwire knows is listed as unread.

        Args:
            path: the file, in `files`.
            document: what the file is called; its parts get their numbers.
            listing: what a List in it stands for.
            kind: what the file lists, by its name, also when it lists nothing.
        """
        before, lists = self._gathered.fault_count, self._gathered.list_count
        try:
            is_known = self._read(path, document=document, listing=listing)
        except ReadFault as error:
            self._gathered.refused(error, document=document)
            return
        if self._gathered.fault_count > before:
            return
        if kind is not None and self._gathered.list_count > lists:
            self._gathered.was_listed((kind,), document=document, namespaces=None)
        elif kind is not None and not is_known:
            self._gathered.no_list(kind, document=document)
        elif not is_known:
            self._gathered.unread.append(document)

    def _read(self, path: str, *, document: Document, listing: Listing) -> bool:
        size = self._files.size(path)
        if size > SMALL:
            try:
                return self._big(path, size=size, document=document, listing=listing)
            except OSError as error:
                detail = error.strerror or str(error)
                raise ReadFault(path, Trouble.BROKEN, detail=detail) from None
        data = self._files.read(path, limit=SMALL)
        is_json = _starts_as_json(data) and _SEPARATOR.search(data) is None
        if is_json and (listing is Listing.WHOLE or len(data) > _WRITTEN_BY_HAND):
            return self._values(data, document=document, listing=listing)
        text, problems = decode_text(data)
        for problem in problems:
            self._gathered.problem(problem, document=document)
        reader = TreeReader(self._gathered, text=text, listing=listing, is_json=is_json)
        loaded = _loaded(text) if is_json else None
        if loaded is not None and loaded.problem is None:
            return self._documents((loaded,), document=document, reader=reader)
        if loaded is not None and sum(1 for _ in dump.values_of(data)) > 1:
            return self._values(data, document=document, listing=listing)
        if loaded is not None and (document.name.endswith(".json") or _is_cut(loaded)):
            return self._documents((loaded,), document=document, reader=reader)
        # A flow mapping of YAML begins like JSON.
        return self._documents(yaml.load(text), document=document, reader=reader)

    def _big(self, path: str, *, size: int, document: Document, listing: Listing) -> bool:
        with self._files.open(path) as source:
            is_json = _starts_as_json(source.read(_HEAD))
        limit = JSON_LIMIT if is_json else SMALL
        if size > limit:
            detail = f"{size >> 20:,} MiB, the limit is {limit >> 20:,} MiB"
            raise ReadFault(
                path, Trouble.TOO_BIG, detail=f"{detail}; {_IN_PIECES if is_json else _TO_JSON}"
            )
        buffer = Buffer(self._files, path, size=size)
        return self._values(buffer.data, document=document, listing=listing, buffer=buffer)

    def _values(
        self,
        data: bytes | memoryview,
        *,
        document: Document,
        listing: Listing,
        buffer: Buffer | None = None,
    ) -> bool:
        """Read JSON values that follow one another in a file."""
        is_known = False
        start = 0
        for part, value in enumerate(dump.values_of(data)):
            if isinstance(value, Problem):
                self._gathered.problem(value, document=document)
                continue
            body, envelope = value
            own = msgspec.structs.replace(
                document, part=part, origin=Origin.CLUSTER if part else document.origin
            )
            took = dump.take(
                body,
                envelope,
                document=own,
                listing=listing,
                gathered=self._gathered,
                done=_releasing(buffer, start=start),
            )
            start += len(body)
            is_known |= took
            if took:
                self._gathered.saw(own)
        return is_known

    def _documents(
        self, loaded: Iterable[Loaded], *, document: Document, reader: TreeReader
    ) -> bool:
        is_known = False
        for one in loaded:
            own = msgspec.structs.replace(document, part=one.part)
            if one.problem is not None and not reader.is_meant:
                continue  # It lies beside manifests, and is none.
            if one.problem is not None:
                report = self._gathered.template if one.is_template else self._gathered.problem
                report(one.problem, document=own)
            elif reader.take(one.value, document=own):
                is_known = True
                self._gathered.saw(own)
                for twin in one.duplicates:
                    self._gathered.problem(twin, document=own, slug=DUPLICATE)
        return is_known


def _loaded(text: str) -> Loaded:
    """Read JSON, and say of what stops in the middle that it does."""
    loaded = json.load(text)
    if loaded.problem is None:
        return loaded
    return msgspec.structs.replace(loaded, problem=dump.named(loaded.problem, text))


def _is_cut(loaded: Loaded) -> bool:
    """Whether it is no YAML either: it stops in the middle."""
    return loaded.problem is not None and loaded.problem.message == CUT_OFF


def _starts_as_json(data: bytes) -> bool:
    return data.removeprefix(_BOM).lstrip()[:1] in {b"{", b"["}


def _releasing(buffer: Buffer | None, *, start: int) -> Callable[[int], None]:
    """Give memory back as items are decoded; a small file stays until it is read."""
    if buffer is None:
        return lambda _: None
    return lambda offset: buffer.give_back(start + offset)
