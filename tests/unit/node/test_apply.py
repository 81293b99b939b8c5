"""Making VFs on a fake kernel: the order, what stands in the way, and what is left alone."""

from tests.fakes.cards import FakePf
from tests.fakes.kernel import FakeKernel
from tests.fakes.node import PF, PF_B, applied, ask_of, fabric, senses_of, two_cards

from podwire.model.guids import Guid
from podwire.node.apply import decide
from podwire.plan.guids import derived
from podwire.plan.step import Plan

FABRIC = fabric(PF, PF_B, count=3, link_policy="follow", mtu=4092)


def plan_of(kernel: FakeKernel, **more: object) -> Plan:
    ask = ask_of(kernel, fabric(PF, **more))  # type: ignore[arg-type]  # of fabric
    return decide(ask, senses_of(kernel), processes=kernel)[0]


def kernel_writes(kernel: FakeKernel) -> list[str]:
    return [d for d in kernel.done if "podwire" not in d]


def test_a_fresh_machine_gets_its_vfs_without_a_second_bind() -> None:
    kernel = two_cards()
    outcome = applied(kernel, FABRIC)
    assert outcome.is_done
    first = [d.replace("sys/bus/pci/devices/0000:18:00.0/", "") for d in kernel_writes(kernel)[:11]]
    assert first == [
        "0 > sriov_drivers_autoprobe",
        "3 > sriov_numvfs",
        "link ibp24s0 vf 0 e2:a0:88:c2:00:ab:cd:00 follow",
        "link ibp24s0 vf 1 e2:a0:88:c2:01:ab:cd:00 follow",
        "link ibp24s0 vf 2 e2:a0:88:c2:02:ab:cd:00 follow",
        "1 > sriov_drivers_autoprobe",
        "0000:18:00.1 > sys/bus/pci/drivers_probe",
        "0000:18:00.2 > sys/bus/pci/drivers_probe",
        "0000:18:00.3 > sys/bus/pci/drivers_probe",
        "4092 > virtfn0/net/ib1/mtu",
        "4092 > virtfn1/net/ib2/mtu",
    ]


def test_every_vf_runs_with_its_own_guid_and_is_up() -> None:
    kernel = two_cards()
    applied(kernel, FABRIC)
    for pf in kernel.pfs.values():
        assert [vf.live for vf in pf.vfs] == [derived(pf.guid, vf=n) for n in range(3)]
        assert {(vf.policy, vf.mtu, vf.driver) for vf in pf.vfs} == {("follow", 4092, "mlx5_core")}
        assert pf.autoprobe == "1"


def test_a_converged_machine_gives_an_empty_plan_and_no_write() -> None:
    kernel = two_cards()
    applied(kernel, FABRIC)
    before = list(kernel.done)
    again = applied(kernel, FABRIC)
    assert again.plan.is_converged
    assert again.plan.writes == 0
    assert kernel.done == before


def test_pfs_in_parallel_end_like_pfs_one_by_one() -> None:
    kernel = two_cards()
    assert applied(kernel, FABRIC, is_parallel=True).is_done
    assert [len(pf.vfs) for pf in kernel.pfs.values()] == [3, 3]


def test_a_switched_off_autoprobe_is_switched_off_again() -> None:
    kernel = FakeKernel(FakePf(PF, autoprobe="0"))
    assert applied(kernel, fabric(PF)).is_done
    assert kernel.pfs[PF].autoprobe == "0"
    assert all(vf.driver for vf in kernel.pfs[PF].vfs)


def test_another_count_goes_through_zero() -> None:
    kernel = FakeKernel(FakePf(PF))
    kernel.bound(PF, 4)
    assert applied(kernel, fabric(PF, count=8)).is_done
    counts = [d.split()[0] for d in kernel.done if d.endswith("sriov_numvfs")]
    assert counts == ["0", "8"]


def test_a_bound_vf_with_a_wrong_guid_is_bound_anew_under_ib_srivos_lock() -> None:
    kernel = FakeKernel(FakePf(PF))
    kernel.bound(PF, 2, guids={0: derived(Guid(number=0xA088C20300ABCD00), vf=0)})
    assert applied(kernel, fabric(PF)).is_done
    assert kernel.locked == ["run/podwire/node.lock", "var/run/cni/ib-sriov/cni.lock"]
    assert [d for d in kernel.done if d.endswith("unbind")] == [
        "0000:18:00.2 > sys/bus/pci/devices/0000:18:00.0/virtfn1/driver/unbind"
    ]


