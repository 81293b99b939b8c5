"""The PFs that a unit speaks of: which get VFs, which get GUIDs."""

import re
from collections.abc import Iterable, Mapping

import msgspec

from podwire.facts.node import Function, NodeFiles
from podwire.model.evidence import Answer, Known, Unknown
from podwire.peers.shell.records import HOLE
from podwire.wire.node_setup.items import Item, What
from podwire.wire.node_setup.nics import is_infiniband
from podwire.wire.node_setup.setups import Setup

_NUMBERED = re.compile(rf"mlx[45]_(\d+|{HOLE})")


class PfSets(msgspec.Struct, frozen=True, gc=False):
    """Names of PFs by what is done to them, in one way of naming."""

    made: frozenset[str]
    given: frozenset[str]
    makes: Item
    gives: Item


def pf_sets(setup: Setup) -> Answer[PfSets | None]:
    """Compare the PFs that get VFs with those whose VFs get GUIDs; None: nothing differs."""
    makes = [i for i in setup.of(What.COUNT) if i.value != "0" and not is_ethernet(i, setup)]
    gives = list(setup.of(What.GUID))
    if not makes or not gives:
        return Known(value=None)
    if {item.pf for item in makes} == {item.pf for item in gives}:
        return Known(value=None)  # Written alike; holes too, as one loop's variable is.
    named = [_named(makes), _named(gives)]
    if named[0] is None or named[1] is None:
        return _unknown(setup)
    kinds = [{kind for kind, _ in names} for names in (named[0], named[1])]
    if kinds[0] == kinds[1] and len(kinds[0]) == 1:
        made, given = ({name for _, name in names} for names in (named[0], named[1]))
    else:
        resolved = [_addresses(names, setup.files) for names in (named[0], named[1])]
        if resolved[0] is None or resolved[1] is None:
            return _unknown(setup)
        made, given = resolved[0], resolved[1]
    sets = PfSets(made=frozenset(made), given=frozenset(given), makes=makes[0], gives=gives[0])
    return Known(value=sets)


def is_ethernet(item: Item, setup: Setup) -> bool:
    """Say whether a PF is certainly Ethernet: as sysfs has it, or by the prefix of its name.

    Source of the prefixes: systemd v252.39 man/systemd.net-naming-scheme.xml (en, ib).
    """
    function = function_of(item.pf, setup.files)
    if function is not None:
        return is_infiniband(function) is False
    return item.pf is not None and item.pf[0] == "net" and item.pf[1].startswith(("en", "eth"))


def function_of(pf: tuple[str, str] | None, files: NodeFiles) -> Function | None:
    """Give the function that a script names in one way or another."""
    if pf is None or isinstance(files.functions, Unknown):
        return None
    kind, name = pf
    for function in files.functions.value:
        names = {
            "pci": (str(function.address),),
            "net": tuple(net.name for net in function.netdevs),
            "infiniband": tuple(rdma.name for rdma in function.rdma),
        }
        if name in names.get(kind, ()):
            return function
    return None


def has_active_vf(files: NodeFiles) -> bool:
    """Say whether a VF's port was seen Active."""
    functions = () if isinstance(files.functions, Unknown) else files.functions.value
    return any(
        name.endswith("/state") and "ACTIVE" in value
        for function in functions
        if function.is_vf
        for device in function.rdma
        for name, value in device.attributes.values.items()
    )


def numbered(setup: Setup) -> Mapping[str, Item]:
    """Give the PFs that are named by number, `mlx5_0`, each with the first act on it.

    One whose number is decided when the unit runs is `mlx5_N`. An act that happens on every
    machine comes before one under a condition.
    """
    found: dict[str, Item] = {}
    for item in sorted(setup.items, key=lambda item: not item.is_certain):
        if item.pf is not None and _NUMBERED.fullmatch(item.pf[1]):
            found.setdefault(item.pf[1].replace(HOLE, "N"), item)
    return found


def vf_count(setup: Setup) -> Answer[int]:
    """Say how many VFs a unit makes."""
    counts = {i.pf: i.value for i in setup.counts if i.value != "0"}
    if not all(value.isdigit() for value in counts.values()):
        return Unknown(
            reason=f"how many VFs {setup.name} makes on {setup.node} is decided when it runs",
            fact="the number of VFs that a unit makes",
        )
    return Known(value=sum(map(int, counts.values())))


def _named(items: Iterable[Item]) -> set[tuple[str, str]] | None:
    found = {item.pf for item in items}
    names = {pf for pf in found if pf is not None and HOLE not in pf[1]}
    return names if len(names) == len(found) else None


def _addresses(names: set[tuple[str, str]], files: NodeFiles) -> set[str] | None:
    if isinstance(files.functions, Unknown):
        return None
    by_name = {("pci", str(f.address)): str(f.address) for f in files.functions.value}
    for function in files.functions.value:
        by_name |= {("net", net.name): str(function.address) for net in function.netdevs}
        by_name |= {("infiniband", rdma.name): str(function.address) for rdma in function.rdma}
    found = {by_name.get(name) for name in names}
    return None if None in found else {address for address in found if address}


def _unknown(setup: Setup) -> Unknown:
    return Unknown(
        reason=f"which PFs {setup.name} goes over on {setup.node} is decided when it runs",
        fact="the PFs that a unit's loops go over",
    )
