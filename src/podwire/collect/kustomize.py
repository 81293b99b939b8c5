"""What a kustomization changes: patches are no objects, and what they change is not whole.

Source: kustomize api/types v0.20.1 kustomization.go, patch.go.
"""

import re
from collections.abc import Iterable, Iterator
from posixpath import join, normpath

import msgspec

from podwire.collect.buffer import SMALL
from podwire.documents import yaml
from podwire.documents.text import decode_text
from podwire.documents.tree import Tree
from podwire.ports.hostfs import HostFs, ReadFault

_NAMES = frozenset({"kustomization.yaml", "kustomization.yml", "Kustomization"})
_PLAIN = re.compile(r"[-\w.]+")
_KEYS = ("patches", "patchesStrategicMerge", "patchesJson6902")


class Kustomized(msgspec.Struct, frozen=True):
    """`patches` are files, each with the folder whose kustomization names it.

    `targets` are kind and name of what patches change; an empty name is any.
    """

    patches: dict[str, str] = {}
    targets: frozenset[tuple[str, str]] = frozenset()

    def changes(self, kind: str, name: str) -> bool:
        """Say whether a patch changes an object."""
        return (kind, name) in self.targets or (kind, "") in self.targets


def kustomized(files: HostFs, paths: Iterable[str]) -> Kustomized:
    """Read every kustomization among some files, and the patches that it names."""
    patches: dict[str, str] = {}
    targets: set[tuple[str, str]] = set()
    for path in paths:
        folder, _, name = path.rpartition("/")
        if name not in _NAMES:
            continue
        for tree in _trees(files, path):
            for patch in _patches_of(tree):
                targets |= set(_target(patch))
                if patch.get("path"):
                    patches[normpath(join(folder, str(patch["path"])))] = folder
    for path in patches:
        targets |= {named for tree in _trees(files, path) for named in _named(tree)}
    return Kustomized(patches=patches, targets=frozenset(targets))


def _trees(files: HostFs, path: str) -> Iterator[Tree]:
    try:
        text, _ = decode_text(files.read(path, limit=SMALL))
    except ReadFault:
        return  # Whoever reads all files says so.
    yield from (loaded.value for loaded in yaml.load(text))


def _patches_of(tree: Tree) -> Iterator[dict[str, Tree]]:
    """Give the entries of all three keys in one form; text is a path, or the patch itself."""
    for key in _KEYS if isinstance(tree, dict) else ():
        entries = tree.get(key)  # type: ignore[union-attr]  # a mapping, as the line above asks
        for entry in entries if isinstance(entries, list) else ():
            if isinstance(entry, dict):
                yield entry
            elif isinstance(entry, str):
                yield {"patch" if "\n" in entry else "path": entry}


def _target(patch: dict[str, Tree]) -> Iterator[tuple[str, str]]:
    yield from _named(patch.get("target"))
    inline = patch.get("patch")
    for loaded in yaml.load(inline) if isinstance(inline, str) else ():
        yield from _named(loaded.value)


def _named(tree: Tree) -> Iterator[tuple[str, str]]:
    """Name what a patch, or the target of one, is about."""
    if not isinstance(tree, dict) or not isinstance(tree.get("kind"), str):
        return
    metadata = tree.get("metadata")
    name = metadata.get("name") if isinstance(metadata, dict) else tree.get("name")
    is_plain = isinstance(name, str) and _PLAIN.fullmatch(name)  # A target's is a pattern.
    yield str(tree["kind"]), str(name) if is_plain else ""
