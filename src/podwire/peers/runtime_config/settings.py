"""TOML of several files laid over one another, each value with the place it came from."""

from collections.abc import Mapping
from typing import TypeAlias

import msgspec

from podwire.documents.tree import Tree
from podwire.model.evidence import Document, Path, Place


class Leaf(msgspec.Struct, frozen=True):
    """A value that is no table."""

    value: Tree
    place: Place


class Table(msgspec.Struct, frozen=True):
    """A table; `place` is that of the file where it was met last."""

    items: Mapping[str, "Setting"]
    place: Place

    def table(self, name: str) -> "Table | None":
        """Give a table in it; anything else is none."""
        found = self.items.get(name)
        return found if isinstance(found, Table) else None

    def below(self, *names: str) -> "Table | None":
        """Go down a path of tables."""
        table: Table | None = self
        for name in names:
            table = None if table is None else table.table(name)
        return table

    def leaf(self, name: str) -> Leaf | None:
        """Give a value in it."""
        found = self.items.get(name)
        return found if isinstance(found, Leaf) else None

    def text(self, name: str, default: str = "") -> str:
        """Give a string; what is none counts as not there."""
        leaf = self.leaf(name)
        return leaf.value if leaf is not None and isinstance(leaf.value, str) else default

    def flag(self, name: str, *, default: bool = False) -> bool:
        """Give a boolean."""
        leaf = self.leaf(name)
        return leaf.value if leaf is not None and isinstance(leaf.value, bool) else default

    def texts(self, name: str) -> tuple[str, ...] | None:
        """Give a list's strings; None where there is no list."""
        leaf = self.leaf(name)
        if leaf is None or not isinstance(leaf.value, list):
            return None
        return tuple(each for each in leaf.value if isinstance(each, str))


Setting: TypeAlias = Leaf | Table


def settings_of(tree: Tree, *, document: Document, path: Path = ()) -> Table:
    """Give every value of a document its place."""
    items: dict[str, Setting] = {}
    for name, value in tree.items() if isinstance(tree, dict) else ():
        at = (*path, name)
        if isinstance(value, dict):
            items[name] = settings_of(value, document=document, path=at)
        else:
            items[name] = Leaf(value=value, place=Place(document=document, path=at))
    return Table(items=items, place=Place(document=document, path=path))


def laid_over(old: Table, new: Table) -> Table:
    """Merge tables at any depth; every other value of the newer one replaces the older."""
    items = dict(old.items)
    for name, value in new.items.items():
        known = items.get(name)
        both = isinstance(known, Table) and isinstance(value, Table)
        items[name] = laid_over(known, value) if both else value  # type: ignore[arg-type]
    return Table(items=items, place=new.place)


def beside(old: Table, new: Table) -> Table:
    """Add what the older table does not have."""
    return Table(items={**new.items, **old.items}, place=old.place)
