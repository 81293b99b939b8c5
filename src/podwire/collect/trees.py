"""One document that was read into a tree: what it is, and taking it."""

import re
from typing import Any

import msgspec

from podwire.collect.gathered import Gathered
from podwire.collect.objects import ObjectReader
from podwire.collect.scope import Listing, Scope
from podwire.documents.tree import Tree
from podwire.facts.inventory import PluginFile
from podwire.facts.node import TextFile
from podwire.model.evidence import Document, Origin, Place, dotted
from podwire.spec.parse import is_wiring, parse
from podwire.spec.wiring import Wiring

# Keys of an API object, of podwire's spec and of a device plugin's configuration.
_WORDS = re.compile(r"\b(apiVersion|kind|resourceList)[\"']?\s*:", re.IGNORECASE)


class TreeReader:
    """Takes trees of one file; `text` is that file, `is_json` how it was written."""

    def __init__(
        self, gathered: Gathered, *, text: str, listing: Listing, is_json: bool = False
    ) -> None:
        self._gathered = gathered
        self._text = text
        self._listing = listing
        self._is_json = is_json

    @property
    def is_meant(self) -> bool:
        """Say whether somebody meant podwire to read it: they named it, or it has the words."""
        is_named = self._listing in {Listing.ALONE, Listing.WHOLE}
        return is_named or _WORDS.search(self._text) is not None

    def take(self, tree: Tree, *, document: Document) -> bool:
        """Take a document for what it is; False where podwire does not know it."""
        if is_wiring(tree):
            self._wiring(tree, document=document)
        elif isinstance(tree, dict) and isinstance(tree.get("kind"), str):
            self._objects(tree, document=document)
        elif isinstance(tree, dict) and "resourcelist" in map(str.lower, tree):
            file = TextFile(document=document, text=self._text)
            self._gathered.plugin_files.append(PluginFile(file=file))
        elif isinstance(tree, list) and any(isinstance(i, dict) and "kind" in i for i in tree):
            reader = ObjectReader(self._gathered, document=document)
            for index, item in enumerate(tree):
                reader.tree(item, base=(index,), kind="", scope=Scope())
        else:
            return False
        return True

    def _objects(self, tree: dict[str, Any], *, document: Document) -> None:
        is_list = str(tree["kind"]).endswith("List") and isinstance(tree.get("items"), list)
        is_complete = is_list and self._listing.holds(
            has_version=_has_version(tree), is_json=self._is_json
        )
        if is_complete:
            document = msgspec.structs.replace(document, origin=Origin.CLUSTER)
        scope = Scope()
        ObjectReader(self._gathered, document=document).tree(tree, base=(), kind="", scope=scope)
        if is_complete:
            everywhere = self._listing is Listing.WHOLE
            self._gathered.was_listed(
                scope.complete,
                document=document,
                namespaces=None if everywhere else scope.namespaces,
                is_empty=not tree["items"],
            )

    def _wiring(self, tree: Tree, *, document: Document) -> None:
        own = msgspec.structs.replace(document, origin=Origin.SPEC)
        parsed = parse(tree, document=own)
        if isinstance(parsed, Wiring):
            self._gathered.wirings.append(parsed)
            return
        for wrong in parsed:
            where = f"{dotted(wrong.path)}: " if wrong.path else ""
            place = Place(document=own, path=wrong.path)
            self._gathered.fault(f"the spec cannot be used: {where}{wrong.message}", place=place)


def _has_version(tree: dict[str, Any]) -> bool:
    metadata = tree.get("metadata")
    return isinstance(metadata, dict) and metadata.get("resourceVersion") is not None
