"""VFs that somebody holds, PFs that another program owns: refused, with the name."""

import json

import pytest
from tests.fakes.cards import FakePf
from tests.fakes.kernel import FakeKernel
from tests.fakes.node import PF, PF_B, applied, ask_of, fabric, senses_of, two_cards

from podwire.model.guids import Guid
from podwire.node.apply import decide
from podwire.ports.machine import Holding
from podwire.ports.writing import LockHeld

UID = "6f3c1d2e-0000-4000-8000-123456789abc"


def with_four() -> FakeKernel:
    kernel = two_cards()
    kernel.bound(PF, 4)
    return kernel


def checkpoint(*vfs: str) -> str:
    entry = {
        "PodUID": UID,
        "ContainerName": "main",
        "ResourceName": "example.com/ib",
        "DeviceIDs": {"0": list(vfs)},
    }
    return json.dumps({"Data": {"PodDeviceEntries": [entry], "RegisteredDevices": {}}})


def refusals(kernel: FakeKernel) -> tuple[str, ...]:
    outcome = applied(kernel, fabric(PF, PF_B, count=8))
    assert kernel.pfs[PF].count == 4
    assert kernel.pfs[PF_B].count == 8
    assert not outcome.is_done
    assert outcome.left is not None
    assert outcome.left.pfs[0].refusals == outcome.plan.pfs[0].refusals
    return outcome.plan.pfs[0].refusals


def test_a_vf_in_a_namespace_is_not_destroyed_and_the_process_is_named() -> None:
    kernel = with_four()
    kernel.move_away(PF, 1)
    kernel.held = (Holding(what="0000:18:00.2", pid=4711, command="train", netns="4026532511"),)
    assert refusals(kernel) == (
        "VF 1 (0000:18:00.2) is held by network namespace 4026532511 (process 4711 train)",
    )


def test_a_vf_in_a_namespace_without_process_is_held_as_well() -> None:
    kernel = with_four()
    kernel.move_away(PF, 3)
    assert refusals(kernel) == (
        "VF 3 (0000:18:00.4) is held by a network namespace (no process of it was found)",
    )


def test_an_open_uverbs_file_holds_its_vf() -> None:
    kernel = with_four()
    kernel.own["sys/class/infiniband_verbs/uverbs5/ibdev"] = kernel.pfs[PF].vfs[0].rdma
    kernel.held = (Holding(what="infiniband/uverbs5", pid=9, command="python"),)
    assert refusals(kernel) == (
        "VF 0 (0000:18:00.1) is held by process 9 python, which has /dev/infiniband/uverbs5 open",
    )


def test_a_pod_of_kubelets_checkpoint_holds_its_vf_while_it_has_a_process() -> None:
    kernel = with_four()
    kernel.own["var/lib/kubelet/device-plugins/kubelet_internal_checkpoint"] = checkpoint(
        "0000:18:00.2"
    )
    kernel.running = frozenset({UID})
    assert refusals(kernel) == (
        f"VF 1 (0000:18:00.2) is held by pod {UID} as example.com/ib (kubelet's checkpoint)",
    )


def test_a_pod_that_ended_holds_nothing_although_kubelet_still_lists_it() -> None:
    kernel = with_four()
    kernel.own["var/lib/kubelet/device-plugins/kubelet_internal_checkpoint"] = checkpoint(
        "0000:18:00.2"
    )
    assert applied(kernel, fabric(PF, count=8)).is_done


def test_who_cannot_see_every_process_says_that_a_vf_may_be_held() -> None:
    kernel = with_four()
    kernel.sees_all = False
    ask = ask_of(kernel, fabric(PF, count=8))
    planned, _ = decide(ask, senses_of(kernel), processes=kernel)
    assert "other users' processes were not looked into" in planned.pfs[0].notes[0]


def test_a_copied_root_says_that_it_shows_no_holders() -> None:
    kernel = with_four()
    ask = ask_of(kernel, fabric(PF, count=8))
    planned, _ = decide(ask, senses_of(kernel), processes=None)
    assert planned.pfs[0].notes == ("a copied root does not show who holds a VF",)


def test_force_goes_on_and_says_whom_it_costs_a_vf() -> None:
    kernel = with_four()
    kernel.move_away(PF, 3)
    outcome = applied(kernel, fabric(PF, count=8), is_forced=True)
    assert kernel.pfs[PF].count == 8
    assert outcome.is_done
    assert any("forced, although VF 3" in note for note in outcome.plan.pfs[0].notes)


