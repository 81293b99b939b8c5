"""Which networks one that does not exist may mean."""

import difflib
from bisect import bisect_left
from collections.abc import Sequence

import msgspec

from podwire.facts.inventory import Objects
from podwire.facts.objects import Network
from podwire.model.names import Ref
from podwire.wire.joined.by_key import by_key

_MOST = 200  # names of one namespace that one is compared with
_BESIDE = 50


class Namesakes:
    """Networks by their names; each answer is worked out once."""

    def __init__(self, networks: Objects[Network]) -> None:
        refs = sorted(nad.ref for nad in networks.items)
        self._by_name = by_key((ref.name, ref) for ref in refs)
        self._names = by_key((ref.namespace, ref.name) for ref in refs)
        self._backwards = {n: sorted(s[::-1] for s in names) for n, names in self._names.items()}
        self._found: dict[Ref, tuple[Ref, ...]] = {}

    def of(self, wanted: Ref) -> tuple[Ref, ...]:
        """Give those of its name in other namespaces, else the nearest name in its own."""
        if wanted not in self._found:
            self._found[wanted] = self._by_name.get(wanted.name) or self._nearest(wanted)
        return self._found[wanted]

    def _nearest(self, wanted: Ref) -> tuple[Ref, ...]:
        names = self._like(wanted)
        close = difflib.get_close_matches(wanted.name, names, n=1, cutoff=0.7)
        return tuple(msgspec.structs.replace(wanted, name=name, part="") for name in close)

    def _like(self, wanted: Ref) -> Sequence[str]:
        """Pick the names of its namespace; of very many, those that begin or end as it does."""
        names = self._names.get(wanted.namespace, ())
        if len(names) <= _MOST:
            return names
        backwards = _beside(wanted.name[::-1], self._backwards[wanted.namespace])
        return sorted({*_beside(wanted.name, names), *(name[::-1] for name in backwards)})


def _beside(name: str, names: Sequence[str]) -> Sequence[str]:
    at = bisect_left(names, name)
    return names[max(at - _BESIDE, 0) : at + _BESIDE]
