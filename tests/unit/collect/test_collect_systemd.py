"""What podwire reads of systemd on a machine itself."""

from tests.fakes.hostfs import Content, FakeHostFs, Link

from podwire.collect.collecting import collect
from podwire.collect.given import Input
from podwire.facts.node import NodeFiles

ROOT: dict[str, Content] = {
    "etc/hostname": "gpu-a\n",
    "etc/systemd/network/70-vf.link": "[Match]\n",
    "etc/systemd/network/70-vf.link.d/10-more.conf": "[Link]\n",
    "run/systemd/network/10-netplan-lan.link": "[Match]\n",
    "usr/lib/systemd/network/99-default.link": "[Match]\n",
    "etc/systemd/system/sriov.service": "[Service]\nExecStart=/opt/fabric/make-vfs.sh 8\n",
    "etc/systemd/system/backup.service": "[Service]\nExecStart=/opt/backup/run.sh\n",
    "etc/systemd/system/masked.service": Link("/dev/null"),
    "etc/systemd/system/kubelet.service.d/10-kubeadm.conf": "[Unit]\n",
    "etc/systemd/system/kubelet.service.requires/sriov.service": "",
    "lib/systemd/system/kubelet.service": "[Unit]\n",
    "opt/fabric/make-vfs.sh": "#!/bin/sh\n",
    "opt/backup/run.sh": "#!/bin/sh\n",
    "etc/netplan/50-cloud-init.yaml": "wifis: {a: {access-points: {b: {password: secret}}}}\n",
    "etc/NetworkManager/system-connections/rail0.nmconnection": "psk=secret\n",
}


def machine() -> NodeFiles:
    inputs = (Input(typed="/", files=FakeHostFs(ROOT), is_node_root=True),)
    return collect(inputs).node_files["gpu-a"]


def test_link_files_are_read_in_all_folders_with_their_drop_ins() -> None:
    assert {name for name in machine().files if "systemd/network" in name} == {
        "etc/systemd/network/70-vf.link",
        "etc/systemd/network/70-vf.link.d/10-more.conf",
        "run/systemd/network/10-netplan-lan.link",
        "usr/lib/systemd/network/99-default.link",
    }


def test_kubelets_unit_is_read_with_its_drop_ins_and_who_requires_it_listed() -> None:
    files = machine()
    assert "usr/lib/systemd/system/kubelet.service" in files.files
    assert "etc/systemd/system/kubelet.service.d/10-kubeadm.conf" in files.files
    assert files.listings["etc/systemd/system/kubelet.service.requires"] == ("sriov.service",)


def test_a_script_is_read_where_a_unit_about_vfs_starts_it_and_no_other() -> None:
    files = machine().files
    assert "opt/fabric/make-vfs.sh" in files
    assert "opt/backup/run.sh" not in files


def test_files_that_may_hold_passwords_are_listed_and_not_read() -> None:
    files = machine()
    assert files.listings["etc/netplan"] == ("50-cloud-init.yaml",)
    assert files.listings["etc/NetworkManager/system-connections"] == ("rail0.nmconnection",)
    assert not [text for text in files.files.values() if "secret" in text.text]