def test_a_held_vf_does_not_stop_what_leaves_it_alone() -> None:
    kernel = two_cards()
    applied(kernel, fabric(PF))
    kernel.move_away(PF, 0)
    assert applied(kernel, fabric(PF)).plan.is_converged


def test_a_pod_keeps_the_guid_that_its_network_gave_it() -> None:
    """ib-sriov sets a GUID for the pod (ib-kubernetes' pool), and the old one afterwards."""
    kernel = two_cards()
    applied(kernel, fabric(PF))
    kernel.pfs[PF].vfs[0].live = Guid.parse("02:00:00:00:00:00:00:07")
    kernel.move_away(PF, 0)
    again = applied(kernel, fabric(PF))
    assert again.is_done
    assert again.plan.writes == 0
    assert "VF 0 (0000:18:00.1) is in another network namespace" in again.plan.pfs[0].notes[0]


def test_force_takes_a_vf_out_of_a_pod_for_its_guid() -> None:
    kernel = two_cards()
    applied(kernel, fabric(PF))
    kernel.pfs[PF].vfs[0].live = Guid.parse("02:00:00:00:00:00:00:07")
    kernel.move_away(PF, 0)
    assert applied(kernel, fabric(PF), is_forced=True).is_done
    assert kernel.pfs[PF].vfs[0].live.octets.startswith("e2:")


def test_a_checkpoint_that_cannot_be_read_is_no_proof_that_nobody_holds_a_vf() -> None:
    kernel = with_four()
    kernel.own["var/lib/kubelet/device-plugins/kubelet_internal_checkpoint"] = "{"
    planned = applied(kernel, fabric(PF, count=8)).plan.pfs[0]
    assert any("kubelet_internal_checkpoint cannot be read" in note for note in planned.notes)


OWNERS = {
    "etc/sriov-operator/pci/0000:18:00.0": "{}",
    "etc/netplan/10.yaml": "network: {ethernets: {ibp24s0: {virtual-function-count: 4}}}",
    "etc/NetworkManager/system-connections/a.nmconnection": (
        "[connection]\ninterface-name=ibp24s0\n[sriov]\ntotal-vfs=4\n"
    ),
    "etc/systemd/network/10-pf.link": (
        "[Match]\nPath=pci-0000:18:00.0\n[Link]\nSR-IOVVirtualFunctions=4\n"
    ),
}


@pytest.mark.parametrize("path", OWNERS)
def test_another_program_that_makes_the_vfs_is_named_with_its_file(path: str) -> None:
    kernel = FakeKernel(FakePf(PF), files={path: OWNERS[path]})
    outcome = applied(kernel, fabric(PF))
    assert f"(/{path})" in outcome.plan.pfs[0].refusals[0]
    assert not kernel.pfs[PF].vfs


@pytest.mark.parametrize("path", [p for p in OWNERS if "operator" not in p])
def test_another_program_with_another_interface_is_no_owner(path: str) -> None:
    text = OWNERS[path].replace("ibp24s0", "eno1").replace("0000:18:00.0", "0000:01:00.0")
    kernel = FakeKernel(FakePf(PF), files={path: text})
    assert applied(kernel, fabric(PF)).is_done


def test_several_lines_of_path_are_one_list() -> None:
    text = OWNERS["etc/systemd/network/10-pf.link"].replace(
        "[Link]", "Path=pci-0000:01:00.0\n[Link]"
    )
    kernel = FakeKernel(FakePf(PF), files={"etc/systemd/network/10-pf.link": text})
    assert "SR-IOVVirtualFunctions=" in applied(kernel, fabric(PF)).plan.pfs[0].refusals[0]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("etc/netplan/10.yaml", "network: {ethernets: {a: {link: [x], set-name: {y: z}}}}"),
        ("etc/netplan/10.yaml", "network: [a: b\n  : -"),
        ("etc/systemd/network/10-pf.link", "[Match]\nPath\n[Link]\nSR-IOVVirtualFunctions=4\n"),
        ("etc/NetworkManager/system-connections/a", "total-vfs=4\n[sriov\n\x00"),
    ],
)
def test_a_file_of_another_program_that_says_nothing_sensible_owns_nothing(
    path: str, text: str
) -> None:
    assert applied(FakeKernel(FakePf(PF), files={path: text}), fabric(PF)).is_done


def test_a_second_run_is_turned_away_with_the_first_ones_name() -> None:
    kernel = FakeKernel(FakePf(PF))
    kernel.busy_locks["run/podwire/node.lock"] = "podwire node apply (process 7)"
    with pytest.raises(LockHeld, match=r"process 7"):
        applied(kernel, fabric(PF))
    assert not kernel.done
