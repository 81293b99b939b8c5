"""Whether the CNI of a network needs a device: one answer, however it is asked."""

import pytest
from tests.pictures import picture
from tests.wire_manifests import IB_SRIOV, nad, pod

from podwire.model.evidence import Answer, Known, Unknown
from podwire.wire.networks.nads import needs_device


def both(config: str) -> tuple[Answer[bool], Answer[bool]]:
    made = picture(nad(config=config) + pod(networks="ib-net"))
    (attachment,), (network,) = made.attachments, made.facts.networks.items
    return attachment.needs_device, needs_device(network, made)


@pytest.mark.parametrize(
    ("config", "needed"),
    [(IB_SRIOV, True), ('{"type": "bridge"}', False), ("no JSON", False)],
)
def test_a_pod_and_its_network_give_one_answer(config: str, needed: bool) -> None:  # noqa: FBT001 - a parameter
    by_pod, by_network = both(config)
    assert by_pod == by_network == Known(value=needed)


def test_nobody_knows_it_of_a_network_that_a_file_of_the_node_configures() -> None:
    by_pod, by_network = both("")
    assert isinstance(by_pod, Unknown)
    assert by_pod == by_network
    assert "has no spec.config" in by_pod.reason


def test_a_network_that_does_not_exist_is_another_finding() -> None:
    made = picture(nad("other") + pod(networks="ib-net"))
    assert made.attachments[0].needs_device == Known(value=False)


def test_a_pod_that_names_its_device_needs_none_of_multus() -> None:
    networks = '[{"name": "ib-net", "deviceID": "0000:1a:00.1"}]'
    made = picture(nad() + pod(networks=networks))
    assert made.attachments[0].needs_device == Known(value=False)


def test_a_configuration_is_read_once() -> None:
    made = picture(nad() + pod("a", networks="ib-net") + pod("b", networks="ib-net"))
    (network,) = made.facts.networks.items
    read = [a.cni.value for a in made.attachments if isinstance(a.cni, Known)]
    assert [each is made.cni(network) for each in read] == [True, True]
