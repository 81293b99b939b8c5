"""OpenSM's file and builds: what serves virtual ports, and what nobody can tell."""

import pytest

from podwire.model.evidence import Answer, Known, Unknown
from podwire.peers.opensm import Build, read_build, read_options, serves_virtual_ports

_NVIDIA: Answer[Build] = Known(value=Build.NVIDIA)
_UNREAD: Answer[Build] = Unknown(reason="no version")


@pytest.mark.parametrize(
    ("text", "build"),
    [
        ("OpenSM 5.21.12.MLNX20250120.b9f7e8a1", Build.NVIDIA),
        ("-----\nOpenSM 3.3.23\nCommand Line Arguments:\n", Build.UPSTREAM),
    ],
)
def test_the_version_tells_the_build(text: str, build: Build) -> None:
    assert read_build(text).need().value is build


def test_a_version_that_is_none_tells_nothing() -> None:
    assert isinstance(read_build("opensm: command not found"), Unknown)


def test_comments_and_empty_lines_are_no_options() -> None:
    found = read_options("# guid 0x1\n\nvirt_enabled 2 # VFs\nguid 0x2\n")
    assert [(o.name, o.value, o.line) for o in found] == [
        ("virt_enabled", "2", 3),
        ("guid", "0x2", 4),
    ]


def test_a_tab_ends_a_name_as_a_blank_does() -> None:
    found = read_options("virt_enabled\t2\nguid\n")
    assert [(o.name, o.value) for o in found] == [("virt_enabled", "2"), ("guid", "")]


@pytest.mark.parametrize(("value", "served"), [("2", True), ("1", False), ("0", False)])
def test_only_two_turns_virtual_ports_on(value: str, *, served: bool) -> None:
    options = read_options(f"virt_enabled {value}")
    assert serves_virtual_ports(options, _NVIDIA).need().value is served


def test_the_last_of_two_lines_counts() -> None:
    options = read_options("virt_enabled 0\nvirt_enabled 2")
    assert serves_virtual_ports(options, _NVIDIA).need().value is True


def test_upstream_serves_none_whatever_its_file_says() -> None:
    upstream: Answer[Build] = Known(value=Build.UPSTREAM)
    assert serves_virtual_ports(None, upstream).need().value is False


@pytest.mark.parametrize("text", [None, "guid 0x1", "virt_enabled 2"])
def test_without_a_build_or_an_option_nobody_can_tell(text: str | None) -> None:
    options = None if text is None else read_options(text)
    assert isinstance(serves_virtual_ports(options, _UNREAD), Unknown)


def test_a_value_that_turns_it_off_needs_no_version() -> None:
    assert serves_virtual_ports(read_options("virt_enabled 0"), _UNREAD).need().value is False
