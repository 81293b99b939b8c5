"""Names that killed pods leave on VFs."""

from tests.fakes.cards import FakePf
from tests.fakes.kernel import FakeKernel
from tests.fakes.node import PF, applied, fabric, senses_of

from podwire.node.names import heal, left_names
from podwire.node.observe import observe


def _machine_with(*names: str) -> FakeKernel:
    kernel = FakeKernel(FakePf(PF))
    applied(kernel, fabric(PF, count=2))
    for vf, name in zip(kernel.pfs[PF].vfs, names, strict=True):
        vf.netdev = name
    kernel.wait(0)
    return kernel


def test_a_vf_with_a_pods_name_is_found() -> None:
    kernel = _machine_with("net1", "ibp24s0v1")
    machine = observe(senses_of(kernel), name="a").machine
    assert [(str(one.vf), one.name) for one in left_names(machine, kernel)] == [
        ("0000:18:00.1", "net1")
    ]


def test_udev_is_asked_to_name_it_again_and_the_answer_is_read_back() -> None:
    kernel = _machine_with("dev67", "ibp24s0v1")
    left = left_names(observe(senses_of(kernel), name="a").machine, kernel)
    (stays,) = heal(left, files=kernel, udev=kernel)
    assert kernel.added_again == ["/sys/class/net/dev67"]
    assert not stays.is_healed
    kernel.pfs[PF].vfs[0].netdev = "ibp24s0v0"
    kernel.wait(0)
    (healed,) = heal(left, files=kernel, udev=kernel)
    assert healed.is_healed
    assert healed.now == "ibp24s0v0"


def test_names_that_udev_gave_are_left_alone() -> None:
    kernel = _machine_with("ibp24s0v0", "rail0vf1")
    assert left_names(observe(senses_of(kernel), name="a").machine, kernel) == ()
