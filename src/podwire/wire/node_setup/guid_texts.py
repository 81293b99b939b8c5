"""The GUIDs that a unit writes, as texts: are they ones, and whose are they?"""

import re
from collections import Counter
from collections.abc import Mapping

import msgspec

from podwire.model.evidence import Answer, Known, Unknown
from podwire.model.guids import Guid
from podwire.peers.shell.records import HOLE, Started
from podwire.wire.node_setup.items import OFED_GUIDS, Item, What
from podwire.wire.node_setup.setups import Setup

_FEW = 4  # of a whole cluster with one unit, as many are named as a reader needs
_OCTETS = re.compile(r"[0-9a-fA-F]{2}(:[0-9a-fA-F]{2}){7}")
# OFED's files read `%02x:%02x:...`, one digit will do: knneth/mlnx-ofa_kernel
# drivers/net/ethernet/mellanox/mlx5/core/sriov_sysfs.c port_store.
_SHORT_OCTETS = re.compile(r"[0-9a-fA-F]{1,2}(:[0-9a-fA-F]{1,2}){7}")
# What examples are made of: 00:11:22:33, 12:34:56:78, de:ad:be:ef, 01:02:03.
_OF_EXAMPLES = frozenset(
    {f"{digit}{digit}" for digit in "0123456789abcdef"}
    | {f"0{digit}" for digit in "0123456789"}
    | {"12", "34", "56", "78", "9a", "bc", "de", "f0", "ad", "be", "ef", "ca", "fe", "ba", "10"}
)


class GuidTexts(msgspec.Struct, frozen=True):
    """What is wrong with a unit's GUIDs. `sample` is one of them, the worst.

    `is_computed`: they are made in a loop and stand nowhere in the unit; of GUIDs that are
    written out one may believe that they were chosen for the machine. `is_bare`: what they
    have in common has nothing that looks chosen.
    """

    sample: Item
    port: Item | None
    malformed: bool
    is_unset: bool  # all zero or all ones, and no other later
    twice: str
    is_computed: bool
    is_bare: bool
    differ: bool
    all_known: Answer[bool]
    known: frozenset[str]


def guid_texts(setup: Setup) -> GuidTexts | None:
    """Read the GUIDs; None: none is set, or all are made when the unit runs."""
    items = setup.of(What.GUID)
    if not items:
        return None
    known = [item for item in items if HOLE not in item.value]
    malformed = [item for item in known if not _form(item).fullmatch(item.value)]
    twice = _twice(known)
    doubled = [item for item in known if item.value == twice]
    last = {(item.pf, item.vf, _is_port(item)): item for item in known}
    unset = [i for i in last.values() if (g := Guid.maybe(i.value)) and not g.is_set]
    sample = next(iter(malformed or doubled or unset or known), items[0])
    same_vf = [i for i in known if _is_port(i) and _vf_of(i) == _vf_of(sample) is not None]
    return GuidTexts(
        sample=sample,
        port=next((i for i in same_vf if i.value != sample.value), None),
        malformed=bool(malformed),
        is_unset=sample in unset,
        twice="" if malformed else twice,
        is_computed=any(item.value not in item.done.script for item in known),
        is_bare=_is_bare(known),
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


def only_here(setup: Setup) -> Unknown:
    """Say that the unit of one machine does not tell whether others have the same GUIDs."""
    return Unknown(
        reason=f"whether other machines have the same script as {setup.node} for {setup.name}: "
        "it makes GUIDs of a text and its loops' numbers",
        give="files of a second node in the bundle",
        fact="whether a script is the same on other machines",
    )


def _form(item: Item) -> re.Pattern[str]:
    is_file = not isinstance(item.done.act, Started)
    return _SHORT_OCTETS if is_file and item.attribute in OFED_GUIDS else _OCTETS


def _is_bare(known: list[Item]) -> bool:
    """Compare the octets that all GUIDs share, the first left out, with those of examples."""
    columns = zip(*(item.value.lower().split(":") for item in known), strict=False)
    shared = [set(column) for column in columns][1:]
    return all(column <= _OF_EXAMPLES for column in shared if len(column) == 1)


def _is_port(item: Item) -> bool:
    return item.attribute.startswith("port")


def _twice(known: list[Item]) -> str:
    """Give a well-formed GUID that two VFs get in the same role."""
    uses = {(item.pf, item.vf, _is_port(item), item.value.lower()) for item in known}
    counts = Counter((value, is_port) for _, _, is_port, value in uses)
    each = (v for (v, _), n in counts.items() if n > 1 and (g := Guid.maybe(v)) and g.is_set)
    return next(each, "")


def _differ(known: list[Item]) -> bool:
    nodes = {_vf_of(i): i.value for i in known if not _is_port(i)}
    ports = [(vf, i.value) for i in known if _is_port(i) and (vf := _vf_of(i)) is not None]
    return any(nodes.get(vf, value) != value for vf, value in ports)


def _vf_of(item: Item) -> tuple[tuple[str, str], str] | None:
    """Name the VF; None: only the machine knows which it is, two such may be two VFs."""
    return None if item.pf is None or HOLE in item.pf[1] + item.vf else (item.pf, item.vf)


def _all_known(setup: Setup, items: tuple[Item, ...]) -> Answer[bool]:
    if any(HOLE in item.value for item in items):
        return Unknown(
            reason=f"the GUIDs that {setup.name} sets on {setup.node} are made when it runs",
            give="node_guid of the VFs in sysfs",
            fact="GUIDs that a unit makes when it runs",
        )
    return Known(value=True)
