"""The text of a CDI spec into the library's own records, with what it refuses on the way.

Libraries before 1.1.1 turn YAML into JSON, sort the fields and stop at the first one that does
not fit; later ones read YAML as it stands and name every one. Sources: sigs.k8s.io/yaml v1.4.0
yaml.go; go.yaml.in/yaml/v3 v3.0.5 decode.go; tags.cncf.io/container-device-interface v1.1.1
pkg/cdi/spec.go ParseSpec.
"""

from collections.abc import Iterator, Mapping

import msgspec

from podwire.documents import scalars
from podwire.documents.nodes import Node
from podwire.documents.parts import Part
from podwire.documents.text import printable
from podwire.documents.tree import Tree
from podwire.model.evidence import Path
from podwire.peers.cdi.libraries import Library
from podwire.peers.cdi.schema import Items, Record, Scalar, Strings, Type, spec_of
from podwire.peers.go_text import quoted

_YAML = "yaml: unmarshal errors:"
_JSON = "error unmarshaling JSON: while decoding JSON: json:"
_NULLS = frozenset(("", "~", "null", "Null", "NULL"))
_TRUE = frozenset(("true", "True", "TRUE", "y", "Y", "yes", "Yes", "YES", "on", "On", "ON"))
_FALSE = frozenset(("false", "False", "FALSE", "n", "N", "no", "No", "NO", "off", "Off", "OFF"))


class Misfit(msgspec.Struct, frozen=True):
    """A value or a field that the library refuses: its own words, or podwire's."""

    text: str
    path: Path
    is_exact: bool


