"""The names that something makes, and which of them was meant by one that nothing makes."""

import difflib
import re
from collections.abc import Iterable, Sequence

from podwire.model.names import ResourceName
from podwire.wire.joined.by_key import by_key

_NEAR = 0.7  # of difflib's measure: one slip in a short name
_DIGITS = re.compile(r"\d+")
_MOST = 100  # names that one is compared with; among more of them nobody can tell either


class MadeNames:
    """Resources by whatever is alike in their names; each answer is worked out once."""

    def __init__(self, made: Iterable[ResourceName]) -> None:
        names = sorted(made)
        self._by_name = by_key((_plain(name.name), name) for name in names)
        self._beside = by_key((name.prefix, name) for name in names)
        self._by_numbers = by_key(((name.prefix, _numbers(name)), name) for name in names)
        self._meant: dict[ResourceName, ResourceName | None] = {}

    def named(self, name: str) -> tuple[ResourceName, ...]:
        """Give those that have a name, in whatever spelling, under any prefix."""
        return self._by_name.get(_plain(name), ())

    def beside(self, resource: ResourceName) -> tuple[ResourceName, ...]:
        """Give those of the same domain, sorted."""
        return self._beside.get(resource.prefix, ())

    def meant(self, resource: ResourceName) -> ResourceName | None:
        """Say which was meant by another name.

        The domain is what people guess; a slip of the name counts within one domain only. Two
        numbers are two names, never a slip; where two names are as near nobody can tell.
        """
        if resource not in self._meant:
            self._meant[resource] = self._nearest(resource)
        return self._meant[resource]

    def _nearest(self, resource: ResourceName) -> ResourceName | None:
        same = [other for other in self.named(resource.name) if other != resource]
        if same:
            return only([other for other in same if other.prefix == resource.prefix] or same)
        beside = self._comparable(resource)
        if len(beside) > _MOST:
            return None
        likeness = {other: _likeness(other.name, resource.name) for other in beside}
        best = max(likeness.values(), default=0.0)
        return only([o for o in beside if likeness[o] == best]) if best >= _NEAR else None

    def _comparable(self, resource: ResourceName) -> Sequence[ResourceName]:
        """Pick those of its domain that do not differ in their numbers."""
        numbers = _numbers(resource)
        if not numbers:
            return self.beside(resource)
        keys = ((resource.prefix, numbers), (resource.prefix, ()))
        return [other for key in keys for other in self._by_numbers.get(key, ())]


def only(found: Sequence[ResourceName]) -> ResourceName | None:
    """Give the one there is; of several nobody can tell."""
    return found[0] if len(found) == 1 else None


def _plain(name: str) -> str:
    return name.casefold().replace("-", "_").replace(".", "_")


def _numbers(resource: ResourceName) -> tuple[str, ...]:
    return tuple(_DIGITS.findall(resource.name))


def _likeness(one: str, other: str) -> float:
    return difflib.SequenceMatcher(None, _plain(one), _plain(other)).ratio()
