"""What the guide to two write-ups shows is what podwire prints."""

import re
import shlex
from collections.abc import Iterator

import pytest
from tests.bundles import CASES

from podwire.cli.main import main
from podwire.cli.world import real_world

ROOT = CASES.parents[1]
GUIDE = ROOT / "docs/guide/articles.md"
_COMMAND = re.compile(r"^ +\$ podwire (.*)$")


def shown() -> Iterator[tuple[str, str]]:
    """Give each command with what stands below it in its block."""
    command = ""
    words: list[str] = []
    for line in [*GUIDE.read_text(encoding="utf-8").splitlines(), ""]:
        start = _COMMAND.match(line)
        is_inside = not line or line.startswith("    ")
        if command and (start or not is_inside):
            yield command, " ".join(words)
            command, words = "", []
        if start:
            command = start[1]
        elif command:
            words.append(line)


@pytest.mark.parametrize(("command", "words"), [pytest.param(*s, id=s[0]) for s in shown()])
def test_every_command_prints_what_the_guide_says(
    command: str, words: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    main(shlex.split(command), world=real_world())
    printed = " ".join(capsys.readouterr().out.split())
    parts = [" ".join(part.split()) for part in words.split("...")]
    assert len(words) > 20
    assert [part for part in parts if part not in printed] == []


def test_the_guide_shows_commands() -> None:
    assert len(list(shown())) == 5