def test_a_fresh_machine_never_takes_ib_srivos_lock() -> None:
    kernel = FakeKernel(FakePf(PF))
    applied(kernel, fabric(PF))
    assert kernel.locked == ["run/podwire/node.lock"]


def test_a_kernel_without_autoprobe_is_served_by_rebinding() -> None:
    kernel = FakeKernel(FakePf(PF, autoprobe=None))
    assert applied(kernel, fabric(PF)).is_done
    assert all(vf.live.is_set for vf in kernel.pfs[PF].vfs)


def test_ofeds_files_are_the_second_way() -> None:
    kernel = FakeKernel(FakePf(PF, has_ipoib=False, has_ofed=True))
    assert applied(kernel, fabric(PF, link_policy="follow")).is_done
    assert "Follow > sys/bus/pci/devices/0000:18:00.0/sriov/0/policy" in kernel.done
    assert not any(d.startswith("link") for d in kernel.done)


def test_sixteen_vfs_converge_although_nobody_can_read_their_policies() -> None:
    kernel = FakeKernel(FakePf(PF))
    wish = fabric(PF, count=16, link_policy="follow")
    assert applied(kernel, wish).is_done
    again = applied(kernel, wish)
    assert again.plan.is_converged
    assert "EMSGSIZE" in again.plan.pfs[0].notes[0]


def test_an_ethernet_pf_gets_vfs_without_guids_and_that_is_said() -> None:
    kernel = FakeKernel(FakePf(PF, driver="igb", is_ib=False, netdev="ens1", total=7))
    outcome = applied(kernel, fabric(PF, count=7, link_policy="follow"))
    assert outcome.is_done
    assert "its VFs have no GUIDs" in outcome.plan.pfs[0].notes[0]
    assert not any(d.startswith("link") for d in kernel.done)
    assert "var/lib/podwire/guids.json" not in kernel.own


def test_more_vfs_than_the_firmware_allows_are_refused_with_both_numbers() -> None:
    kernel = FakeKernel(FakePf(PF, total=8))
    (pf,) = applied(kernel, fabric(PF, count=9)).plan.pfs
    assert pf.refusals[0].startswith("9 VFs are wanted and its firmware allows 8")
    assert not pf.steps


def test_a_firmware_without_sriov_is_said() -> None:
    kernel = FakeKernel(FakePf(PF, total=0))
    (pf,) = plan_of(kernel).pfs
    assert "SRIOV_EN=1 NUM_OF_VFS=2" in pf.refusals[0]


def test_a_pf_that_is_not_there_stops_everything() -> None:
    kernel = FakeKernel(FakePf(PF))
    outcome = applied(kernel, fabric(PF, "0000:dc:00.0"))
    assert [r.text for r in outcome.plan.gate] == ["PF 0000:dc:00.0 of the spec is not there"]
    assert not kernel.done


def test_a_driver_that_the_kernel_refused_is_named_with_its_symbol() -> None:
    kernel = FakeKernel(FakePf(PF, driver=None))
    kernel.log = ("mlx5_core: Unknown symbol strlcpy (err -2)",)
    (repair,) = plan_of(kernel).gate
    assert repair.text == "the kernel 6.12.0 refused mlx5_core: Unknown symbol strlcpy"


def test_a_driver_that_was_built_for_another_kernel_is_named_with_both() -> None:
    dep = {"lib/modules/6.5.0/modules.dep": "kernel/drivers/net/mlx5_core.ko.zst:\n"}
    kernel = FakeKernel(FakePf(PF, driver=None), files={"proc/modules": "", **dep})
    (repair,) = plan_of(kernel).gate
    assert repair.text == "mlx5_core is built for 6.5.0, and kernel 6.12.0 runs"


def test_a_driver_that_is_not_loaded_has_its_modprobe() -> None:
    kernel = FakeKernel(FakePf(PF, driver=None), files={"proc/modules": ""})
    (repair,) = plan_of(kernel).gate
    assert (repair.text, repair.fix) == ("mlx5_core is not loaded", "modprobe mlx5_core")


