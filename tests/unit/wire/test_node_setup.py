"""Units and .link files of a node, joined: order, owners of names, files that hide others."""

import sys
from collections.abc import Mapping

import pytest
from tests.pictures import picture

from podwire.engine.run import run
from podwire.model.evidence import Known, Unknown
from podwire.peers.shell import tree
from podwire.rules import node
from podwire.wire.node_setup import scripts
from podwire.wire.node_setup.items import What
from podwire.wire.node_setup.kernel_log import refused_modules
from podwire.wire.node_setup.sight import NodeSetups, VfSetup
from podwire.wire.picture import Picture

NODE = "nodes/gpu-a"
UNIT = f"{NODE}/etc/systemd/system/vfs.service"
KUBELET = f"{NODE}/usr/lib/systemd/system/kubelet.service"
WRITES = "ExecStart=/bin/sh -c 'echo 4 > /sys/class/net/ib0/device/sriov_numvfs'"


def sight(made: Picture) -> NodeSetups:
    assert made.node_setups is not None
    return made.node_setups


def setup(unit: str, files: Mapping[str, str] | None = None) -> VfSetup:
    made = picture(files={UNIT: f"{unit}\n[Service]\nType=oneshot\n{WRITES}\n", **(files or {})})
    (found,) = sight(made).every
    return found


@pytest.mark.parametrize(
    ("unit", "kubelet", "is_ordered"),
    [
        ("[Unit]\nBefore=kubelet.service", "[Service]\nExecStart=/usr/bin/kubelet", True),
        ("[Unit]", "[Unit]\nAfter=vfs.service", True),
        ("[Unit]", "[Unit]\nAfter=network-online.target", False),
        ("[Unit]\nBefore=network-pre.target", "[Unit]\nAfter=network-online.target", True),
        ("[Unit]\nBefore=sysinit.target", "[Service]\nExecStart=/usr/bin/kubelet", True),
        ("[Unit]\nBefore=sysinit.target", "[Unit]\nDefaultDependencies=no", False),
    ],
)
def test_kubelet_waits_for_what_systemd_puts_before_it(
    unit: str, kubelet: str, *, is_ordered: bool
) -> None:
    answer = setup(unit, {KUBELET: f"{kubelet}\n"}).start().is_ordered
    assert isinstance(answer, Known)
    assert answer.value is is_ordered


def test_whether_an_unseen_kubelet_waits_for_a_target_is_unknown() -> None:
    start = setup("[Unit]\nBefore=network-online.target").start()
    assert isinstance(start.is_ordered, Unknown)


@pytest.mark.parametrize(
    "files",
    [
        {KUBELET: "[Unit]\nRequires=vfs.service\n"},
        {f"{NODE}/etc/systemd/system/kubelet.service.d/vfs.conf": "[Unit]\nBindsTo=vfs.service\n"},
        {f"{NODE}/etc/systemd/system/kubelet.service.requires/LISTING.txt": "vfs.service\n"},
        {KUBELET: "[Service]\nExecStartPre=/usr/bin/podwire node verify\nExecStart=/bin/k\n"},
    ],
)
def test_kubelet_is_held_back_by_whatever_requires_the_unit(files: Mapping[str, str]) -> None:
    held = setup("[Unit]", files).start().is_held
    assert held == Known(value=True)


def test_that_nothing_requires_the_unit_is_assumed_where_units_were_not_listed() -> None:
    held = setup("[Unit]").start().is_held
    assert isinstance(held, Known)
    assert held.assumes == (
        "no unit or drop-in of kubelet.service beyond those given names vfs.service",
    )
    listed = {f"{NODE}/etc/systemd/system/LISTING.txt": "vfs.service\n"}
    assert setup("[Unit]", listed).start().is_held == Known(value=False)


def test_another_kubelet_is_recognised() -> None:
    assert setup("[Unit]\nBefore=k3s-agent.service").start().kubelet == "k3s-agent.service"


def test_a_script_that_the_unit_starts_is_followed_with_its_arguments() -> None:
    script = '#!/bin/sh\n\necho "$1" > /sys/class/net/ib0/device/sriov_numvfs\n'
    made = picture(
        files={
            UNIT: "[Service]\nType=oneshot\nExecStart=/usr/local/sbin/sriov.sh 4\n",
            f"{NODE}/usr/local/sbin/sriov.sh": script,
        }
    )
    (found,) = sight(made).every
    (item,) = found.of(What.COUNT)
    assert (item.pf, item.value) == (("net", "ib0"), "4")
    assert str(item.done.place.path) == "(3,)"


def test_a_program_that_was_not_collected_leaves_the_unit_undecided() -> None:
    made = picture(files={UNIT: "[Service]\nExecStart=/opt/sriov/setup --all\n"})
    (found,) = sight(made).every
    assert isinstance(found.is_about_vfs, Unknown)
    assert found.is_about_vfs.give == "the script at its place below nodes/gpu-a/ in a bundle"


def test_a_program_that_is_no_shell_script_is_not_asked_for_again() -> None:
    files = {
        UNIT: "[Service]\nExecStart=/usr/bin/python3 /usr/local/sbin/sriov.py\n",
        f"{NODE}/usr/local/sbin/sriov.py": "open('/sys/x/sriov_numvfs', 'w')\n",
    }
    (found,) = sight(picture(files=files)).every
    answer = found.is_about_vfs
    assert isinstance(answer, Unknown)
    assert answer.reason.endswith("it is no shell script")
    assert answer.give == ""


