import json
import os

import jsonschema_rs
import pytest
from tests.unit.cli.fake_world import world

from podwire.cli.main import main
from podwire.cli.world import real_world
from podwire.rules import CATALOGUE


def test_help_and_every_commands_help_have_examples_and_fit_80_columns(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for command in ([], ["check"], ["explain"], ["trace"], ["numa"], ["schema"]):
        with pytest.raises(SystemExit) as end:
            main([*command, "--help"], world=world())
        assert end.value.code == 0
        text = capsys.readouterr().out
        assert "examples:\n  podwire " in text
        assert max(map(len, text.splitlines())) <= 80


@pytest.mark.parametrize(
    ("command", "says"),
    [
        ([], "1  findings; a document that cannot be read is one"),
        (["check"], "what follows from a silenced finding is reported"),
        (["trace"], "1  a joint is broken, by a warning too"),
    ],
)
def test_help_says_what_a_status_and_a_silence_mean(
    command: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main([*command, "--help"], world=world())
    assert says in capsys.readouterr().out


def test_the_version_is_the_packages(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(["--version"], world=world())
    assert end.value.code == 0
    assert capsys.readouterr().out.startswith("podwire 0.")


@pytest.mark.parametrize(
    "arguments", [[], ["check", "--no-such"], ["nothing"], ["check", ".", "--fail-on", "fatal"]]
)
def test_wrong_usage_is_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(arguments, world=world())
    assert end.value.code == 2
    assert "usage: podwire" in capsys.readouterr().err


def test_explain_takes_id_and_slug_in_any_case(capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("PW101", "pw101", "network-bad", "Network-Bad"):
        assert main(["explain", name], world=world()) == 0
        assert capsys.readouterr().out.startswith("PW101 network-bad\n")


def test_explain_without_a_rule_lists_all(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain"], world=world()) == 0
    text = capsys.readouterr().out
    assert text.startswith("pod - network\n  PW101   network-bad\n          A network is bad\n")
    assert text.count("\n  PW") == 3


def test_explain_names_the_nearest_rules(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "network-bat"], world=world()) == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert "podwire: no rule has the id or slug 'network-bat'" in output.err
    assert "hint: nearest: PW101 network-bad" in output.err


def test_an_error_shows_no_control_characters(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "\x1b[31m\u202e"], world=world()) == 2
    error = capsys.readouterr().err
    assert error.isascii()
    assert "\x1b" not in error


@pytest.mark.parametrize("what", ["report", "spec"])
def test_schema_prints_a_json_schema(what: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schema", what], world=world()) == 0
    schema = json.loads(capsys.readouterr().out)
    assert schema["title"] == f"podwire {what}"
    jsonschema_rs.meta.validate(schema)


def test_the_real_world_has_the_catalogue_a_clock_and_the_environment() -> None:
    world = real_world()
    assert world.catalogue() == CATALOGUE
    assert world.now().tzinfo is not None
    assert world.environ is os.environ
