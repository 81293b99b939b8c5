"""The `selectors` of one entry: an object, or a list of objects.

Source: pkg/factory/factory.go parseObjectOrSlice: first as an object, then as a list, which
may not be empty; what fits neither costs the entry. A list came with #475; which release
first has it was not established, so it is taken to be legal in all.
"""

from collections.abc import Mapping
from typing import Any, Final

from podwire.model.evidence import Path
from podwire.peers.go_json import Fields, Kind, Object, Value, fields_of
from podwire.peers.sriovdp.keys import (
    FLAG_KEYS,
    LIST_KEYS,
    SELECTOR_KEYS,
    TEXT_KEYS,
    unknown_keys,
)
from podwire.peers.sriovdp.records import Selector

_KINDS: Final[Mapping[str, Kind]] = {
    **dict.fromkeys(LIST_KEYS, Kind.STRINGS),
    **dict.fromkeys(FLAG_KEYS, Kind.BOOL),
    **dict.fromkeys(TEXT_KEYS, Kind.STRING),
}


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
    kinds = {key: _KINDS[key] for key in SELECTOR_KEYS[device_type]}
    read = [(where, fields_of(member, kinds)) for where, member in members]
    selectors = tuple(
        _selector(fields, index=index, path=where, device_type=device_type)
        for index, (where, fields) in enumerate(read)
    )
    wrong = dict.fromkeys(
        (*where, misfit.key) for where, fields in read for misfit in fields.misfits
    )
    return selectors, tuple(wrong)


def _object(value: Value) -> Object:
    return value if isinstance(value, Object) else Object()


def _selector(fields: Fields, *, index: int, path: Path, device_type: str) -> Selector:
    values: dict[str, Any] = {
        **{name: fields.texts(key) for key, name in LIST_KEYS.items()},
        **{name: fields.flag(key) for key, name in FLAG_KEYS.items()},
        **{name: fields.text(key) for key, name in TEXT_KEYS.items()},
    }
    return Selector(
        index=index,
        path=path,
        written=tuple((key, member.written) for key, member in fields.known.items()),
        unknown=unknown_keys(fields.ignored, path=path, keys=SELECTOR_KEYS[device_type]),
        **values,
    )
