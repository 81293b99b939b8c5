"""API objects from bytes or from trees into their records, one at a time.

An object that cannot be read costs itself only, and every value that is wrong in it is named.
"""

from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import reduce
from operator import or_
from typing import Any

import msgspec

from podwire.collect.foreign import (
    Head,
    full_kind,
    is_foreign,
    makes_pods,
    may_make_pods,
    version_of,
)
from podwire.collect.gathered import Gathered
from podwire.collect.kinds import KINDS
from podwire.collect.scope import Scope
from podwire.documents.text import decode_text, printable
from podwire.facts.objects import ApiObject, ClusterPolicy
from podwire.facts.others import KEPT
from podwire.facts.workloads import Job
from podwire.model.evidence import Document, Path, Place, dotted
from podwire.model.names import Ref
from podwire.spec.shape import Mismatch, mismatches, without_nulls

_ANY: Any = reduce(or_, (kind.record for kind in KINDS.values()))
_DECODER: "msgspec.json.Decoder[ApiObject]" = msgspec.json.Decoder(_ANY)
_SHOWN = 60
_WANTED = "expected a string"
_QUOTE = (
    "quote the value: without quotes YAML takes numbers, true, false, yes, no, on, off, y and n "
    "for no string"
)
_HEAD = msgspec.json.Decoder(Head)
_NAMESAKES = frozenset({Job, ClusterPolicy})  # other groups have kinds of these names


