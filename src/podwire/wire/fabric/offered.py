"""Under which resources device plugins offer a function: what nobody offers, no pod gets."""

from podwire.facts.node import Function
from podwire.model.addresses import PciAddress
from podwire.model.evidence import Answer, Known, Unknown, all_of, derived, first_known
from podwire.model.names import ResourceName
from podwire.wire.fabric.wishes import is_left_out
from podwire.wire.joined.plugins import Pool
from podwire.wire.picture import Picture


def resources_of(
    function: PciAddress, node: str, picture: Picture
) -> Answer[frozenset[ResourceName]]:
    """Give the resources of the pools that have a function; Unknown where no pool is in sight."""
    if not picture.pools:
        return Unknown(
            reason="no device plugin's configuration is in sight",
            give="the ConfigMap of the SR-IOV device plugin",
            fact="the pools of device plugins",
        )
    found = set()
    assumes: tuple[str, ...] = ()
    for pool in picture.pools:
        is_in = _has(pool, function, node, picture)
        if isinstance(is_in, Unknown):
            return is_in
        assumes += is_in.assumes
        if is_in.value and pool.resource is not None:
            found.add(pool.resource)
    return Known(value=frozenset(found), assumes=tuple(dict.fromkeys(assumes)))


def is_out_of_use(pf: Function, node: str, picture: Picture) -> bool:
    """Say whether no pod is to get a VF of a PF.

    No pool has any of its VFs; where no pool can be seen, or it has none, the spec decides.
    """
    unoffered = all_of(
        derived(resources_of(vf, node, picture), lambda found: not found) for _, vf in pf.virtfns
    )
    if pf.virtfns and isinstance(unoffered, Known):
        return unoffered.value
    return is_left_out(pf, node, picture)


def _has(pool: Pool, function: PciAddress, node: str, picture: Picture) -> Answer[bool]:
    filled = first_known(*(picture.fill(pool.plugin, node, as_started=s) for s in (True, False)))
    if isinstance(filled, Unknown):
        return filled
    mine = filled.value.pool(pool.entry) if filled.value else None
    if mine is None:
        return Known(value=False, assumes=filled.assumes)
    if function in mine.unsure and isinstance(mine.members, Unknown):
        return mine.members
    return Known(value=function in mine.taken, assumes=filled.assumes)
