"""One spec file, loaded or refused."""

import re

import msgspec

from podwire.documents import yaml
from podwire.documents.nodes import Node, nodes_of
from podwire.documents.parts import Part, split
from podwire.documents.text import Position, printable
from podwire.facts.node import TextFile
from podwire.model.evidence import Path, Place
from podwire.peers.cdi.libraries import Library
from podwire.peers.cdi.names import QualifiedName, split_kind
from podwire.peers.cdi.raw import RawSpec, raw_spec
from podwire.peers.cdi.reading import Reader
from podwire.peers.cdi.records import CdiDevice, Fault
from podwire.peers.cdi.validating import refusal_of
from podwire.peers.go_text import quoted

_LOAD = "failed to load CDI Spec"
_MARK = re.compile(r"^---(?:[ \t\r\n]|\Z)", re.MULTILINE)


class _RefusedError(Exception):
    """The library does not load the file."""

    def __init__(self, sentence: str, *, path: Path = (), is_exact: bool = True) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.path = path
        self.is_exact = is_exact
        self.at: Position | None = None
        self.above = 0


def load(file: TextFile, *, path: str, library: Library) -> tuple[CdiDevice, ...] | Fault:
    """Read a spec as ReadSpec does; `path` is the file's on the node."""
    try:
        spec = _read(file.text, path, library)
    except _RefusedError as error:
        place = Place(document=file.document, path=error.path)
        if error.at is not None:
            line = error.above + error.at.line
            place = msgspec.structs.replace(place, line=line, column=error.at.column)
        return Fault(sentence=f"{_LOAD} {error.sentence}", place=place, is_exact=error.is_exact)
    return tuple(_devices(spec, file=file, path=path))


def _devices(spec: RawSpec, *, file: TextFile, path: str) -> list[CdiDevice]:
    vendor, device_class = split_kind(spec.kind)
    shared = spec.edits.known()
    found = []
    for index, device in enumerate(spec.devices):
        name = QualifiedName(vendor=vendor, device_class=device_class, device=device.name)
        found.append(
            CdiDevice(
                name=str(name),
                kind=spec.kind,
                device=device.name,
                file=path,
                place=Place(document=file.document, path=("devices", index, "name")),
                edits=device.edits.known(),
                shared=shared,
            )
        )
    return found


def _read(text: str, path: str, library: Library) -> RawSpec:
    part = _first(text, path, library)
    root = _root(part, path)
    reader = Reader(part, library=library)
    tree = reader.read(root)
    misfit = reader.refusal()
    if misfit is not None:
        raise _unreadable(path, misfit.text, at=misfit.path, is_exact=misfit.is_exact)
    spec = raw_spec(tree)
    refusal = refusal_of(spec, library=library)
    if refusal is not None:
        sentence = f"invalid CDI Spec: {refusal.sentence}"
        raise _RefusedError(sentence, path=refusal.path, is_exact=refusal.is_exact)
    return spec


def _first(text: str, path: str, library: Library) -> Part:
    """Cut the first document out, the only one that the library looks at."""
    part = next(iter(split(text)), None)
    if part is not None:
        return part
    if library.reads_json or _MARK.search(text):
        raise _empty(path)
    raise _unreadable(path, "EOF")


def _root(part: Part, path: str) -> Node:
    loaded = next(iter(yaml.load(part.text)))
    if loaded.problem is not None and not loaded.is_template:
        words = f"yaml: {printable(loaded.problem.message)}"
        error = _unreadable(path, words, is_exact=False)
        error.at = loaded.problem.position
        error.above = part.line
        raise error
    root = nodes_of(part.text)
    if root is None or (root.text is not None and loaded.value is None):
        raise _empty(path)
    return root


def _empty(path: str) -> _RefusedError:
    return _RefusedError(f"failed to parse CDI Spec {quoted(path)}, no Spec data")


def _unreadable(path: str, words: str, *, at: Path = (), is_exact: bool = True) -> _RefusedError:
    sentence = f"failed to parse CDI Spec {quoted(path)}: failed to unmarshal CDI Spec: {words}"
    return _RefusedError(sentence, path=at, is_exact=is_exact)
