"""The GUIDs that a unit writes, as texts: are they ones, and whose are they?"""

import re
from collections import Counter
from collections.abc import Mapping

import msgspec

from podwire.model.evidence import Answer, Known, Unknown
from podwire.model.guids import Guid
from podwire.peers.shell.records import HOLE
from podwire.wire.node_setup.items import Item, What
from podwire.wire.node_setup.setups import Setup

_FEW = 4  # of a whole cluster with one unit, as many are named as a reader needs
_OCTETS = re.compile(r"[0-9a-fA-F]{2}(:[0-9a-fA-F]{2}){7}")


class GuidTexts(msgspec.Struct, frozen=True):
    """What is wrong with a unit's GUIDs. `sample` is one of them, the worst.

    `is_computed`: they are made in a loop and stand nowhere in the unit; of GUIDs that are
    written out one may believe that they were chosen for the machine.
    """

    sample: Item
    port: Item | None
    malformed: bool
    twice: str
    is_computed: bool
    differ: bool
    all_known: Answer[bool]
    known: frozenset[str]


def guid_texts(setup: Setup) -> GuidTexts | None:
    """Read the GUIDs; None: none is set, or all are made when the unit runs."""
    items = setup.of(What.GUID)
    if not items:
        return None
    known = [item for item in items if HOLE not in item.value]
    malformed = [item for item in known if not _OCTETS.fullmatch(item.value)]
    twice = _twice(known)
    doubled = [item for item in known if item.value == twice]
    sample = next(iter(malformed or doubled or known), items[0])
    same_vf = [i for i in known if _is_port(i) and (i.pf, i.vf) == (sample.pf, sample.vf)]
    return GuidTexts(
        sample=sample,
        port=next((i for i in same_vf if i.value != sample.value), None),
        malformed=bool(malformed),
        twice="" if malformed else twice,
        is_computed=any(item.value not in item.done.script for item in known),
        differ=_differ(known),
        all_known=_all_known(setup, items),
        known=frozenset(item.value.lower() for item in known),
    )


def shared_with(
    setup: Setup, texts: GuidTexts, by_guid: Mapping[str, tuple[Setup, ...]]
) -> tuple[Setup, ...]:
    """Give units of other nodes that set one of the same GUIDs."""
    found = {
        other.node: other
        for guid in texts.known
        for other in by_guid.get(guid, ())[:_FEW]
        if other.node != setup.node
    }
    return tuple(found.values())


def _is_port(item: Item) -> bool:
    return item.attribute.startswith("port")


def _twice(known: list[Item]) -> str:
    """Give a well-formed GUID that two VFs get in the same role."""
    uses = {(item.pf, item.vf, _is_port(item), item.value.lower()) for item in known}
    counts = Counter((value, is_port) for _, _, is_port, value in uses)
    each = (v for (v, _), n in counts.items() if n > 1 and (g := Guid.maybe(v)) and g.is_set)
    return next(each, "")


def _differ(known: list[Item]) -> bool:
    nodes = {(i.pf, i.vf): i.value for i in known if not _is_port(i)}
    return any(nodes.get((i.pf, i.vf), i.value) != i.value for i in known if _is_port(i))


def _all_known(setup: Setup, items: tuple[Item, ...]) -> Answer[bool]:
    if any(HOLE in item.value for item in items):
        return Unknown(
            reason=f"the GUIDs that {setup.name} sets on {setup.node} are made when it runs",
            give="node_guid of the VFs in sysfs",
            fact="GUIDs that a unit makes when it runs",
        )
    return Known(value=True)
