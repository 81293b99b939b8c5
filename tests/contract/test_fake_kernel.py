"""The fake kernel gives the answers that a real one gave for igb cards (tests/lab/test_vfs.py).

What it says of InfiniBand cards has no counterpart here: it follows the kernel's source.
"""

import pytest
from tests.fakes.cards import ZERO, FakePf
from tests.fakes.kernel import FakeKernel
from tests.fakes.kernel_files import PCI

from podwire.model.evidence import Unknown
from podwire.model.guids import Guid
from podwire.ports.writing import WriteFault

IGB, MLX = "0000:41:00.0", "0000:18:00.0"
GUID = Guid(number=0xE2A088C200ABCD00)


@pytest.fixture
def kernel() -> FakeKernel:
    return FakeKernel(
        FakePf(IGB, is_ib=False, driver="igb", netdev="ens1", total=7), FakePf(MLX, total=32)
    )


def code_of(kernel: FakeKernel, attribute: str, value: object) -> str:
    try:
        kernel.write(attribute, str(value), limit_s=1)
    except WriteFault as fault:
        return fault.code
    return ""


def count(kernel: FakeKernel, value: int, *, pf: str = IGB) -> str:
    return code_of(kernel, f"{PCI}/{pf}/sriov_numvfs", value)


def test_a_second_count_is_busy_the_same_count_and_none_are_taken(kernel: FakeKernel) -> None:
    assert [count(kernel, value) for value in (4, 4, 5, 0, 5)] == ["", "", "EBUSY", "", ""]


def test_more_vfs_than_there_are_is_out_of_range(kernel: FakeKernel) -> None:
    assert count(kernel, 8) == "ERANGE"


def test_a_count_binds_every_vf_unless_autoprobe_is_off(kernel: FakeKernel) -> None:
    count(kernel, 2)
    assert kernel.exists(f"{PCI}/{IGB}/virtfn1/driver")
    count(kernel, 0)
    code_of(kernel, f"{PCI}/{IGB}/sriov_drivers_autoprobe", 0)
    count(kernel, 2)
    assert not kernel.exists(f"{PCI}/{IGB}/virtfn1/driver")


def test_without_autoprobe_a_probe_finds_no_device(kernel: FakeKernel) -> None:
    code_of(kernel, f"{PCI}/{IGB}/sriov_drivers_autoprobe", 0)
    count(kernel, 1)
    assert code_of(kernel, "sys/bus/pci/drivers_probe", "0000:41:00.1") == "ENODEV"
    code_of(kernel, f"{PCI}/{IGB}/sriov_drivers_autoprobe", 1)
    assert code_of(kernel, "sys/bus/pci/drivers_probe", "0000:41:00.1") == ""


def test_an_ethernet_card_takes_no_guid(kernel: FakeKernel) -> None:
    count(kernel, 1)
    with pytest.raises(WriteFault, match="EOPNOTSUPP"):
        kernel.set_vf("ens1", vf=0, guid=GUID, policy=None, limit_s=1)


def test_a_vf_in_another_namespace_shows_an_empty_folder(kernel: FakeKernel) -> None:
    count(kernel, 1)
    kernel.move_away(IGB, 0)
    assert kernel.is_dir(f"{PCI}/{IGB}/virtfn0/net")
    assert kernel.entries(f"{PCI}/{IGB}/virtfn0/net") == ()


def test_a_guid_is_not_the_running_vfs_before_it_is_bound_anew(kernel: FakeKernel) -> None:
    count(kernel, 1, pf=MLX)
    kernel.set_vf("ibp24s0", vf=0, guid=GUID, policy="follow", limit_s=1)
    (vf,) = kernel.pfs[MLX].vfs
    assert vf.live == ZERO
    code_of(kernel, f"{PCI}/{MLX}/virtfn0/driver/unbind", vf.address)
    code_of(kernel, "sys/bus/pci/drivers_probe", vf.address)
    assert vf.live == GUID


def test_a_bind_gives_the_next_names(kernel: FakeKernel) -> None:
    count(kernel, 1, pf=MLX)
    (vf,) = kernel.pfs[MLX].vfs
    before = (vf.netdev, vf.rdma)
    code_of(kernel, f"{PCI}/{MLX}/virtfn0/driver/unbind", vf.address)
    code_of(kernel, "sys/bus/pci/drivers_probe", vf.address)
    assert before == ("ib1", "mlx5_1")
    assert (vf.netdev, vf.rdma) == ("ib2", "mlx5_2")


def test_sixteen_vfs_are_too_many_for_one_answer(kernel: FakeKernel) -> None:
    count(kernel, 15, pf=MLX)
    assert not isinstance(kernel.policies("ibp24s0"), Unknown)
    count(kernel, 0, pf=MLX)
    count(kernel, 16, pf=MLX)
    assert isinstance(kernel.policies("ibp24s0"), Unknown)


def test_what_was_given_is_given_again_while_the_pfs_driver_lives(kernel: FakeKernel) -> None:
    count(kernel, 1, pf=MLX)
    kernel.set_vf("ibp24s0", vf=0, guid=GUID, policy="follow", limit_s=1)
    count(kernel, 0, pf=MLX)
    count(kernel, 1, pf=MLX)
    assert kernel.pfs[MLX].vfs[0].live == GUID
    kernel.reboot()
    count(kernel, 1, pf=MLX)
    assert kernel.pfs[MLX].vfs[0].live == ZERO
