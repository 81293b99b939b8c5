"""The units, the udev rules and the .link files that podwire writes."""

import shutil
import subprocess
from pathlib import Path

import pytest

from podwire.artefacts.link_file import by_path, literal, name_fault
from podwire.artefacts.systemd_unit import UnitOptions, at_boot, for_one_pf, quoted, udev_rules
from podwire.model.addresses import PciAddress
from podwire.model.errors import PodwireError

PF = PciAddress(text="0000:18:00.0")
VF = PciAddress(text="0000:18:00.2")
OTHER = PciAddress(text="0000:18:00.3")


def test_vfs_are_matched_by_their_path_and_keep_no_name_of_a_pod() -> None:
    text = by_path([OTHER, VF]).text
    assert "Path=pci-0000:18:00.2 pci-0000:18:00.3\n" in text
    assert "NamePolicy=path\n" in text
    assert "keep" not in text


def test_each_literal_name_has_a_file_of_its_own() -> None:
    first, second = literal({OTHER: "rail0vf1", VF: "rail0vf0"})
    assert first.path == "etc/systemd/network/60-podwire-0000-18-00.2.link"
    assert "Path=pci-0000:18:00.2\n" in first.text
    assert "Name=rail0vf0\n" in first.text
    assert "Name=rail0vf1\n" in second.text


@pytest.mark.parametrize(
    "name",
    [
        "",
        "rail0-vf0-of-gpu-a",
        "a/b",
        "a b",
        "ib0",
        "eth12",
        "12",
        "..",
        "50%",
        "é0",
        "a\x1b[1m",
        "net1",
    ],
)
def test_a_name_that_cannot_stay_is_refused(name: str) -> None:
    assert name_fault(name)
    with pytest.raises(PodwireError, match=r"fabric\.names"):
        literal({VF: name})


@pytest.mark.parametrize("name", ["rail0vf0", "ibp24s0v3", "ib41v0", "exactly15bytes_"])
def test_a_name_that_can_stay_is_taken(name: str) -> None:
    assert name_fault(name) == ""


def test_one_name_for_two_vfs_names_both() -> None:
    with pytest.raises(PodwireError, match=r"18:00\.2 and for 0000:18:00\.3"):
        literal({VF: "rail0", OTHER: "rail0"})


def test_kubelet_waits_unless_it_is_told_not_to() -> None:
    assert "RequiredBy=kubelet.service" in at_boot(UnitOptions()).text
    assert "Before=kubelet.service" in at_boot(UnitOptions()).text
    assert "RequiredBy" not in at_boot(UnitOptions(holds_kubelet=False)).text


def test_the_units_look_for_the_same_entry_of_the_spec_as_the_installation_did() -> None:
    options = UnitOptions(asked=("--node", "dgx-01", "--label", "gpu=h200"))
    asked = "--spec /etc/podwire/wiring.yaml --node dgx-01 --label gpu=h200 --wait 120\n"
    assert asked in at_boot(options).text
    assert asked.replace("--wait", "--pf %i --wait") in for_one_pf(options).text


@pytest.mark.parametrize(
    ("word", "written"),
    [
        ("/opt/pod wire", '"/opt/pod wire"'),
        ("a=100%n", "a=100%%n"),
        ("a=$HOME", "a=$$HOME"),
        ('a="b"', '"a=\\"b\\""'),
    ],
)
def test_systemd_takes_every_word_as_it_was_given(word: str, written: str) -> None:
    assert quoted(word) == written


def test_a_pf_that_comes_back_starts_its_own_unit() -> None:
    text = udev_rules([PF]).text
    assert 'KERNEL=="0000:18:00.0"' in text
    assert "start podwire-node@0000:18:00.0.service" in text


def test_systemd_finds_nothing_wrong_with_the_units(tmp_path: Path) -> None:
    if shutil.which("systemd-analyze") is None:
        pytest.skip("no systemd-analyze: apt-get install systemd")
    options = UnitOptions(program="/bin/true")
    names = []
    for file in (at_boot(options), for_one_pf(options)):
        path = tmp_path / Path(file.path).name
        path.write_text(file.text)
        names.append(str(path))
    done = subprocess.run(  # noqa: S603 - Debian's own program
        ["systemd-analyze", "verify", "--man=no", "--recursive-errors=no", *names],  # noqa: S607
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
