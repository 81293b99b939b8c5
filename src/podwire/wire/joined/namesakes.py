"""Which networks one that does not exist may mean."""

import difflib

from podwire.facts.inventory import Objects
from podwire.facts.objects import Network
from podwire.model.names import Ref
from podwire.wire.joined.by_key import by_key

_MOST = 200  # names of one namespace that one is compared with; of more nobody can tell


class Namesakes:
    """Networks by their names; each answer is worked out once."""

    def __init__(self, networks: Objects[Network]) -> None:
        refs = sorted(nad.ref for nad in networks.items)
        self._by_name = by_key((ref.name, ref) for ref in refs)
        self._beside = by_key((ref.namespace, ref) for ref in refs)
        self._found: dict[Ref, tuple[Ref, ...]] = {}

    def of(self, wanted: Ref) -> tuple[Ref, ...]:
        """Give those of its name in other namespaces, else the nearest name in its own."""
        if wanted not in self._found:
            self._found[wanted] = self._by_name.get(wanted.name) or self._nearest(wanted)
        return self._found[wanted]

    def _nearest(self, wanted: Ref) -> tuple[Ref, ...]:
        beside = {ref.name: ref for ref in self._beside.get(wanted.namespace, ())}
        if len(beside) > _MOST:
            return ()
        close = difflib.get_close_matches(wanted.name, beside, n=1, cutoff=0.7)
        return tuple(beside[name] for name in close)
