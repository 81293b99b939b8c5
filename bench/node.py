"""`podwire node` on paper: how many writes a fresh machine takes, and how many in a row."""

import time

from podwire.facts.link_layer import INFINIBAND
from podwire.model.addresses import PciAddress
from podwire.model.guids import Guid
from podwire.plan.giving import Books
from podwire.plan.machine import Machine, Pf, Way
from podwire.plan.planning import plan
from podwire.plan.step import Plan
from podwire.plan.wish import wish_of
from podwire.spec.boards import BOARDS
from podwire.spec.wiring import FabricWish, PfWish

_VFS = 8
_BOARD = "dgx-h200"


def figures() -> dict[str, object]:
    """Plan 8 VFs for each of 8 PFs, beside what the kernel would need at least.

    The least per PF: autoprobe off, the count, one message with all GUIDs, autoprobe on, and a
    probe and an MTU for each VF.
    """
    before = time.perf_counter()
    made = _plan()
    spent = time.perf_counter() - before
    least = 4 + 2 * _VFS
    return {
        "pfs": len(made.pfs),
        "vfs": _VFS * len(made.pfs),
        "writes": made.writes,
        "writes_in_a_row": max(sum(s.is_write for s in pf.steps) for pf in made.pfs),
        "least_writes": least * len(made.pfs),
        "least_in_a_row": least,
        "plan_s": round(spent, 4),
    }


def _plan() -> Plan:
    pfs = tuple(
        Pf(
            address=PciAddress.parse(address),
            driver="mlx5_core",
            link_layer=INFINIBAND,
            netdev=f"ib{number}",
            rdma=f"mlx5_{number}",
            guid=Guid(number=0xA088C20300AB0000 + number),
            total=16,
            autoprobe="1",
            way=Way.NETLINK,
        )
        for number, address in enumerate(BOARDS[_BOARD])
    )
    machine = Machine(name="dgx-01", pfs=pfs)
    fabric = FabricWish(pfs=PfWish(board=_BOARD), vfs_per_pf=_VFS, link_policy="follow", mtu=4092)
    wish, _ = wish_of(fabric, machine)
    return plan(machine, wish, books=Books())
