"""The text form of sysfs."""

from hypothesis import given
from hypothesis import strategies as st

from podwire.documents import sysfs
from podwire.documents.text import Position

PCI = "sys/bus/pci/devices"


def test_values_and_links_are_told_apart_and_links_keep_their_last_component() -> None:
    read = sysfs.parse(
        f"{PCI}/0000:18:00.0/vendor = 0x15b3\n"
        "\n"
        f"{PCI}/0000:18:00.0/driver -> bus/pci/drivers/mlx5_core\r\n"
        f"{PCI}/0000:18:00.0/virtfn0 -> 0000:18:00.1/\n"
        "sys/class/infiniband/mlx5_0/device -> ../../../0000:18:00.0\n"
        "/sys/class/infiniband/mlx5_0/ports/1/state = 4: ACTIVE\n"
        "sys/x = a -> b\n"
        "sys/empty =\n"
    )
    assert read == sysfs.Sysfs(
        values={
            f"{PCI}/0000:18:00.0/vendor": "0x15b3",
            "sys/class/infiniband/mlx5_0/ports/1/state": "4: ACTIVE",
            "sys/x": "a -> b",
            "sys/empty": "",
        },
        links={
            f"{PCI}/0000:18:00.0/driver": "mlx5_core",
            f"{PCI}/0000:18:00.0/virtfn0": "0000:18:00.1",
            "sys/class/infiniband/mlx5_0/device": "0000:18:00.0",
        },
    )


def test_a_line_of_neither_form_is_a_problem_and_costs_only_itself() -> None:
    read = sysfs.parse("sys/a = 1\ncat: sys/b: \x1b[31mPermission denied\nsys/c = 2\n")
    assert read.values == {"sys/a": "1", "sys/c": "2"}
    (problem,) = read.problems
    assert problem.message == (
        r'"cat: sys/b: \x1b[31mPermission denied" '
        'is neither "path = value" nor "path -> target"'
    )
    assert problem.position == Position(line=2, column=1)
    assert problem.path == (2,)


def test_of_a_path_that_stands_twice_the_last_line_counts() -> None:
    read = sysfs.parse("sys/a = 1\nsys/a -> x/y\n")
    assert (read.values, read.links) == ({}, {"sys/a": "y"})
    assert [p.message for p in read.problems] == ["sys/a stands twice; the last one counts"]


@given(st.text(st.sampled_from("a/ =->\n\r\t\x00")))
def test_no_text_makes_it_raise(text: str) -> None:
    sysfs.parse(text)