def test_a_pf_without_net_device_and_ofed_has_no_way_for_guids() -> None:
    kernel = FakeKernel(FakePf(PF, netdev=None))
    (repair,) = plan_of(kernel).gate
    assert repair.fix == "modprobe ib_ipoib"


def test_a_failed_message_takes_the_creation_back() -> None:
    kernel = two_cards()
    kernel.refuse = lambda said: "EINVAL" if said.startswith("link ibp24s0 vf 1") else None
    outcome = applied(kernel, FABRIC)
    first, second = outcome.pfs
    assert "EINVAL" in first.failed
    assert not second.failed
    assert (kernel.pfs[PF].count, kernel.pfs[PF].autoprobe) == (0, "1")
    assert kernel.pfs[PF_B].count == 3
    assert not outcome.is_done


def test_a_count_that_was_there_comes_back_after_a_failure() -> None:
    kernel = FakeKernel(FakePf(PF))
    kernel.bound(PF, 4)
    kernel.refuse = lambda said: "EIO" if said.startswith("link") else None
    outcome = applied(kernel, fabric(PF, count=8))
    assert outcome.pfs[0].failed
    assert (kernel.pfs[PF].count, kernel.pfs[PF].autoprobe) == (4, "1")
    assert all(vf.driver for vf in kernel.pfs[PF].vfs)


def test_vfs_that_are_finished_stand_when_an_mtu_is_refused() -> None:
    kernel = FakeKernel(FakePf(PF, link_mtu=2048))
    outcome = applied(kernel, fabric(PF, mtu=4092))
    assert "4092 of 4096" in outcome.pfs[0].failed
    assert (kernel.pfs[PF].count, kernel.pfs[PF].autoprobe) == (2, "1")


def test_an_mtu_that_no_infiniband_link_carries_is_refused_before_anything_is_written() -> None:
    kernel = FakeKernel(FakePf(PF))
    (planned,) = applied(kernel, fabric(PF, mtu=9000)).plan.pfs
    assert "takes at most 4092" in planned.refusals[0]
    assert kernel.pfs[PF].count == 0


def test_a_write_that_hangs_leaves_the_journal_to_the_next_run() -> None:
    kernel = FakeKernel(FakePf(PF))
    kernel.refuse = lambda said: "no answer" if "drivers_probe" in said else None
    outcome = applied(kernel, fabric(PF))
    assert "the driver hangs" in outcome.pfs[0].failed
    assert "var/lib/podwire/journal/0000:18:00.0.json" in kernel.own
    kernel.refuse = lambda _: None
    assert applied(kernel, fabric(PF)).is_done
    assert "var/lib/podwire/journal/0000:18:00.0.json" not in kernel.own


def test_devices_that_come_late_are_waited_for() -> None:
    kernel = FakeKernel(FakePf(PF))
    kernel.names_after = 5.0
    assert applied(kernel, fabric(PF, mtu=4092)).is_done
    assert kernel.time >= 5.0


def test_devices_that_never_come_are_named_after_the_time_limit() -> None:
    kernel = FakeKernel(FakePf(PF))
    kernel.names_after = 1e9
    outcome = applied(kernel, fabric(PF))
    assert "virtfn0/net/*" in outcome.pfs[0].failed


def test_the_plan_is_shown_before_the_first_write() -> None:
    kernel = FakeKernel(FakePf(PF))
    shown: list[Plan] = []
    kernel.refuse = lambda _: None if shown else "too early"
    assert applied(kernel, fabric(PF), shown=shown).is_done
    assert shown[0].writes == 7


def test_a_vfs_own_driver_is_waited_for_until_udev_has_loaded_it() -> None:
    kernel = FakeKernel(FakePf(PF, driver="igb", is_ib=False, netdev="ens1", total=7))
    kernel.has_vf_module = False
    assert applied(kernel, fabric(PF)).is_done


def test_a_vf_that_no_driver_takes_is_a_failure_although_the_write_was_taken() -> None:
    kernel = FakeKernel(FakePf(PF, driver="igb", is_ib=False, netdev="ens1", total=7))
    kernel.has_vf_module = kernel.loads_vf_module = False
    outcome = applied(kernel, fabric(PF))
    assert "not bound" in outcome.pfs[0].failed
    assert (kernel.pfs[PF].count, kernel.pfs[PF].autoprobe) == (0, "1")


