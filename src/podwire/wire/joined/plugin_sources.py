"""Where pools come from: for each program that makes some, what finds its plugins in sight."""

from collections.abc import Iterator, Sequence
from typing import Protocol

from podwire.facts.inventory import Inventory
from podwire.wire.joined.images import Sighting, Versions
from podwire.wire.joined.plugins import Plugin
from podwire.wire.joined.sriov_plugins import sriov_plugins


class Source(Protocol):
    """Finds the plugins of one program."""

    def __call__(
        self, facts: Inventory, *, seen: tuple[Sighting, ...], versions: Versions
    ) -> tuple[Plugin, ...]:
        """Give them; `seen` are the containers of all known programs."""


SOURCES: Sequence[Source] = (sriov_plugins,)


def plugins_in(
    facts: Inventory, *, seen: tuple[Sighting, ...], versions: Versions
) -> Iterator[Plugin]:
    """Ask every source."""
    for source in SOURCES:
        yield from source(facts, seen=seen, versions=versions)