def test_a_unit_that_is_about_something_else_is_none_of_ours() -> None:
    files = {UNIT: "[Service]\nExecStart=/usr/bin/backup\n"}
    assert sight(picture(files=files)).every == ()


def test_an_empty_file_masks_a_packaged_one() -> None:
    folder = f"{NODE}/%s/systemd/network/99-default.link"
    files = {folder % "usr/lib": "[Match]\nOriginalName=*\n[Link]\nNamePolicy=keep\n"}
    assert len(sight(picture(files=files)).links) == 1
    assert sight(picture(files={**files, folder % "etc": ""})).links == ()


def test_a_name_that_etc_lists_and_nobody_read_hides_a_packaged_file() -> None:
    folder = f"{NODE}/%s/systemd/network"
    packaged = {f"{folder % 'usr/lib'}/60-vf.link": "[Match]\nDriver=mlx5*\n[Link]\nName=x\n"}
    assert len(sight(picture(files=packaged)).links) == 1
    masked = {**packaged, f"{folder % 'etc'}/LISTING.txt": "60-vf.link\n"}
    assert sight(picture(files=masked)).links == ()


def test_a_shell_that_env_starts_is_followed() -> None:
    script = "echo 4 > /sys/class/net/a/device/sriov_numvfs"
    unit = f"[Service]\nExecStart=/usr/bin/env bash -c '{script}'\n"
    (found,) = sight(picture(files={UNIT: unit})).every
    assert [(i.what, i.pf, i.value) for i in found.items] == [(What.COUNT, ("net", "a"), "4")]


@pytest.mark.parametrize(
    ("after", "does_wait"),
    [
        ("openibd.service", True),
        ("first.service", True),
        ("sys-subsystem-net-devices-ib0.device", True),
        ("network-online.target", True),
        ("network-pre.target", False),
        ("loop.service", False),
    ],
)
def test_a_unit_waits_for_the_cards_also_through_another(after: str, *, does_wait: bool) -> None:
    folder = f"{NODE}/etc/systemd/system"
    others = {
        f"{folder}/first.service": "[Unit]\nAfter=openibd.service\n",
        f"{folder}/loop.service": "[Unit]\nAfter=vfs.service\n",
    }
    assert setup(f"[Unit]\nAfter={after}", others).start().waits_for_driver is does_wait


def test_a_program_of_the_operator_is_none_of_ours() -> None:
    program = "/var/lib/sriov/sriov-network-config-daemon service --phase pre"
    files = {UNIT: f"[Service]\nExecStart={program}\n"}
    assert sight(picture(files=files)).every == ()


def test_a_gate_in_kubelets_own_unit_makes_no_vfs() -> None:
    files = {KUBELET: "[Service]\nExecStartPre=/usr/local/sbin/wait-for-sriov\n"}
    assert sight(picture(files=files)).every == ()


def test_steps_keep_their_order_over_several_commands() -> None:
    made = setup("[Unit]", {})
    assert [item.what for item in made.items] == [What.COUNT]
    more = (
        f"{WRITES}\nExecStartPost=/usr/bin/udevadm settle\nExecStartPre=/sbin/modprobe mlx5_core\n"
    )
    files = {UNIT: f"[Service]\nType=oneshot\n{more}"}
    (found,) = sight(picture(files=files)).every
    assert [item.what for item in found.items] == [What.COUNT, What.SETTLE]
    assert found.start().waits_for_driver


def test_ip_link_sets_guids_and_state_in_one_line() -> None:
    line = "ip link set dev ib0 vf 3 node_guid 02:00:00:00:00:00:00:03 state auto"
    unit = f"[Service]\nExecStart=/bin/sh -c '{line}'\n"
    (found,) = sight(picture(files={UNIT: unit})).every
    assert [(i.what, i.pf, i.vf, i.value) for i in found.items] == [
        (What.GUID, ("net", "ib0"), "3", "02:00:00:00:00:00:00:03"),
        (What.POLICY, ("net", "ib0"), "3", "auto"),
    ]


def test_a_module_is_told_once_by_the_first_symbol_that_it_lacks() -> None:
    log = (
        "[1.0] mlx5_core: Unknown symbol strlcpy (err -2)\n"
        "[1.1] mlx5_core: Unknown symbol xdp_do_flush_map (err -2)\n"
    )
    facts = picture(files={f"{NODE}/dmesg.txt": log}).facts
    (found,) = refused_modules(facts.node_files.values())
    assert (found.module, found.symbol, found.place.path) == ("mlx5_core", "strlcpy", (1,))


def test_without_the_grammar_rules_about_scripts_are_undecided_and_say_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "tree_sitter", None)
    for cached in (tree._parser, tree._tree, scripts._acts_of):
        cached.cache_clear()
    report = run(node.RULES, picture=picture(files={UNIT: f"[Service]\n{WRITES}\n"}))
    assert report.failed == ()
    assert report.findings == ()
    assert {gap.give for gap in report.undecided} == {"pip install tree-sitter tree-sitter-bash"}
