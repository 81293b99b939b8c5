"""Names of VFs under several .link files, as udev gives them to VFs that are really made."""

import pytest

from podwire.artefacts.link_file import by_path, literal
from podwire.model.addresses import PciAddress
from tests.lab.lab import Guest

pytestmark = pytest.mark.lab

_VFS = ("0000:41:10.0", "0000:41:10.2", "0000:41:10.4")
_MATCH = "[Match]\nDriver=igbvf\n\n[Link]\n"
_SEVENTY = (
    "[Match]\nDriver=igbvf\nProperty=DEVTYPE=vf\n\n[Link]\nName=mlx-{attr/phys_port_name}\n"
    "AlternativeName=k8s-vf-{attr/dev_port}\nMACAddressPolicy=persistent\n"
)
_SEVENTY_ONE = (
    "[Match]\nPath=pci-0000:*:*.*\nDriver=igbvf\nProperty=ID_NET_NAME_SLOT=*v*\n\n"
    "[Link]\nNamePolicy=keep\nName=sriov-{phys_port_name}\n"
)
_PODWIRES = {"60-podwire-vfs.link": by_path(PciAddress.parse(vf) for vf in _VFS).text}
_WIRING = """\
apiVersion: podwire.io/v1alpha1
kind: Wiring
metadata: {name: lab}
nodes:
- names: [lab]
  fabric:
    pfs: {linkLayer: Ethernet, pciAddresses: ["0000:41:00.0"]}
    vfsPerPf: 2
"""
_LITERAL = {
    file.path.rpartition("/")[2]: file.text
    for file in literal({PciAddress.parse(vf): f"rail0v{n}" for n, vf in enumerate(_VFS)})
}


def test_systemds_own_file_loses_the_names_of_vfs_that_dead_pods_held(guest: Guest) -> None:
    seen = guest.call("naming.lives", files={})
    assert _listed(seen["new"]) == ["ens1v0", "ens1v1", "ens1v2"]
    assert sorted(_listed(seen["after"])[:2]) != ["ens1v0", "ens1v1"]
    assert "net1" in _listed(seen["after"])
    assert _listed(seen["after"])[2] == "ens1v2"


def test_podwires_file_without_keep_restores_them(guest: Guest) -> None:
    seen = guest.call("naming.lives", files=_PODWIRES)
    assert _listed(seen["new"]) == ["enp65s0v0", "enp65s0v1", "enp65s0v2"]
    assert seen["after"] == seen["new"]


def test_a_policy_with_keep_does_not(guest: Guest) -> None:
    seen = guest.call("naming.lives", files={"60-vf.link": f"{_MATCH}NamePolicy=keep path\n"})
    assert _listed(seen["new"]) == ["enp65s0v0", "enp65s0v1", "enp65s0v2"]
    assert "net1" in _listed(seen["after"])


def test_podwires_file_per_vf_restores_its_literal_name(guest: Guest) -> None:
    seen = guest.call("naming.lives", files=_LITERAL)
    assert _listed(seen["new"]) == ["rail0v0", "rail0v1", "rail0v2"]
    assert seen["after"] == seen["new"]


def test_one_literal_name_for_several_vfs_goes_to_one_of_them(guest: Guest) -> None:
    seen = guest.call("naming.lives", files={"60-vf.link": f"{_MATCH}Name=rail0\n"})
    assert _listed(seen["new"]).count("rail0") == 1
    assert any("Failed to rename" in line for line in seen["said"])


def test_the_articles_first_file_matches_no_vf(guest: Guest) -> None:
    seen = guest.call("naming.lives", files={"70-dgx-sriov-vf.link": _SEVENTY})
    assert _listed(seen["new"]) == ["ens1v0", "ens1v1", "ens1v2"]
    assert "net1" in _listed(seen["after"])
    where = "/etc/systemd/network/70-dgx-sriov-vf.link"
    refused = "Interface name is not valid or too long, ignoring assignment:"
    assert seen["said"] == [
        f"{where}:6: {refused} mlx-{{attr/phys_port_name}}",
        f"{where}:7: {refused} k8s-vf-{{attr/dev_port}}",
    ]


@pytest.mark.parametrize(
    "files",
    [
        {"70-dgx-sriov-vf.link": _SEVENTY.replace("Property=DEVTYPE=vf\n", "")},
        {"71-dgx-pci-vf.link": _SEVENTY_ONE},
    ],
    ids=["its first without the property", "its second"],
)
def test_an_articles_file_that_matches_leaves_vfs_in_the_order_of_probing(
    guest: Guest, files: dict[str, str]
) -> None:
    seen = guest.call("naming.lives", files=files)
    assert _listed(seen["new"]) == ["eth0", "eth1", "eth2"]


@pytest.mark.parametrize(
    ("files", "name"),
    [({}, "ens1v0"), ({"60-vf.link": f"{_MATCH}NamePolicy=path\n"}, "enp65s0v0")],
    ids=["systemd's own", "path"],
)
def test_names_stay_over_deletion_another_order_and_a_rebind(
    guest: Guest, files: dict[str, str], name: str
) -> None:
    seen = guest.call("naming.stays", files=files)
    names: dict[str, set[str]] = {}
    for round_ in seen:
        for vf, given in round_.items():
            names.setdefault(vf, set()).add(given)
    assert names["0000:41:10.0"] == {name}
    assert all(len(given) == 1 for given in names.values())


def test_heal_names_gives_the_names_of_dead_pods_back_where_podwires_file_is(guest: Guest) -> None:
    guest.call("naming.lives", files={}, count=2)
    lost = _shown(guest)
    assert sum(name == "net1" or name.startswith("dev") for name in lost) == 2
    kept = guest.run("podwire node heal-names")
    assert kept.status == 1
    assert kept.text.count("is still") == 2
    assert _shown(guest) == lost
    guest.write("/lab/wiring.yaml", _WIRING.encode())
    assert guest.run("podwire node install --no-enable --spec /lab/wiring.yaml").status == 0
    healed = guest.run("podwire node heal-names")
    assert healed.status == 0, healed.text
    assert _shown(guest) == ["enp65s0v0", "enp65s0v1"]
    assert f"VF 0000:41:10.0: {lost[0]} is enp65s0v0 again\n" in healed.text
    assert guest.run("podwire node heal-names").text == "no VF has a name that a pod left\n"


def _shown(guest: Guest) -> list[str]:
    return [vf["netdev"] for vf in guest.call("vfs.all_vfs")["0000:41:00.0"]]


def _listed(names: dict[str, str]) -> list[str]:
    return [names[vf] for vf in _VFS]
