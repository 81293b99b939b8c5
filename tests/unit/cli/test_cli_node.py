"""`podwire node plan|verify` on a copy of a machine, and what `apply` refuses."""

import json
import os
from pathlib import Path

import pytest
from tests.fakes.cards import FakePf
from tests.fakes.kernel import FakeKernel
from tests.fakes.kernel_files import lay_out
from tests.fakes.node import PF, PF_B, applied, fabric, two_cards
from tests.unit.cli.fake_world import world

from podwire.adapters.flocks import FileLocks
from podwire.cli.arguments import parser
from podwire.cli.main import main
from podwire.cli.node import apply_at
from podwire.model.errors import PodwireError
from podwire.model.guids import Guid
from podwire.ports.writing import LockHeld

SPEC = """\
apiVersion: podwire.io/v1alpha1
kind: Wiring
nodes:
- names: [dgx-01]
  fabric: {pfs: {linkLayer: InfiniBand}, vfsPerPf: 2, linkPolicy: follow, mtu: 4092}
"""


def spec(tmp_path: Path, text: str = SPEC) -> str:
    path = tmp_path / "wiring.yaml"
    path.write_text(text)
    return str(path)


def run(tmp_path: Path, kernel: FakeKernel, *more: str, text: str = SPEC) -> int:
    kernel.own["etc/hostname"] = "dgx-01\n"
    root = lay_out(kernel.files(), tmp_path / "root")
    what, *rest = more
    arguments = ["node", what, "--spec", spec(tmp_path, text), "--root", str(root), *rest]
    return main(arguments, world=world())


