"""The kernel's side: what writes to a PF's attributes do, on a real card."""

import pytest

from tests.lab.lab import Guest

pytestmark = pytest.mark.lab

FIRST, SECOND = "0000:41:00.0", "0000:81:00.0"


def test_a_count_makes_vfs_on_the_pfs_own_numa_node_and_a_second_count_is_refused(
    guest: Guest,
) -> None:
    seen = guest.call("vfs.created")
    addresses = [f"0000:41:{0x10 + n // 4:x}.{n % 4 * 2}" for n in range(7)]
    assert [vf["address"] for vf in seen["vfs"][FIRST]] == addresses
    for pf, node in ((FIRST, "0"), (SECOND, "1")):
        assert {(vf["physfn"], vf["numa"], vf["driver"]) for vf in seen["vfs"][pf]} == {
            (pf, node, "igbvf")
        }
    assert [vf["netdev"] for vf in seen["vfs"][SECOND]] == [f"ens2v{n}" for n in range(7)]
    assert seen["the same count again"] == ""
    assert seen["another count"] == "EBUSY"
    assert seen["none"] == ""
    assert seen["more than there are"] == "ERANGE"
    assert seen["a word"] == "EINVAL"
    assert seen["left"] == {FIRST: 7, SECOND: 0}


def test_without_autoprobe_no_driver_takes_a_vf_and_a_bind_finds_no_device(guest: Guest) -> None:
    seen = guest.call("vfs.bound_late")
    assert seen["drivers at first"] == ["", "", ""]
    assert seen["bind"] == "ENODEV"
    assert seen["driver after probe"] == ""
    assert seen["driver after override"] == "igbvf"
    assert seen["bind with autoprobe"] == ""
    assert seen["driver after autoprobe"] == "igbvf"


def test_an_ethernet_card_takes_no_guid(guest: Guest) -> None:
    seen = guest.call("vfs.guids_refused")
    assert seen["node_guid"] == "RTNETLINK answers: Operation not supported\n"
    assert seen["port_guid"] == "RTNETLINK answers: Operation not supported\n"
    assert seen["sysfs"] == "ENOENT"


def test_deleting_vfs_takes_one_out_of_a_running_pod(guest: Guest) -> None:
    seen = guest.call("vfs.removed_under_a_pod")
    assert seen["net of the host"] == {"0000:41:10.2": "ens1v1"}
    assert seen["refused"] == ""


def test_a_pf_that_was_removed_from_the_bus_comes_back_without_vfs(guest: Guest) -> None:
    seen = guest.call("vfs.pulled_through_sysfs")
    assert len(seen["before"]) == 3
    assert not seen["there without it"]
    assert (seen["netdev"], seen["count"]) == ("ens1", "0")


def test_a_card_that_was_pulled_and_plugged_comes_back_without_vfs(guest: Guest) -> None:
    guest.run("echo 2 >/sys/bus/pci/devices/0000:41:00.0/sriov_numvfs; udevadm settle")
    guest.unplug(0)
    assert guest.call("vfs.one_card") == {"there": False, "netdev": "", "count": ""}
    guest.plug(0)
    guest.run("until [ -e /sys/class/net/ens1 ]; do udevadm settle; sleep 0.2; done", patience=60)
    assert guest.call("vfs.one_card") == {"there": True, "netdev": "ens1", "count": "0"}