class ObjectReader:
    """Reads objects of one document into what was gathered."""

    def __init__(self, gathered: Gathered, *, document: Document) -> None:
        self._gathered = gathered
        self._document = document

    def items(
        self,
        raws: Iterable[msgspec.Raw],
        *,
        kind: str,
        scope: Scope,
        done: Callable[[int], None] = lambda _: None,
    ) -> None:
        """Read the items of a List.

        Args:
            raws: the items, undecoded.
            kind: what an item without `kind` is (of a PodList: Pod); may be empty.
            scope: is filled.
            done: is told up to which offset, at least, the bytes are not needed any more.
        """
        add, document = self._gathered.add, self._document
        default = KINDS.get(kind)
        decode: Callable[[msgspec.Raw], ApiObject]
        decode = msgspec.json.Decoder(default.record).decode if default else _DECODER.decode
        offset = index = 0
        for index, raw in enumerate(raws, start=1):
            offset += len(memoryview(raw))
            base = ("items", index - 1)
            try:
                item = decode(raw)
            except (msgspec.MsgspecError, RecursionError):
                self._again(memoryview(raw), base=base, kind=kind, scope=scope)
            else:
                if not (type(item) in _NAMESAKES and self._is_foreign(item)):
                    if not add(item, document=document, base=base):
                        scope.lose(item.kind)
                    scope.kinds.add(item.kind)
                    scope.namespaces.add(item.metadata.namespace)
            done(offset)
        self._gathered.object_count += index

    def one(self, data: "bytes | memoryview", *, base: Path) -> None:
        """Read a single object."""
        self._gathered.object_count += 1
        try:
            item = _DECODER.decode(data)
        except (msgspec.MsgspecError, RecursionError):
            self._again(data, base=base, kind="", scope=Scope())
        else:
            if not (type(item) in _NAMESAKES and self._is_foreign(item)):
                self._gathered.add(item, document=self._document, base=base)

    def _is_foreign(self, item: ApiObject) -> bool:
        """Tell a namesake of another group; what is no Job of Kubernetes' own is counted."""
        version = item.api_version if isinstance(item, Job | ClusterPolicy) else ""
        found = is_foreign(item.kind, version)
        if found and isinstance(item, Job):
            self._gathered.saw_foreign(full_kind(item.kind, version))
        return found

    def tree(self, tree: object, *, base: Path, kind: str, scope: Scope) -> None:
        """Read an object, or a List of them, from a tree."""
        if not isinstance(tree, dict):
            self._fault("expected an object here", base=base)
            scope.lose(None)
            return
        own = tree.get("kind", kind)
        if not isinstance(own, str) or not own:
            self._gathered.object_count += 1
            self._fault("expected an object with a kind here", base=base)
            scope.lose(None)
        elif own.endswith("List") and isinstance(tree.get("items"), list):
            for index, item in enumerate(tree["items"]):
                path = (*base, "items", index)
                self.tree(item, base=path, kind=own.removesuffix("List"), scope=scope)
        else:
            self._gathered.object_count += 1
            if own in KINDS and not is_foreign(own, version_of(tree)):
                self._convert({**tree, "kind": own}, base=base, scope=scope)
            else:
                self._pass(tree, kind=own)

    def _again(self, raw: "bytes | memoryview", *, base: Path, kind: str, scope: Scope) -> None:
        """Read slowly what could not be read fast: another kind, nulls, wrong values."""
        try:
            head = _HEAD.decode(raw)
        except (msgspec.MsgspecError, RecursionError):
            head = Head()
        own = head.kind or kind
        if own and (own not in KINDS or is_foreign(own, head.api_version)):
            self._other(raw, kind=own)
            return
        text, problems = decode_text(bytes(raw))
        for problem in problems:
            self._fault(problem.message, base=base)
        try:
            tree = msgspec.json.decode(text)
            if isinstance(tree, dict) and own:
                self._convert({**tree, "kind": own}, base=base, scope=scope)
                return
            message = "expected an object with a kind here"
        except (msgspec.MsgspecError, RecursionError, UnicodeEncodeError) as error:
            message = f"{own or 'an object'} that cannot be read: {error}"
        self._fault(message, base=base)
        scope.lose(own or None)

    def _other(self, raw: "bytes | memoryview", *, kind: str) -> None:
        with suppress(msgspec.MsgspecError, RecursionError):  # Nobody asked to read it.
            if kind in KEPT or may_make_pods(bytes(raw)):
                self._pass(msgspec.json.decode(raw), kind=kind)

    def _pass(self, tree: dict[str, Any], *, kind: str) -> None:
        """Note what matters of an object that podwire does not read."""
        self._gathered.other(tree, kind=kind, document=self._document)
        if makes_pods(tree):
            self._gathered.saw_foreign(full_kind(kind, version_of(tree)))

    def _convert(self, tree: dict[str, Any], *, base: Path, scope: Scope) -> None:
        kind = KINDS[tree["kind"]]
        scope.kinds.add(kind.name)
        given = without_nulls(tree)
        try:
            item = msgspec.convert(given, kind.record)
        except msgspec.ValidationError as error:
            scope.lose(kind.name)
            wrong = list(mismatches(given, kind.record))
            self._refuse(tree, wrong or [Mismatch(path=(), message=str(error))], base=base)
            return
        if not self._gathered.add(item, document=self._document, base=base):
            scope.lose(kind.name)
        scope.namespaces.add(item.metadata.namespace)

    def _refuse(self, tree: dict[str, Any], wrong: list[Mismatch], *, base: Path) -> None:
        ref = _ref_of(tree)
        for found in wrong:
            value = _at(tree, found.path)
            is_unquoted = isinstance(value, bool | int | float) and _WANTED in found.message
            where = f" {dotted(found.path)}:" if found.path else ""
            self._gathered.fault(
                f"{ref} cannot be read:{where} {found.message}",
                place=Place(document=self._document, object=str(ref), base=base, path=found.path),
                cure=_QUOTE if is_unquoted else "",
            )

    def _fault(self, message: str, *, base: Path) -> None:
        where = f"{dotted(base)}: " if base else ""
        self._gathered.fault(where + message, place=Place(document=self._document, base=base))


def _at(tree: object, path: Path) -> object:
    for step in path:
        tree = tree[step]  # type: ignore[index]  # it was found by walking there
    return tree


def _ref_of(tree: dict[str, Any]) -> Ref:
    """Name an object as far as it has a name."""
    metadata = tree.get("metadata")
    meta = metadata if isinstance(metadata, dict) else {}
    name, namespace = meta.get("name"), meta.get("namespace")
    front = meta.get("generateName")
    start = f"{front}*" if isinstance(front, str) else "(no name)"
    return Ref(
        kind=tree["kind"],
        name=printable(name if isinstance(name, str) else start, _SHOWN),
        namespace=printable(namespace, _SHOWN) if isinstance(namespace, str) else "",
    )