def test_a_plan_shows_each_write_with_what_was_there_and_why(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(tmp_path, FakeKernel(FakePf(PF)), "plan") == 0
    assert (
        capsys.readouterr().out
        == """\
dgx-01: 9 writes to 1 PF

ibp24s0 (0000:18:00.0)
  sriov_drivers_autoprobe 1 -> 0        no VF is probed before it is set up
  sriov_numvfs 0 -> 2                   2 VFs are wanted
  VF 0: GUID e2:a0:88:c2:00:ab:cd:00, state follow
  VF 1: GUID e2:a0:88:c2:01:ab:cd:00, state follow
                                        a new VF has GUID zero and its port
                                        stays down
  sriov_drivers_autoprobe 0 -> 1        an unbound VF answers ENODEV while it is
                                        0
  VF 0-1: drivers_probe                 it has no driver
  wait for udev and net, infiniband     udev names devices asynchronously
  VF 0-1: mtu 4092                      MTU 4092 is wanted
"""
    )


def test_a_plan_in_json_has_every_step_with_its_way_back(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(tmp_path, FakeKernel(FakePf(PF)), "plan", "-o", "json")
    tree = json.loads(capsys.readouterr().out)
    assert (tree["schemaVersion"], tree["writes"], tree["converged"]) == (1, 9, False)
    assert tree["pfs"][0]["steps"][1] == {
        "action": "write",
        "vf": None,
        "target": "sys/bus/pci/devices/0000:18:00.0/sriov_numvfs",
        "value": "2",
        "was": "0",
        "undo": "0",
        "blind": False,
        "reason": "2 VFs are wanted",
    }


def test_verify_ends_with_0_on_a_converged_machine_and_with_1_otherwise(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kernel = two_cards()
    (tmp_path / "before").mkdir()
    assert run(tmp_path / "before", kernel, "verify") == 1
    applied(kernel, fabric(PF, PF_B, link_policy="follow", mtu=4092))
    (tmp_path / "after").mkdir()
    capsys.readouterr()
    assert run(tmp_path / "after", kernel, "verify") == 0
    assert capsys.readouterr().out.startswith("dgx-01: nothing to do\n")


def test_a_plan_that_cannot_be_made_ends_with_1_and_shows_the_repair(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(tmp_path, FakeKernel(FakePf(PF, driver=None), files={"proc/modules": ""}), "plan")
    out = capsys.readouterr().out
    assert "repair: mlx5_core is not loaded\n   fix: modprobe mlx5_core\n" in out


def test_a_refused_pf_ends_with_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(tmp_path, FakeKernel(FakePf(PF, total=1)), "plan") == 1
    assert "refused: 2 VFs are wanted and its firmware allows 1" in capsys.readouterr().out


def test_a_dgx_gets_216_writes_of_which_27_follow_one_another(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """docs/design/0005 counts them; PFs run in parallel."""
    buses = ("18", "40", "4f", "5e", "9a", "c0", "ce", "dc")
    kernel = FakeKernel(
        *(
            FakePf(f"0000:{bus}:00.0", guid=Guid(number=0xA088C20300AB0000 + n), netdev=f"ib{bus}")
            for n, bus in enumerate(buses)
        )
    )
    text = SPEC.replace("linkLayer: InfiniBand", "board: dgx-h200").replace("Pf: 2", "Pf: 8")
    run(tmp_path, kernel, "plan", "-o", "json", text=text)
    tree = json.loads(capsys.readouterr().out)
    assert tree["writes"] == 216
    assert [sum(s["action"] != "settle" for s in pf["steps"]) for pf in tree["pfs"]] == [27] * 8


@pytest.mark.parametrize(
    ("text", "more", "words"),
    [
        (SPEC.replace("dgx-01", "dgx-02"), (), "no entry of nodes[] is for dgx-01"),
        (SPEC.replace("follow", "auto-ish"), (), "linkPolicy is 'auto-ish'"),
        (SPEC.replace("linkLayer: InfiniBand", "board: dgx-9"), (), "pfs.board is 'dgx-9'"),
        (SPEC.replace("InfiniBand", "Token Ring"), (), "pfs.linkLayer is 'Token Ring'"),
        (SPEC.replace("vfsPerPf: 2", "vfsPerPf: -1"), (), "vfsPerPf is -1"),
        (SPEC.replace("vfsPerPf: 2", "vfsPerPf: 100000000"), (), "vfsPerPf is 100000000"),
        (SPEC.replace("mtu: 4092", "mtu: -5"), (), "mtu is -5"),
        (SPEC.replace("vfsPerPf", "vfPerPf"), (), "did you mean vfsPerPf?"),
        (SPEC + "nodes: []\n", (), ':6:1: the key "nodes" stands twice'),
        (SPEC + "a: [\n", (), ":7:1: did not find"),
        (SPEC.replace("vfsPerPf: 2", "vfsPerPf: x"), (), "is no spec: .nodes[0].fabric.vfsPerPf: "),
        (SPEC, ("--firmware",), "--firmware asks the machine that runs, and --root"),
        ("kind: Pod\n", (), "has no document of kind: Wiring"),
        (SPEC, ("--label", "x"), "--label x: no label"),
        (SPEC, ("--other-map", "absent.json"), "absent.json is not there"),
        (SPEC.replace("mtu: 4092", "guids: {file: g.json}"), (), "g.json is not there"),
    ],
)
def test_what_cannot_be_meant_is_wrong_usage_and_says_what_it_is(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    text: str,
    more: tuple[str, ...],
    words: str,
) -> None:
    assert run(tmp_path, FakeKernel(FakePf(PF)), "plan", *more, text=text) == 2
    assert words in " ".join(capsys.readouterr().err.split())


def test_a_selector_is_met_by_labels_that_are_given(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = SPEC.replace("names: [dgx-01]", "selector: {matchLabels: {gpu: h200}}")
    assert run(tmp_path, FakeKernel(FakePf(PF)), "plan", "--label", "gpu=h200", text=text) == 0
    assert "9 writes" in capsys.readouterr().out


def test_a_map_of_a_newer_podwire_is_refused_by_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kernel = FakeKernel(FakePf(PF), files={"var/lib/podwire/guids.json": '{"version": 9}'})
    assert run(tmp_path, kernel, "plan") == 2
    assert "/var/lib/podwire/guids.json has version 9" in capsys.readouterr().err


def test_a_journal_of_a_newer_podwire_is_refused_by_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    journal = '{"version": 9, "pf": "0000:18:00.0"}'
    kernel = FakeKernel(FakePf(PF), files={"var/lib/podwire/journal/0000:18:00.0.json": journal})
    assert run(tmp_path, kernel, "plan") == 2
    assert "has version 9" in capsys.readouterr().err


@pytest.mark.parametrize(
    "path", ["var/lib/podwire/guids.json", "var/lib/podwire/journal/0000:18:00.0.json"]
)
def test_a_map_or_journal_that_cannot_be_read_is_not_taken_to_be_absent(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], path: str
) -> None:
    (tmp_path / "root" / path).mkdir(parents=True)
    assert run(tmp_path, FakeKernel(FakePf(PF)), "plan") == 2
    assert f"/{path} is a folder" in " ".join(capsys.readouterr().err.split())


def test_a_journal_that_is_about_another_pf_than_its_name_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = {"var/lib/podwire/journal/0000:18:00.0.json": '{"version": 1, "pf": "../../x"}'}
    assert run(tmp_path, FakeKernel(FakePf(PF), files=files), "plan") == 2
    assert "is the journal of another PF" in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize("what", ["plan", "show", "install"])
def test_an_empty_root_is_not_the_current_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], what: str
) -> None:
    assert main(["node", what, "--spec", spec(tmp_path), "--root", ""], world=world()) == 2
    assert "--root is named by an empty text" in capsys.readouterr().err


def test_nobody_waits_for_a_lock_after_a_signal(tmp_path: Path) -> None:
    first = FileLocks(str(tmp_path), note="the first")
    second = FileLocks(str(tmp_path), note="the second", is_stopped=lambda: True)
    with (
        first.hold("run/a.lock", limit_s=0),
        pytest.raises(LockHeld),
        second.hold("run/a.lock", limit_s=3600),
    ):
        pass


@pytest.mark.skipif(os.geteuid() == 0, reason="a user that is not root")
def test_apply_says_that_it_needs_root(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["node", "apply", "--spec", spec(tmp_path)], world=world()) == 2
    assert "VFs are made by root" in capsys.readouterr().err


def apply_to(tmp_path: Path, kernel: FakeKernel, *more: str, text: str = SPEC) -> int:
    """Run `apply` with the real adapters on a tree of plain files."""
    kernel.own["etc/hostname"] = "dgx-01\n"
    root = lay_out(kernel.files(), tmp_path / "root")
    options = parser().parse_args(["node", "apply", "--spec", spec(tmp_path, text), *more])
    return apply_at(str(root), options)


def test_apply_on_a_converged_machine_writes_nothing_and_ends_with_0(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kernel = FakeKernel(FakePf(PF, is_ib=False, driver="igb", netdev="ens1", count=0))
    text = SPEC.replace("linkLayer: InfiniBand", "pciAddresses: ['0000:18:00.0']")
    kernel.bound(PF, 2)
    assert apply_to(tmp_path, kernel, text=text.replace("4092", "1500")) == 0
    said = capsys.readouterr()
    assert said.out == "dgx-01: as the spec wants it\n"
    assert said.err.startswith("dgx-01: nothing to do\n")


def test_apply_shows_its_plan_and_takes_back_what_it_could_not_finish(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A tree of files makes no VFs: the message to a net device that is not there is refused."""
    assert apply_to(tmp_path, FakeKernel(FakePf(PF, netdev="absent0"))) == 1
    said = capsys.readouterr()
    assert "sriov_numvfs 0 -> 2" in said.err
    flat = " ".join(said.out.split())
    assert "failed: VF 0: GUID e2:a0:88:c2:00:ab:cd:00, state follow to absent0: ENODEV" in flat
    assert f"taken back: write 0 to /sys/bus/pci/devices/{PF}/sriov_numvfs" in flat
    folder = tmp_path / "root/sys/bus/pci/devices" / PF
    assert (folder / "sriov_numvfs").read_text().strip() == "0"
    assert (folder / "sriov_drivers_autoprobe").read_text().strip() == "1"
    assert not list((tmp_path / "root/var/lib/podwire/journal").iterdir())
    assert (tmp_path / "root/var/lib/podwire/guids.json").exists()


def test_apply_in_json_says_how_each_pf_ended(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    apply_to(tmp_path, FakeKernel(FakePf(PF, netdev="absent0")), "-o", "json")
    tree = json.loads(capsys.readouterr().out)
    assert (tree["done"], tree["pfs"][0]["written"]) == (False, 2)
    assert "ENODEV" in tree["pfs"][0]["failed"]
    assert tree["left"]["pfs"][0]["steps"]


def test_a_second_apply_is_wrong_usage_and_names_the_first(
    tmp_path: Path,
) -> None:
    kernel = FakeKernel(FakePf(PF))
    with (
        FileLocks(str(tmp_path / "root"), note="the first").hold(
            "run/podwire/node.lock", limit_s=0
        ),
        pytest.raises(PodwireError, match=r"node.lock is held by the first \(process \d+\)"),
    ):
        apply_to(tmp_path, kernel)
