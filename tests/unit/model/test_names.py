"""Names and addresses: parse, print, refuse."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podwire.model.addresses import PciAddress
from podwire.model.names import Ref, ResourceName


def test_a_resource_is_split_at_its_slash() -> None:
    name = ResourceName.parse("example.com/ib_vf")
    assert (name.prefix, name.name, str(name)) == ("example.com", "ib_vf", "example.com/ib_vf")


@pytest.mark.parametrize("text", ["ib_vf", "/ib_vf", "example.com/", ""])
def test_a_resource_without_both_halves_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="domain/name"):
        ResourceName.parse(text)


@pytest.mark.parametrize("text", ["example.com/ib_vf", "nvidia.com/GPU.shared", "a/b"])
def test_kubelet_accepts(text: str) -> None:
    assert ResourceName.parse(text).refusal() is None


@pytest.mark.parametrize(
    "text",
    ["Example.com/x", "x.kubernetes.io/y", "requests.a/b", "a/-b", "a/" + "b" * 64, "a_b/c"],
)
def test_kubelet_refuses(text: str) -> None:
    assert ResourceName.parse(text).refusal()


def test_a_ref_is_written_as_kind_and_name() -> None:
    assert str(Ref(kind="Pod", name="w-0", namespace="train")) == "Pod train/w-0"
    assert str(Ref(kind="Node", name="gpu-a")) == "Node gpu-a"


def test_a_part_is_within_its_thing_and_not_written() -> None:
    pod = Ref(kind="Pod", name="w-0", namespace="train")
    net1 = pod.at("net1")
    assert (str(net1), net1.whole, net1.at("x").part) == (str(pod), pod, "net1 x")
    assert pod.covers(net1)
    assert net1.covers(net1)
    assert not net1.covers(pod.at("net2"))
    assert not net1.covers(pod)


@given(st.integers(0, 0xFFFF), st.integers(0, 255), st.integers(0, 31), st.integers(0, 7))
def test_a_pci_address_prints_as_it_was_parsed(
    domain: int, bus: int, device: int, function: int
) -> None:
    text = f"{domain:04x}:{bus:02x}:{device:02x}.{function}"
    assert str(PciAddress.parse(text)) == text


@pytest.mark.parametrize("text", ["18:00.2", "0000:18:00.8", "0000:18:00.2 ", "GPU-1", ""])
def test_what_is_no_pci_address_is_quoted(text: str) -> None:
    with pytest.raises(ValueError, match="no PCI address"):
        PciAddress.parse(text)
