"""How near functions are, by the bridges above them."""

import pytest

from podwire.facts.nearness import NODE, PHB, PIX, PXB, SYS, bridges, nearness

# A socket of a DGX: a root port, a switch (one upstream port, downstream ports), cards below.
_SWITCH = "../../../devices/pci0000:15/0000:15:01.0/0000:16:00.0"
_NIC = f"{_SWITCH}/0000:17:00.0/0000:18:00.0"
_GPU = f"{_SWITCH}/0000:17:04.0/0000:1b:00.0"
_NEXT_SWITCH = f"{_SWITCH}/0000:17:08.0/0000:20:00.0/0000:21:00.0/0000:22:00.0"
_SAME_HOST_BRIDGE = "../../../devices/pci0000:15/0000:15:03.0/0000:30:00.0"
_OTHER_HOST_BRIDGE = "../../../devices/pci0000:37/0000:37:01.0/0000:40:00.0"


def test_the_bridges_of_a_function_begin_with_its_host_bridge() -> None:
    assert bridges(_NIC) == ("pci0000:15", "0000:15:01.0", "0000:16:00.0", "0000:17:00.0")
    assert bridges("../../../devices/pci0000:00/0000:00:06.0") == ("pci0000:00",)


def test_a_path_that_was_not_read_has_no_bridges() -> None:
    assert bridges("") == ()


@pytest.mark.parametrize(
    ("other", "numa", "way"),
    [
        (_GPU, ("0", "0"), PIX),
        (_NEXT_SWITCH, ("0", "0"), PXB),
        (_SAME_HOST_BRIDGE, ("0", "0"), PHB),
        (_OTHER_HOST_BRIDGE, ("0", "0"), NODE),
        (_OTHER_HOST_BRIDGE, ("0", "1"), SYS),
        (_OTHER_HOST_BRIDGE, ("-1", "-1"), SYS),
        (_OTHER_HOST_BRIDGE, (None, None), SYS),
    ],
)
def test_the_way_between_two_functions(
    other: str, numa: tuple[str | None, str | None], way: str
) -> None:
    assert nearness(bridges(_NIC), bridges(other), numa=numa) == way
    assert nearness(bridges(other), bridges(_NIC), numa=numa) == way