class Reader:
    """One document, read into the records of one version of the library."""

    def __init__(self, part: Part, *, library: Library) -> None:
        self._part = part
        self._library = library
        self.misfits: list[Misfit] = []

    def read(self, root: Node) -> Tree:
        """Give a tree with every field of the records that the document has."""
        return self._value(root, spec_of(self._library), ())

    def refusal(self) -> Misfit | None:
        """Put what did not fit into the library's sentence."""
        if not self.misfits:
            return None
        first = self.misfits[0]
        if self._library.reads_json:
            return msgspec.structs.replace(first, text=f"{_JSON} {first.text}")
        listed = "".join(f"\n  {misfit.text}" for misfit in self.misfits)
        is_exact = all(misfit.is_exact for misfit in self.misfits)
        return Misfit(text=f"{_YAML}{listed}", path=first.path, is_exact=is_exact)

    def _value(self, node: Node, kind: Type, path: Path) -> Tree:
        if isinstance(kind, Record):
            return self._record(node, kind, path)
        if isinstance(kind, Items):
            return self._items(node, kind, path)
        if isinstance(kind, Strings):
            return self._strings(node, path)
        return self._scalar(node, kind, path)

    def _record(self, node: Node, kind: Record, path: Path) -> Tree:
        if node.pairs is None:
            if not _is_null(node):
                self._no_fit(node, kind.name, path)
            return None if kind.is_pointer else {}
        found: dict[str, Tree] = {}
        for key, value in self._ordered(node, path):
            name = self._field(key.key or "", kind.fields)
            at = (*path, key.key or "")
            if name is None:
                self._unknown(key, kind.name, at)
            elif name in found:
                found[name] = _over(found[name], self._value(value, kind.fields[name], at), value)
            else:
                found[name] = self._value(value, kind.fields[name], at)
        return found

    def _items(self, node: Node, kind: Items, path: Path) -> Tree:
        if node.items is None:
            if not _is_null(node):
                self._no_fit(node, "a list", path)
            return []
        found: list[Tree] = []
        for index, item in enumerate(node.items):
            if not _is_null(item):
                found.append(self._value(item, kind.of, (*path, index)))
            elif kind.may_be_nil:
                found.append(None)
            elif self._library.reads_json:
                found.append(self._value(item, kind.of, (*path, index)))
        return found

    def _strings(self, node: Node, path: Path) -> Tree:
        if node.pairs is None:
            if not _is_null(node):
                self._no_fit(node, "a mapping", path)
            return {}
        return {
            key.key or "": self._scalar(value, Scalar.STRING, (*path, key.key or ""))
            for key, value in self._ordered(node, path)
        }

    def _scalar(self, node: Node, kind: Scalar, path: Path) -> Tree:
        if node.items is not None or node.pairs is not None:
            self._no_fit(node, kind.value, path)
            return kind.zero
        if _is_null(node):
            return kind.zero
        if kind is Scalar.STRING:
            return self._string(node)
        value = _bool(node) if kind is Scalar.BOOL else self._number(node, kind)
        if value is None:
            self._no_fit(node, kind.value, path)
            return kind.zero
        return value

    def _string(self, node: Node) -> str:
        text = node.text if node.text is not None else node.key or ""
        if node.style or not self._library.reads_json:
            return text
        return scalars.key_text(scalars.plain(text))

    def _number(self, node: Node, kind: Scalar) -> int | None:
        value = None if node.style else scalars.plain(_text(node))
        if isinstance(value, bool) or not isinstance(value, int | float):
            return None
        if isinstance(value, float) and self._library.reads_json and not value.is_integer():
            return None
        least, most = kind.bounds
        return int(value) if least <= value <= most else None

    def _ordered(self, node: Node, path: Path) -> Iterator[tuple[Node, Node]]:
        """Give the fields in the order in which the library meets them."""
        pairs = tuple(_merged(node))
        seen: set[str] = set()
        for key, _ in node.pairs or ():
            if key.key in seen and not key.is_merge:
                self._twice(key, path)
            seen.add(key.key or "")
        if self._library.reads_json:
            pairs = tuple(sorted(pairs, key=lambda pair: (pair[0].key or "").encode()))
        return iter(pairs)

    def _field(self, name: str, fields: Mapping[str, Type]) -> str | None:
        """Find a field; in JSON, letters' case does not count."""
        if name in fields:
            return name
        if not self._library.reads_json:
            return None
        return next((each for each in fields if each.lower() == name.lower()), None)

    def _line(self, node: Node) -> int:
        return self._part.position(node.start).line

    def _unknown(self, key: Node, record: str, path: Path) -> None:
        name = key.key or ""
        if self._library.reads_json:
            text = f"unknown field {quoted(name)}"
        else:
            text = f"line {self._line(key)}: field {name} not found in type {record}"
        self.misfits.append(Misfit(text=text, path=path, is_exact=True))

    def _twice(self, key: Node, path: Path) -> None:
        text = f'line {self._line(key)}: the key "{printable(key.key or "", 60)}" stands twice'
        self.misfits.append(Misfit(text=text, path=(*path, key.key or ""), is_exact=False))

    def _no_fit(self, node: Node, wanted: str, path: Path) -> None:
        names = [step for step in path if isinstance(step, str)]
        name = names[-1] if names else "the document"
        text = f"line {self._line(node)}: {printable(name, 60)} is no {wanted}"
        self.misfits.append(Misfit(text=text, path=path, is_exact=False))


def _merged(node: Node) -> Iterator[tuple[Node, Node]]:
    """Put what `<<` brings beside a mapping's own keys, which count more; the last one counts."""
    own = {key.key: (key, value) for key, value in node.pairs or () if not key.is_merge}
    for key, value in node.pairs or ():
        if not key.is_merge:
            continue
        for source in (value,) if value.items is None else value.items:
            for pair in source.pairs or ():
                own.setdefault(pair[0].key, pair)
    return iter(own.values())


def _over(old: Tree, new: Tree, node: Node) -> Tree:
    """Put a field that is there in other letters already over what it holds, as JSON does."""
    if isinstance(old, dict) and isinstance(new, dict):
        return {**old, **new}
    is_kept = _is_null(node) and not isinstance(old, list | None)
    return old if is_kept else new


def _text(node: Node) -> str:
    return node.text if node.text is not None else node.key or ""


def _is_null(node: Node) -> bool:
    if node.items is not None or node.pairs is not None:
        return False
    return not node.style and _text(node) in _NULLS


def _bool(node: Node) -> bool | None:
    text = _text(node)
    if node.style or text not in _TRUE | _FALSE:
        return None
    return text in _TRUE
