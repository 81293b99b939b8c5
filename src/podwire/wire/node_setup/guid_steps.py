"""What becomes of the GUIDs that a unit sets: where it writes them, and whether a VF reads them."""

from collections.abc import Iterator

import msgspec

from podwire.model.evidence import Answer, Known
from podwire.peers.shell.records import Started
from podwire.wire.node_setup.items import MEANT_GUIDS, Item, What
from podwire.wire.node_setup.setups import Setup

_CHANGES = (What.COUNT, What.GUID, What.BIND)


class GuidSteps(msgspec.Struct, frozen=True):
    """The steps of a unit around its GUIDs."""

    nowhere: tuple[Item, ...]  # writes to files that exist in no kernel and no driver
    last: Item  # the last GUID
    is_bound_again: Answer[bool]
    early_settle: Item | None
    last_change: Item


def guid_steps(setup: Setup, *, is_bound_elsewhere: bool) -> GuidSteps | None:
    """Read the order of a unit's steps; None: it sets no GUID.

    Args:
        setup: the unit.
        is_bound_elsewhere: another unit of the node binds VFs.
    """
    items = setup.items
    guids = [index for index, item in enumerate(items) if item.what is What.GUID]
    if not guids:
        return None
    changes = [index for index, item in enumerate(items) if item.what in _CHANGES]
    settles = [index for index, item in enumerate(items) if item.what is What.SETTLE]
    is_early = bool(settles) and settles[-1] < changes[-1]
    return GuidSteps(
        nowhere=tuple(_nowhere(setup)),
        last=items[guids[-1]],
        is_bound_again=Known(value=True)
        if is_bound_elsewhere
        else _is_bound_again(setup, items[guids[-1] + 1 :]),
        early_settle=items[settles[-1]] if is_early else None,
        last_change=items[changes[-1]],
    )


def _nowhere(setup: Setup) -> Iterator[Item]:
    """Give GUIDs that go to a file below sriov/ which nobody makes, as far as sysfs tells."""
    functions = setup.files.functions
    seen = {
        name.rpartition("/")[2]
        for function in (functions.value if isinstance(functions, Known) else ())
        for name in function.attributes.values
        if name.startswith("sriov/")
    }
    for item in setup.of(What.GUID):
        is_file = not isinstance(item.done.act, Started)
        if is_file and item.attribute in MEANT_GUIDS - seen:
            yield item


def _is_bound_again(setup: Setup, rest: tuple[Item, ...]) -> Answer[bool]:
    """Look for a bind; VFs that are made anew get the GUIDs that the PF's driver kept.

    Source: linux v6.1 drivers/net/ethernet/mellanox/mlx5/core/sriov.c sriov_restore_guids.
    """
    remade = (item for item in rest if item.what is What.COUNT and item.value != "0")
    if any(item.what is What.BIND for item in rest) or next(remade, None) is not None:
        return Known(value=True)
    unseen: Item | None = next((item for item in rest if item.what is What.OTHER), None)
    if unseen is not None:
        return setup.unfollowed(unseen)
    return Known(value=False)


def no_other(setup: Setup) -> Answer[bool]:
    """Say that no program of the unit can have done what was not seen."""
    unseen = setup.of(What.OTHER)
    return setup.unfollowed(unseen[0]) if unseen else Known(value=True)
