"""The `selectors` of one entry: an object, or a list of objects.

Source: pkg/factory/factory.go parseObjectOrSlice: first as an object, then as a list, which
may not be empty; what fits neither costs the entry. A list came with #475; which release
first has it was not established, so it is taken to be legal in all.
"""

from collections.abc import Iterator
from typing import Any

from podwire.model.evidence import Path
from podwire.peers.sriovdp import go_json
from podwire.peers.sriovdp.go_json import Fields, Object, Value
from podwire.peers.sriovdp.keys import (
    FLAG_KEYS,
    LIST_KEYS,
    SELECTOR_KEYS,
    TEXT_KEYS,
    unknown_keys,
)
from podwire.peers.sriovdp.records import Level, Selector


def read_selectors(
    value: Value, *, path: Path, device_type: str
) -> tuple[tuple[Selector, ...], tuple[Path, ...]]:
    """Read the selectors, and name the places that cost the entry."""
    if isinstance(value, Object):
        members = [(path, value)]
    elif isinstance(value, list) and value:
        members = [((*path, i), _object(member)) for i, member in enumerate(value)]
        other = [
            (*path, i)
            for i, member in enumerate(value)
            if not (member is None or isinstance(member, Object))
        ]
        if other:
            return (), tuple(other)
    else:
        return (), (path,)
    read = [
        (where, go_json.fields_of(member, SELECTOR_KEYS[device_type])) for where, member in members
    ]
    selectors = tuple(
        _selector(fields, index=index, path=where, device_type=device_type)
        for index, (where, fields) in enumerate(read)
    )
    return selectors, tuple(place for where, fields in read for place in _wrong(fields, where))


def _object(value: Value) -> Object:
    return value if isinstance(value, Object) else Object(members=[])


def _wrong(fields: Fields, path: Path) -> Iterator[Path]:
    for key, member in fields.known.items():
        if key in LIST_KEYS:
            fits = go_json.is_texts(member.value)
        elif key in FLAG_KEYS:
            fits = go_json.is_flag(member.value)
        else:
            fits = go_json.is_text(member.value)
        if not fits:
            yield (*path, member.written)


def _selector(fields: Fields, *, index: int, path: Path, device_type: str) -> Selector:
    values: dict[str, Any] = {
        **{name: go_json.texts_of(fields.value(key)) for key, name in LIST_KEYS.items()},
        **{name: fields.value(key) is True for key, name in FLAG_KEYS.items()},
        **{name: go_json.text_of(fields.value(key)) for key, name in TEXT_KEYS.items()},
    }
    return Selector(
        index=index,
        path=path,
        written=tuple((key, member.written) for key, member in fields.known.items()),
        unknown=unknown_keys(
            fields.ignored, path=path, level=Level.SELECTOR, keys=SELECTOR_KEYS[device_type]
        ),
        **values,
    )
