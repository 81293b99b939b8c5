"""The article's unit and podwire's, each before a stand-in for kubelet."""

import pytest

from tests.lab.lab import Guest

pytestmark = pytest.mark.lab

_SPEC = "/etc/podwire/wiring.yaml"
_WIRING = """\
apiVersion: podwire.io/v1alpha1
kind: Wiring
metadata: {name: lab}
nodes:
- names: [lab]
  fabric:
    pfs: {linkLayer: Ethernet, pciAddresses: ["0000:41:00.0", "0000:81:00.0"]}
    vfsPerPf: 2
"""
_GOOD = {
    "LoadState": "loaded",
    "ActiveState": "active",
    "Result": "success",
    "ExecMainStatus": "0",
}


def test_systemd_refuses_the_articles_unit_and_kubelet_starts_without_vfs(guest: Guest) -> None:
    seen = guest.call("units.of_the_article")
    assert seen["unit"]["LoadState"] == "bad-setting"
    assert "has a bad unit file setting" in seen["start"]
    assert any("Failed to resolve unit specifiers" in line for line in seen["journal"])
    assert seen["kubelet"] == _GOOD
    assert seen["kubelet saw"] == ["0", "0"]


def test_with_percent_signs_doubled_it_writes_to_a_device_without_a_number(guest: Guest) -> None:
    seen = guest.call("units.of_the_article", percent="%%")
    path = "/sys/class/infiniband/mlx5_/device/sriov_numvfs"
    assert any(f"{path}: No such file or directory" in line for line in seen["journal"])
    assert seen["kubelet"] == _GOOD
    assert seen["kubelet saw"] == ["0", "0"]


def test_its_loop_mended_reports_success_over_a_count_that_the_kernel_refused(
    guest: Guest,
) -> None:
    first, second = guest.call("units.of_the_article_mended")
    assert first["unit"] == second["unit"] == _GOOD
    assert sum("write error: Device or resource busy" in line for line in second["journal"]) == 1
    assert second["names"] == first["names"]
    assert [len(names) for names in first["names"].values()] == [2, 2]


def test_podwires_unit_makes_vfs_before_kubelet_and_holds_it_back_when_it_cannot(
    guest: Guest,
) -> None:
    _install(guest)
    guest.reboot()
    seen = guest.call("units.booted")
    assert seen["podwire"] == _GOOD, seen["journal"]
    assert seen["kubelet"] == _GOOD
    assert seen["kubelet saw"] == ["2", "2"]
    assert seen["order"] == ["podwire-node.service", "kubelet.service"]
    assert "ens1 (0000:41:00.0): done, 5 writes" in seen["journal"]  # udev had named the cards
    assert list(seen["names"].values()) == [
        ["enp65s0v0", "enp65s0v1"],
        ["enp129s0v0", "enp129s0v1"],
    ]
    too_many = _WIRING.replace("vfsPerPf: 2", "vfsPerPf: 9")
    after = guest.call("units.kubelet_after_failure", spec=_SPEC, text=too_many)
    assert after["podwire"]["ActiveState"] == "failed"
    assert after["podwire"]["ExecMainStatus"] == "1"
    assert "A dependency job for kubelet.service failed" in after["start"]
    assert after["kubelet"]["ActiveState"] == "inactive"
    assert after["kubelet saw"] == []


def test_a_card_that_was_pulled_gets_its_vfs_again_when_it_is_back(guest: Guest) -> None:
    _install(guest)
    guest.run(f"podwire node apply --spec {_SPEC}")
    guest.unplug(0)
    guest.plug(0)
    seen = guest.call("units.back", pf="0000:41:00.0", count=2)
    assert seen["names"] == ["enp65s0v0", "enp65s0v1"]
    assert seen["unit"]["ExecMainStatus"] == "0", seen["journal"]


def _install(guest: Guest) -> None:
    guest.run("mkdir -p /etc/podwire")
    guest.write(_SPEC, _WIRING.encode())
    guest.call("units.install", spec=_SPEC)
