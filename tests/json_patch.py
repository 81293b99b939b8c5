"""JSON patch (RFC 6902), as far as fixes use it, on objects of an inventory."""

import copy
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from podwire.facts.inventory import Inventory, Objects
from podwire.facts.objects import ApiObject
from podwire.findings.model import Patch


def applied(tree: Any, operations: Iterable[Mapping[str, Any]]) -> Any:  # noqa: ANN401 - JSON
    """Apply add, replace and remove; a place that is not there is an error, as in kubectl."""
    tree = copy.deepcopy(tree)
    for operation in operations:
        *above, last = map(_step, operation["path"].split("/")[1:])
        at = tree
        for step in above:
            at = at[int(step)] if isinstance(at, list) else at[step]
        _apply(at, last, operation)
    return tree


def _step(written: str) -> str:
    return written.replace("~1", "/").replace("~0", "~")


def _apply(at: Any, last: str, operation: Mapping[str, Any]) -> None:  # noqa: ANN401 - JSON
    key: Any = last
    if isinstance(at, list):
        key = len(at) if last == "-" else int(last)
    match operation["op"]:
        case "add" if isinstance(at, list):
            at.insert(key, operation["value"])
        case "add":
            at[key] = operation["value"]
        case "replace":
            assert key in at or isinstance(at, list), f"nothing to replace at {last}"
            at[key] = operation["value"]
        case "remove":
            del at[key]
        case other:
            raise AssertionError(f"unknown operation {other}")


def patched(facts: Inventory, patch: Patch) -> Inventory:
    """Give the inventory with one object changed."""
    objects = facts.of_kind(patch.of.kind)
    assert objects is not None, f"no objects of kind {patch.of.kind}"
    old = objects.by_name[patch.of.namespace, patch.of.name]
    tree = msgspec.json.decode(msgspec.json.encode(old))
    new = msgspec.convert(applied(tree, patch.operations), type(old))
    changed = _with(objects, new)
    for field in msgspec.structs.fields(Inventory):
        if getattr(facts, field.name) is objects:
            return msgspec.structs.replace(facts, **{field.name: changed})
    return msgspec.structs.replace(facts, workloads={**facts.workloads, patch.of.kind: changed})


def _with(objects: Objects[Any], new: ApiObject) -> Objects[Any]:
    return Objects.of(
        objects.kind,
        (new if item.ref == new.ref else item for item in objects.items),
        plural=objects.plural,
        listed=objects.listed,
        is_whole=objects.is_whole,
        lists=objects.lists,
    )
