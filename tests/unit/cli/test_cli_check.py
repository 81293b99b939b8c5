import io
import json
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest
from tests.unit.cli.fake_world import NOW, RULES, nad, world

from podwire.cli.arguments import COMPONENTS
from podwire.cli.main import main
from podwire.cli.world import World
from podwire.facts.objects import Network
from podwire.findings.model import Finding
from podwire.rules import CATALOGUE
from podwire.wire.joined.images import IMAGES
from podwire.wire.picture import Picture


@pytest.fixture(autouse=True)
def _in_its_own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def manifest(*names: str, file: str = "nads.yaml") -> str:
    Path(file).write_text(nad(*names))
    return file


def check(*arguments: str) -> int:
    return main(["check", *arguments], world=world())


@pytest.mark.parametrize(
    ("name", "arguments", "status"),
    [
        ("fine", [], 0),
        ("odd", [], 0),
        ("poor", [], 0),
        ("bad", [], 1),
        ("odd", ["--fail-on", "note"], 1),
        ("odd", ["--fail-on", "warning"], 0),
        ("poor", ["--fail-on", "warning"], 1),
        ("bad", ["--fail-on", "never"], 0),
        ("unknown", [], 0),
        ("unknown", ["--require-complete"], 3),
        ("fine", ["--require-complete"], 0),
        ("unknown", ["--require-complete", "--fail-on", "never"], 3),
    ],
)
def test_the_exit_status(name: str, arguments: list[str], status: int) -> None:
    assert check(manifest(name), *arguments) == status


def test_a_finding_beats_what_is_undecided() -> None:
    assert check(manifest("unknown", "bad"), "--require-complete") == 1


def test_the_report_is_on_stdout_and_stderr_is_quiet(capsys: pytest.CaptureFixture[str]) -> None:
    check(manifest("bad"))
    output = capsys.readouterr()
    assert output.err == ""
    assert output.out == (
        "error[PW101] network-bad: train/bad is bad\n"
        "  --> nads.yaml:4:9\n"
        "   |\n"
        " 3 | metadata:\n"
        ' 4 |   name: "bad"\n'
        "   |         ^^^^^\n"
        "  wire:     pod --x-- network --- resource --- node --- VF\n"
        "  you see:  nothing good\n"
        "  fix:      - call it otherwise\n"
        "\n"
        "Looked at 1 document, 1 object (age unknown): 1 error, 0 undecided\n"
    )


def test_two_checks_say_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    for file, names in (("b.yaml", ("bad-2", "poor")), ("a.yaml", ("bad-1", "bad-10", "odd"))):
        manifest(*names, file=file)
    check(".")
    first = capsys.readouterr().out
    check(".")
    assert capsys.readouterr().out == first
    heads = [line for line in first.splitlines() if line[:1].isalpha() and "[" in line]
    assert [head.partition(":")[2] for head in heads] == [
        " train/bad-1 is bad",
        " train/bad-10 is bad",
        " train/bad-2 is bad",
        " train/poor is poor",
        " train/odd is odd",
    ]


def test_formats_go_to_files_and_one_to_stdout(capsys: pytest.CaptureFixture[str]) -> None:
    manifest("bad")
    formats = ["-o", "json=r.json", "-o", "sarif=r.sarif", "-o", "junit=r.xml", "-o", "github"]
    assert check("nads.yaml", *formats) == 1
    assert capsys.readouterr().out.startswith("::error file=nads.yaml,line=4,col=9,")
    assert json.loads(Path("r.json").read_text())["findings"][0]["rule"] == "PW101"
    assert json.loads(Path("r.sarif").read_text())["version"] == "2.1.0"
    assert Path("r.xml").read_text().startswith("<?xml")


def test_a_file_has_no_colour_even_where_stdout_has() -> None:
    check(manifest("bad"), "--colour", "always", "-o", "text=r.txt")
    assert "\x1b" not in Path("r.txt").read_text()


def test_colour_and_no_color(capsys: pytest.CaptureFixture[str]) -> None:
    check(manifest("bad"), "--colour", "always")
    assert "\x1b[1;31merror[PW101]\x1b[0m" in capsys.readouterr().out
    check("nads.yaml")
    assert "\x1b" not in capsys.readouterr().out


def test_only_some_rules_are_asked(capsys: pytest.CaptureFixture[str]) -> None:
    assert check(manifest("bad", "poor"), "--only", "network-poor") == 0
    assert "PW101" not in capsys.readouterr().out
    assert check("nads.yaml", "--rule", "PW999") == 2


