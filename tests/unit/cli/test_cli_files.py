import io
import stat
import time
from pathlib import Path

import pytest
from tests.unit.cli.fake_world import RULES

from podwire.cli.config import silences_in
from podwire.cli.outputs import Output, outputs_of
from podwire.cli.progress import Progress
from podwire.cli.terminal import has_colour
from podwire.cli.whole_file import write_whole
from podwire.engine.silence import Silence
from podwire.model.errors import PodwireError


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_formats_are_read_in_order_and_text_is_the_default() -> None:
    assert outputs_of([]) == (Output(form="text"),)
    assert outputs_of(["json=a=b.json", "text"]) == (
        Output(form="json", file="a=b.json"),
        Output(form="text"),
    )


@pytest.mark.parametrize("written", [["yaml"], ["json="], ["text", "json"]])
def test_a_format_that_cannot_be_is_refused(written: list[str]) -> None:
    with pytest.raises(PodwireError):
        outputs_of(written)


@pytest.mark.parametrize(
    ("choice", "environ", "is_painted"),
    [
        ("auto", {}, True),
        ("auto", {"NO_COLOR": "1"}, False),
        ("auto", {"NO_COLOR": ""}, True),
        ("auto", {"TERM": "dumb"}, False),
        ("always", {"NO_COLOR": "1"}, True),
        ("never", {}, False),
    ],
)
def test_colour_on_a_terminal(choice: str, environ: dict[str, str], is_painted: bool) -> None:  # noqa: FBT001 - a parameter of the test
    assert has_colour(choice, stream=Terminal(), environ=environ) is is_painted


def test_no_colour_into_a_pipe() -> None:
    assert not has_colour("auto", stream=io.StringIO(), environ={})


def test_progress_is_shown_after_its_patience_and_erased() -> None:
    stream = Terminal()
    with Progress(stream, patience_s=0.01) as progress:
        progress.stage("reading")
        deadline = time.monotonic() + 5
        while "reading" not in stream.getvalue() and time.monotonic() < deadline:
            time.sleep(0.005)  # noqa: TID251 - a thread of its own shows it
        progress.stage("judging")
    assert stream.getvalue() == "\r\x1b[Kreading ...\r\x1b[Kjudging ...\r\x1b[K"


def test_fast_work_and_pipes_see_no_progress() -> None:
    for stream in (Terminal(), io.StringIO()):
        with Progress(stream) as progress:
            progress.stage("reading")
        assert stream.getvalue() == ""


def test_a_file_is_replaced_whole(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    path.write_text("old")
    write_whole(path, "new")
    assert path.read_text() == "new"
    assert [entry.name for entry in tmp_path.iterdir()] == ["report.json"]
    assert stat.S_IMODE(path.stat().st_mode) & stat.S_IRUSR


def test_a_file_that_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    for path in (tmp_path / "none" / "report.json", tmp_path / "folder"):
        with pytest.raises(PodwireError, match="cannot be written"):
            write_whole(path, "new")
    assert [entry.name for entry in tmp_path.iterdir()] == ["folder"]


def config(tmp_path: Path, text: str) -> str:
    path = tmp_path / "podwire.yaml"
    path.write_text(text)
    return str(path)


def test_the_configuration_says_what_to_silence(tmp_path: Path) -> None:
    path = config(
        tmp_path,
        "silence:\n"
        "- {rule: PW101, reason: a lab, subject: 'Pod lab/*', until: 2027-01-31}\n"
        "- rule: network-poor\n  reason: known\n"
        "- {rule: '*', reason: all}\n",
    )
    assert silences_in(path, catalogue=RULES) == (
        Silence(
            rule="PW101",
            reason="a lab",
            subject="Pod lab/*",
            until="2027-01-31",
            by=f"{path} silence[0]",
        ),
        Silence(rule="PW102", reason="known", by=f"{path} silence[1]"),
        Silence(rule="*", reason="all", by=f"{path} silence[2]"),
    )


def test_an_empty_configuration_silences_nothing(tmp_path: Path) -> None:
    assert silences_in(config(tmp_path, "# nothing yet\n"), catalogue=RULES) == ()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("silence: [{rule: PW101}]", "missing required field `reason`"),
        ("silence: [{rule: PW101, reason: x, untill: 2027-01-31}]", "unknown field `untill`"),
        ("silence: [{rule: PW101, reason: x, until: tomorrow}]", "tomorrow"),
        ("silences: []", "unknown field `silences`"),
        ("a: 1\n---\nb: 2\n", "holds 2 documents"),
        ("silence: [", ":1: "),
        ("- 1", "Expected `object`, got `array`"),
    ],
)
def test_a_configuration_of_another_form_is_refused(text: str, says: str, tmp_path: Path) -> None:
    with pytest.raises(PodwireError, match=r"podwire\.yaml") as refused:
        silences_in(config(tmp_path, text), catalogue=RULES)
    assert says in str(refused.value)


def test_a_configuration_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(PodwireError, match=r"none.yaml is not there"):
        silences_in(str(tmp_path / "none.yaml"), catalogue=RULES)


def test_a_rule_that_does_not_exist_cannot_be_silenced(tmp_path: Path) -> None:
    path = config(tmp_path, "silence: [{rule: network-pour, reason: x}]")
    with pytest.raises(PodwireError, match="network-pour") as refused:
        silences_in(path, catalogue=RULES)
    assert "network-poor" in refused.value.hint
