"""Patches that a fix may carry, as JSON patch operations (RFC 6902)."""

from collections.abc import Mapping
from typing import Any

from podwire.findings.model import Patch
from podwire.model.evidence import Path
from podwire.model.names import Ref


def set_annotation(ref: Ref, key: str, value: str) -> Patch:
    """Set an annotation that the object has already."""
    path = ("metadata", "annotations", key)
    return Patch(of=ref, operations=({"op": "replace", "path": pointer(path), "value": value},))


def annotate(
    ref: Ref, key: str, value: str, *, have: Mapping[str, str], at: Path = ("metadata",)
) -> Patch:
    """Set an annotation; `have` are those that stand there, in the metadata to which `at` leads."""
    path = (*at, "annotations")
    if not have:
        operation: dict[str, Any] = {"op": "add", "path": pointer(path), "value": {key: value}}
    else:
        verb = "replace" if key in have else "add"
        operation = {"op": verb, "path": pointer((*path, key)), "value": value}
    return Patch(of=ref, operations=(operation,))


def and_remove(patch: Patch, path: Path) -> Patch:
    """Take a value away as well, as the last step."""
    return Patch(
        of=patch.of, operations=(*patch.operations, *remove_value(patch.of, path).operations)
    )


def add_value(ref: Ref, path: Path, value: object) -> Patch:
    """Add a value where nothing stands yet, or to a list where the path ends in `-`."""
    return Patch(of=ref, operations=({"op": "add", "path": pointer(path), "value": value},))


def remove_value(ref: Ref, path: Path) -> Patch:
    """Take a value away that stands there."""
    return Patch(of=ref, operations=({"op": "remove", "path": pointer(path)},))


def replace_value(ref: Ref, path: Path, value: object) -> Patch:
    """Put another value in the place of one that stands there."""
    return Patch(of=ref, operations=({"op": "replace", "path": pointer(path), "value": value},))


def set_label(ref: Ref, key: str, value: str, *, have: Mapping[str, str]) -> Patch:
    """Set a label; `have` are those of the object."""
    path = ("metadata", "labels")
    if not have:
        return add_value(ref, path, {key: value})
    change = replace_value if key in have else add_value
    return change(ref, (*path, key), value)


def pointer(path: Path) -> str:
    """Write a path as a JSON pointer (RFC 6901)."""
    steps = (str(step).replace("~", "~0").replace("/", "~1") for step in path)
    return "".join(f"/{step}" for step in steps)