def test_no_path_says_what_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    assert check() == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert "podwire: nothing to read was given" in output.err
    assert "hint: podwire check PATH...; or kubectl get" in output.err


def test_a_path_that_is_not_there_is_named_with_its_neighbours(
    capsys: pytest.CaptureFixture[str],
) -> None:
    manifest("fine")
    assert check("nads.yaml", "nad.yaml") == 2
    assert capsys.readouterr().err == "podwire: nad.yaml is not there\nhint: here: nads.yaml\n"
    assert check("none/of/this") == 2
    assert "hint: nothing here has a like name" in capsys.readouterr().err


def test_nothing_that_podwire_knows_is_2(capsys: pytest.CaptureFixture[str]) -> None:
    Path("notes.txt").write_text("hello")
    assert check(".") == 2
    assert "podwire: .: nothing in there is known to podwire" in capsys.readouterr().err


def test_standard_input_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    stdin = io.TextIOWrapper(io.BytesIO(nad("bad").encode()))
    monkeypatch.setattr(sys, "stdin", stdin)
    assert check("-") == 1


def test_a_node_root_that_is_no_folder(capsys: pytest.CaptureFixture[str]) -> None:
    assert check("--node-root", "none") == 2
    assert "--node-root none is no folder" in capsys.readouterr().err


def test_an_assumed_version_has_to_be_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert check(manifest("fine"), "--assume", "multus=4.2.2") == 0
    assert check("nads.yaml", "--assume", "multus=latest") == 2
    assert "--assume multus=latest: 'latest' is no version" in capsys.readouterr().err


def test_the_configuration_silences_until_its_day(capsys: pytest.CaptureFixture[str]) -> None:
    Path("c.yaml").write_text(
        "silence: [{rule: PW101, reason: a lab, subject: '*/bad', until: 2027-01-31}]"
    )
    arguments = [manifest("bad"), "--config", "c.yaml", "-v"]
    assert check(*arguments) == 0
    out = capsys.readouterr().out
    assert "1 silenced" in out
    assert "a lab (c.yaml silence[0])" in out
    later = world(now=datetime(2027, 2, 1, tzinfo=UTC))
    assert main(["check", *arguments], world=later) == 1


