import pytest

from podwire.findings.model import Joint
from podwire.present.wire_line import wire_line


@pytest.mark.parametrize("joint", [joint for joint in Joint if joint is not Joint.INPUT])
def test_every_joint_is_marked_once_between_its_pieces(joint: Joint) -> None:
    near, far = joint.value.split(" - ")
    assert f"{near} --x-- {far}" in wire_line(joint)
    assert wire_line(joint).count("--x--") == 1
    assert len(wire_line(joint)) <= 68


def test_a_fault_of_the_input_is_on_no_wire() -> None:
    assert wire_line(Joint.INPUT) == ""


def test_the_wire_is_drawn_from_the_pod_on() -> None:
    assert wire_line(Joint.NAME) == "pod --- network --x-- resource --- node --- VF"
