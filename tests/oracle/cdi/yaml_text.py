"""Mappings as YAML in blocks, where some values are text that goes in as it is."""

import json
from collections.abc import Iterator
from typing import Any


class Raw(str):
    """Text that goes into YAML as it is."""

    __slots__ = ()


def has_raw(value: object) -> bool:
    if isinstance(value, dict):
        return any(map(has_raw, value.values()))
    if isinstance(value, list):
        return any(map(has_raw, value))
    return isinstance(value, Raw)


def lines(value: dict[str, Any]) -> Iterator[str]:
    """Write a mapping as YAML in blocks."""
    for key, item in value.items():
        name = json.dumps(key) if " " in key else key
        if isinstance(item, dict) and item:
            yield f"{name}:"
            yield from (f"  {line}" for line in lines(item))
        elif isinstance(item, list) and item:
            yield f"{name}:"
            for each in item:
                yield from _item(each)
        else:
            yield f"{name}: {_flow(item)}"


def _item(value: object) -> Iterator[str]:
    if isinstance(value, dict) and value:
        first, *rest = lines(value)
        yield f"- {first}"
        yield from (f"  {line}" for line in rest)
    else:
        yield f"- {_flow(value)}"


def _flow(value: object) -> str:
    if isinstance(value, Raw):
        return str(value)
    if isinstance(value, str) and value.replace("/", "").replace(".", "").isalpha():
        return value
    return json.dumps(value, ensure_ascii=False)