def test_a_baseline_leaves_only_what_is_new(capsys: pytest.CaptureFixture[str]) -> None:
    manifest("bad")
    check("nads.yaml", "-o", "json=base.json")
    Path("nads.yaml").write_text(f"# one line more\n{nad('bad')}")
    assert check("nads.yaml", "--baseline", "base.json") == 0
    assert capsys.readouterr().out.startswith("no broken joint found beside 1 known (baseline)\n")
    manifest("bad", "bad-2")
    assert check("nads.yaml", "--baseline", "base.json", "-o", "json=second.json") == 1
    second = json.loads(Path("second.json").read_text())
    assert [finding["subject"] for finding in second["findings"]] == [
        "NetworkAttachmentDefinition train/bad-2"
    ]
    assert second["silenced"][0]["by"] == "baseline base.json"
    assert check("nads.yaml", "--baseline", "second.json") == 0


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("not json", "is no JSON report of podwire"),
        ('{"schemaVersion": 2, "findings": []}', "has schemaVersion 2; this podwire knows 1"),
        ('{"schemaVersion": 1}', "missing required field `findings`"),
    ],
)
def test_a_baseline_of_another_form_is_refused(
    text: str, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("base.json").write_text(text)
    assert check(manifest("bad"), "--baseline", "base.json") == 2
    assert says in " ".join(capsys.readouterr().err.split())


def test_a_configuration_entry_that_ended_is_a_note(capsys: pytest.CaptureFixture[str]) -> None:
    Path("c.yaml").write_text("silence: [{rule: PW101, reason: a lab, until: 2026-01-31}]")
    real = World(catalogue=lambda: CATALOGUE, now=lambda: NOW, environ={})
    assert main(["check", manifest("x"), "--config", "c.yaml", "-o", "short"], world=real) == 0
    said = (
        "note PW004 c.yaml .silence[0].until: c.yaml silences PW101 until 2026-01-31, which is past"
    )
    assert said in capsys.readouterr().out.splitlines()


def test_a_reason_that_is_empty_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    Path("c.yaml").write_text("silence: [{rule: PW101, reason: ' '}]")
    assert check(manifest("bad"), "--config", "c.yaml") == 2
    assert "the reason for PW101 is empty" in capsys.readouterr().err


def test_one_line_a_finding(capsys: pytest.CaptureFixture[str]) -> None:
    check(manifest("bad", "poor"), "-o", "short")
    assert capsys.readouterr().out == (
        "error PW101 nads.yaml:4:9: train/bad is bad\n"
        "warning PW102 nads.yaml:10:9: train/poor is poor\n"
    )


def test_a_component_that_nobody_knows_is_answered_with_the_nearest(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert check(manifest("fine"), "--assume", "multis=4.2.2") == 2
    assert "hint: did you mean multus?" in capsys.readouterr().err
    assert check("nads.yaml", "--assume", "zzz=4.2.2") == 2
    assert "hint: one of gpu-operator, hami" in capsys.readouterr().err


def test_the_components_are_those_that_podwire_recognises() -> None:
    assert set(COMPONENTS) == set(IMAGES.values())


def failing() -> World:
    def check(network: Network, _: Picture) -> Iterator[Finding]:
        raise KeyError(network.metadata.name)

    broken = msgspec.structs.replace(RULES[1], check=check)
    return World(catalogue=lambda: (RULES[0], broken), now=lambda: NOW, environ={})


def test_where_podwire_fails_the_report_is_still_given(
    capsys: pytest.CaptureFixture[str],
) -> None:
    arguments = ["check", manifest("bad"), "-o", "text", "-o", "json=r.json"]
    assert main(arguments, world=failing()) == 70
    output = capsys.readouterr()
    assert output.out.startswith("error[PW101] network-bad: train/bad is bad\n")
    assert "1 verdict failed (see stderr)" in output.out
    assert output.err.startswith("podwire: PW102 network-poor failed about")
    assert "KeyError: 'bad'" in output.err
    assert "-v shows where" in output.err
    assert "Traceback" not in output.err
    assert json.loads(Path("r.json").read_text())["counts"]["failed"] == 1
    main([*arguments, "-v"], world=failing())
    assert "Traceback (most recent call last):" in capsys.readouterr().err


def test_lists_are_of_all_namespaces_where_the_user_says_so(
    capsys: pytest.CaptureFixture[str],
) -> None:
    real = World(catalogue=lambda: CATALOGUE, now=lambda: NOW, environ={})
    pod = {
        "kind": "Pod",
        "metadata": {
            "name": "p",
            "namespace": "train",
            "annotations": {"k8s.v1.cni.cncf.io/networks": "ib"},
        },
        "spec": {"containers": [{"name": "main"}]},
    }
    other = {"kind": "NetworkAttachmentDefinition", "metadata": {"name": "x", "namespace": "lab"}}
    for name, items in (("pods", [pod]), ("nads", [other])):
        Path(f"{name}.json").write_text(
            json.dumps({"kind": "List", "metadata": {"resourceVersion": ""}, "items": items})
        )
    files = ["pods.json", "nads.json", "-o", "text"]
    assert main(["check", *files], world=real) == 0
    assert "-A says that they are of all namespaces" in " ".join(capsys.readouterr().out.split())
    assert main(["check", "-A", *files], world=real) == 1
    assert "network-missing" in capsys.readouterr().out
    Path("nads.json").write_text('{"kind": "List", "metadata": {}, "items": []}')
    assert main(["check", "-A", *files], world=real) == 1


def test_hostile_names_reach_neither_stdout_nor_stderr(
    capsys: pytest.CaptureFixture[str],
) -> None:
    name = "bad\\e[31m\\u202e\\nx"
    manifest(name, file="a\x1b[1m.yaml")
    for form in ("text", "short", "json", "sarif", "junit", "github"):
        assert check(".", "-v", "-o", form) == 1
        output = capsys.readouterr()
        assert output.out.isascii()
        assert "\x1b" not in output.out
        assert output.err == ""
    assert check("b\x1b[1m.yaml") == 2
    assert "\x1b" not in capsys.readouterr().err


def test_options_may_stand_between_paths(capsys: pytest.CaptureFixture[str]) -> None:
    manifest("fine", file="a.yaml")
    manifest("bad", file="b.yaml")
    assert check("a.yaml", "-n", "train", "b.yaml", "-o", "text", "--", "a.yaml") == 1
    assert "Looked at 2 documents" in capsys.readouterr().out
