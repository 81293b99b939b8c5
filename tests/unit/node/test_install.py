"""The files of an installation: put in place, found again, and taken away."""

import pytest
from tests.fakes.cards import FakePf
from tests.fakes.hostfs import FakeHostFs
from tests.fakes.kernel import FakeKernel
from tests.fakes.node import PF, fabric, senses_of

from podwire.artefacts.link_file import BY_PATH
from podwire.artefacts.systemd_unit import RULES, TEMPLATE, UNIT, UnitOptions
from podwire.artefacts.text_file import MARK
from podwire.model.addresses import PciAddress
from podwire.model.errors import PodwireError
from podwire.node.install import Installation, carry_out, installation, removal
from podwire.node.observe import observe
from podwire.node.vf_addresses import numbered
from podwire.plan.wish import wish_of
from podwire.spec.wiring import FabricWish, GuidWish, NameWish

_SPEC = "apiVersion: podwire.io/v1alpha1\nkind: Wiring\n"
_NUMBERS = {
    f"sys/bus/pci/devices/{PF}/sriov_offset": "1",
    f"sys/bus/pci/devices/{PF}/sriov_stride": "1",
}


def _wanted(
    wish: FabricWish, files: dict[str, str] | None = None, *, guids: str = ""
) -> Installation:
    kernel = FakeKernel(FakePf(PF), files=_NUMBERS | (files or {}))
    machine = observe(senses_of(kernel), name="dgx-01").machine
    found, missing = wish_of(wish, machine)
    assert missing == ()
    return installation(machine, found, files=kernel, units=UnitOptions(), spec=_SPEC, guids=guids)


def test_a_new_machine_gets_units_rules_names_and_its_spec() -> None:
    change = _wanted(fabric(PF, count=2))
    assert [file.path for file in change.write] == [
        UNIT,
        TEMPLATE,
        RULES,
        BY_PATH,
        "etc/podwire/wiring.yaml",
    ]
    assert change.remove == ()


def test_vfs_that_are_not_there_yet_are_named_by_the_pfs_numbers() -> None:
    (link,) = [f for f in _wanted(fabric(PF, count=2)).write if f.path == BY_PATH]
    assert "Path=pci-0000:18:00.1 pci-0000:18:00.2\n" in link.text


@pytest.mark.parametrize(
    ("index", "address"),
    [(0, "0000:1a:00.1"), (6, "0000:1a:00.7"), (7, "0000:1a:01.0"), (254, "0000:1a:1f.7")],
)
def test_vfs_are_counted_over_functions_and_devices(index: int, address: str) -> None:
    pf = PciAddress(text="0000:1a:00.0")
    assert str(numbered(pf, index, 1, 1)) == address
    assert str(numbered(pf, 255, 1, 1)) == "0000:1b:00.0"


def test_vfs_behind_the_last_bus_have_no_address() -> None:
    (link,) = [f for f in _wanted(fabric(PF, count=65000)).write if f.path == BY_PATH]
    assert "pci-0000:ff:1f.7\n" in link.text
    assert "0000:100:" not in link.text


def test_what_is_in_place_is_not_written_again() -> None:
    first = _wanted(fabric(PF, count=2))
    again = _wanted(fabric(PF, count=2), {file.path: file.text for file in first.write})
    assert again.is_done


def test_a_name_that_is_wanted_no_more_loses_its_file() -> None:
    names = NameWish(literal={"0000:18:00.1": "rail0vf0", "0000:18:00.2": "rail0vf1"})
    first = _wanted(fabric(PF, count=2, names=names))
    fewer = NameWish(literal={"0000:18:00.1": "rail0vf0"})
    change = _wanted(
        fabric(PF, count=2, names=fewer), {file.path: file.text for file in first.write}
    )
    assert change.write == ()
    assert change.remove == ("etc/systemd/network/60-podwire-0000-18-00.2.link",)


def test_the_file_of_guids_lies_beside_the_spec() -> None:
    change = _wanted(fabric(PF, count=2, guids=GuidWish(file="guids.json")), guids="[]")
    assert ("etc/podwire/guids.json", "[]") in [(f.path, f.text) for f in change.write]


def test_a_file_of_somebody_else_stays_and_is_named() -> None:
    with pytest.raises(PodwireError, match="podwire did not write it") as raised:
        _wanted(fabric(PF, count=2), {UNIT: "[Unit]\nDescription=mine\n"})
    assert UNIT in str(raised.value)


def test_a_unit_that_is_masked_stays_masked() -> None:
    with pytest.raises(PodwireError, match="is there, and is no file") as raised:
        _wanted(fabric(PF, count=2), {f"{UNIT}/of-a-folder": ""})
    assert raised.value.hint == "move it away, or unmask it"


def test_taking_away_leaves_other_files_and_the_spec() -> None:
    files = FakeHostFs(
        {
            UNIT: f"{MARK}[Unit]\n",
            BY_PATH: f"{MARK}[Match]\n",
            "etc/systemd/network/60-podwire-mine.link": "[Match]\n",
            "etc/podwire/wiring.yaml": _SPEC,
        }
    )
    assert removal(files).remove == tuple(sorted((UNIT, BY_PATH)))


class _Writer:
    def __init__(self) -> None:
        self.done: list[str] = []

    def write(self, path: str, value: str, *, limit_s: float) -> None:
        raise AssertionError((path, value, limit_s))

    def replace(self, path: str, data: bytes) -> None:
        self.done.append(f"{path}: {len(data)} bytes")

    def remove(self, path: str) -> None:
        self.done.append(f"{path}: gone")


def test_files_are_replaced_whole_before_old_ones_go() -> None:
    writer = _Writer()
    change = _wanted(fabric(PF, count=2))
    carry_out(Installation(write=change.write[:1], remove=(RULES,)), writer)
    assert writer.done == [f"{UNIT}: {len(change.write[0].text)} bytes", f"{RULES}: gone"]


def test_a_spec_that_lies_where_the_units_look_for_it_stays_as_it_is() -> None:
    change = _wanted(fabric(PF, count=2), {"etc/podwire/wiring.yaml": _SPEC})
    assert "etc/podwire/wiring.yaml" not in [file.path for file in change.write]


def test_another_spec_at_that_place_is_not_replaced() -> None:
    with pytest.raises(PodwireError, match=r"etc/podwire/wiring.yaml is there"):
        _wanted(fabric(PF, count=2), {"etc/podwire/wiring.yaml": _SPEC + "nodes: []\n"})


@pytest.mark.parametrize("file", ["../g.json", "a/../../g.json"])
def test_a_file_of_guids_outside_of_the_specs_folder_is_not_copied_over_others(file: str) -> None:
    with pytest.raises(PodwireError, match="lies outside of the spec's folder"):
        _wanted(fabric(PF, count=2, guids=GuidWish(file=file)), guids="[]")


def test_a_vf_cannot_have_the_name_of_a_pf() -> None:
    names = NameWish(literal={"0000:18:00.1": "ibp24s0"})
    with pytest.raises(PodwireError, match=r"ibp24s0 for 0000:18:00.1 is the name of PF ibp24s0"):
        _wanted(fabric(PF, count=2, names=names))