def test_a_port_that_stays_down_although_its_policy_is_right_is_no_gap() -> None:
    kernel = FakeKernel(FakePf(PF))
    applied(kernel, fabric(PF))
    kernel.is_subnet_served = False
    kernel.wait(0)
    assert applied(kernel, fabric(PF)).plan.writes == 0


def test_a_policy_that_is_down_is_mended_without_a_bind() -> None:
    kernel = FakeKernel(FakePf(PF))
    applied(kernel, fabric(PF))
    kernel.pfs[PF].vfs[1].policy = "down"
    kernel.wait(0)
    before = len(kernel.done)
    assert applied(kernel, fabric(PF)).is_done
    assert [d for d in kernel.done[before:] if "podwire" not in d] == ["link ibp24s0 vf 1 - follow"]


def test_a_port_that_is_down_is_no_gap_where_nobody_can_read_its_policy() -> None:
    """With EMSGSIZE the policy is written again, and whether that was needed nobody knows."""
    kernel = FakeKernel(FakePf(PF))
    wish = fabric(PF, count=16)
    applied(kernel, wish)
    kernel.is_subnet_served = False
    kernel.wait(0)
    again = applied(kernel, wish)
    assert again.is_done
    assert again.plan.is_converged
    assert again.plan.writes == 16


def test_a_wish_for_up_is_not_met_by_follow() -> None:
    kernel = FakeKernel(FakePf(PF))
    applied(kernel, fabric(PF))
    assert applied(kernel, fabric(PF, link_policy="up")).is_done
    assert {vf.policy for vf in kernel.pfs[PF].vfs} == {"up"}


def test_an_ipoib_module_that_the_kernel_refused_is_named() -> None:
    kernel = FakeKernel(FakePf(PF, has_ipoib=False))
    kernel.log = ("ib_ipoib: version magic '6.5.0 SMP' should be '6.12.0 SMP'",)
    (repair,) = plan_of(kernel).gate
    assert "refused ib_ipoib: version magic '6.5.0 SMP'" in repair.text


def test_a_pf_whose_net_device_was_moved_away_is_said_to_be_so() -> None:
    kernel = FakeKernel(FakePf(PF, is_moved=True))
    (repair,) = plan_of(kernel).gate
    assert repair.text == f"the net device of PF {PF} is in another network namespace"


def test_without_a_wished_count_the_vfs_that_are_there_get_their_guids() -> None:
    kernel = FakeKernel(FakePf(PF))
    kernel.bound(PF, 3)
    assert applied(kernel, fabric(PF, count=None)).is_done
    assert (kernel.pfs[PF].count, all(vf.live.is_set for vf in kernel.pfs[PF].vfs)) == (3, True)


def test_no_vfs_are_made_none_with_one_write() -> None:
    kernel = FakeKernel(FakePf(PF))
    kernel.bound(PF, 3)
    assert applied(kernel, fabric(PF, count=0)).is_done
    assert kernel_writes(kernel) == [f"0 > sys/bus/pci/devices/{PF}/sriov_numvfs"]


def test_another_mtu_alone_touches_neither_bind_nor_guid() -> None:
    kernel = FakeKernel(FakePf(PF))
    applied(kernel, fabric(PF, mtu=2044))
    before = len(kernel.done)
    assert applied(kernel, fabric(PF, mtu=4092)).is_done
    writes = [d for d in kernel.done[before:] if "podwire" not in d]
    assert [d.split()[0] for d in writes] == ["4092", "4092"]


def test_the_mtu_of_a_vf_in_a_pod_is_left_alone() -> None:
    kernel = FakeKernel(FakePf(PF))
    applied(kernel, fabric(PF, mtu=2044))
    kernel.move_away(PF, 0)
    assert [s.vf for s in plan_of(kernel, mtu=4092).pfs[0].steps] == [1]


def test_a_vf_that_somebody_gave_to_vfio_is_left_alone() -> None:
    kernel = FakeKernel(FakePf(PF))
    applied(kernel, fabric(PF, mtu=4092))
    kernel.pfs[PF].vfs[0].driver = "vfio-pci"
    kernel.wait(0)
    assert plan_of(kernel, mtu=4092).is_converged
