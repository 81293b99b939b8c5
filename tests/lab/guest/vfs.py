"""What the kernel does with VFs of a real SR-IOV card."""

from typing import Any

from tests.lab.guest import card
from tests.lab.guest.card import PFS, function, write
from tests.lab.guest.shell import attempt, run, wait_for


def created() -> dict[str, Any]:
    """Make all VFs of both cards, then write other counts."""
    first, second = (function(pf) / "sriov_numvfs" for pf in PFS)
    for pf in PFS:
        card.make(7, pf)
    return {
        "vfs": {pf: [_seen(vf) for vf in card.vfs(pf)] for pf in PFS},
        "the same count again": write(first, "7"),
        "another count": write(first, "3"),
        "none": write(second, "0"),
        "more than there are": write(second, "8"),
        "a word": write(second, "many"),
        "left": {pf: len(card.vfs(pf)) for pf in PFS},
    }


def _seen(vf: str) -> dict[str, str]:
    folder = function(vf)
    return {
        "address": vf,
        "physfn": (folder / "physfn").resolve().name,
        "numa": (folder / "numa_node").read_text().strip(),
        "driver": card.driver(vf),
        "netdev": card.netdev(vf),
    }


def bound_late() -> dict[str, Any]:
    """Make VFs that no driver takes, and bind them by hand."""
    pf = function(PFS[0])
    write(pf / "sriov_drivers_autoprobe", "0")
    write(pf / "sriov_numvfs", "3")
    card.settle()
    plain, overridden, late = card.vfs()
    seen: dict[str, Any] = {"drivers at first": [card.driver(vf) for vf in card.vfs()]}
    bind = card.BUS / "drivers/igbvf/bind"
    seen["bind"] = write(bind, plain)
    seen["probe"] = write(card.BUS / "drivers_probe", plain)
    seen["driver after probe"] = card.driver(plain)
    write(function(overridden) / "driver_override", "igbvf")
    seen["probe with override"] = write(card.BUS / "drivers_probe", overridden)
    seen["driver after override"] = card.driver(overridden)
    write(pf / "sriov_drivers_autoprobe", "1")
    seen["bind with autoprobe"] = write(bind, late)
    seen["driver after autoprobe"] = card.driver(late)
    return seen


def guids_refused() -> dict[str, str]:
    """Ask an Ethernet card for GUIDs, over netlink as iproute2 does."""
    card.make(1)
    netdev = card.netdev(PFS[0])
    asked = ("ip", "link", "set", "dev", netdev, "vf", "0")
    guid = "02:00:00:00:00:00:00:01"
    return {
        "node_guid": attempt(*asked, "node_guid", guid)[1],
        "port_guid": attempt(*asked, "port_guid", guid)[1],
        "state": attempt(*asked, "state", "auto")[1],
        "sysfs": write(function(PFS[0]) / "sriov/0/node", guid),
    }


def removed_under_a_pod() -> dict[str, Any]:
    """Delete the VFs while one sits in a namespace."""
    card.make(2)
    vf = card.vfs()[0]
    netdev = card.netdev(vf)
    run("ip", "netns", "add", "pod")
    run("ip", "link", "set", netdev, "netns", "pod")
    seen: dict[str, Any] = {"net of the host": card.names()}
    seen["refused"] = write(function(PFS[0]) / "sriov_numvfs", "0")
    listed = ("ip", "-n", "pod", "-br", "link")
    wait_for("its end in the pod", lambda: netdev not in run(*listed))
    return seen


def pulled_through_sysfs() -> dict[str, Any]:
    """Remove a PF from the bus with its VFs, and rescan."""
    card.make(3)
    before = card.names()
    write(function(PFS[0]) / "remove", "1")
    gone = function(PFS[0]).exists()
    write(card.BUS / "rescan", "1")
    card.settle()
    return {
        "before": before,
        "there without it": gone,
        "netdev": card.netdev(PFS[0]),
        "count": (function(PFS[0]) / "sriov_numvfs").read_text().strip(),
    }


def one_card() -> dict[str, Any]:
    """Tell what is left of the first card."""
    there = function(PFS[0]).exists()
    count = (function(PFS[0]) / "sriov_numvfs").read_text().strip() if there else ""
    return {"there": there, "netdev": card.netdev(PFS[0]), "count": count}


def all_vfs() -> dict[str, list[dict[str, str]]]:
    """Give driver, name and MTU of every VF by its PF."""
    return {pf: [_short(vf) for vf in card.vfs(pf)] for pf in PFS}


def _short(vf: str) -> dict[str, str]:
    name = card.netdev(vf)
    mtu = (function(vf) / "net" / name / "mtu").read_text().strip() if name else ""
    return {"driver": card.driver(vf), "netdev": name, "mtu": mtu}
