"""`$` in command lines: systemd puts its own environment in before any shell runs.

Source: systemd v252 src/basic/env-util.c replace_env_argv and replace_env_n (v257 does the
same and logs `Referenced but unset environment variable evaluates to an empty string`).
`${NAME}` is replaced wherever it stands, also inside quotes; `$NAME` only where it is a whole
word; `$$` is a dollar; any other `$` stays.
"""

from collections.abc import Collection, Mapping

import msgspec

from podwire.peers.systemd_unit.specifiers import HOLE
from podwire.peers.systemd_words import Traced


class Replaced(msgspec.Struct, frozen=True, gc=False):
    """One `${NAME}` that systemd replaced; `value` None: it is unset and becomes nothing."""

    name: str
    value: str | None
    at: int


# What systemd itself gives to a program, with values of the machine and the moment
# (systemd.exec(5), environment variables in spawned processes).
_OF_SYSTEMD = frozenset(
    {
        "PATH", "LANG", "USER", "LOGNAME", "HOME", "SHELL", "INVOCATION_ID", "SYSTEMD_EXEC_PID",
        "JOURNAL_STREAM", "MAINPID", "NOTIFY_SOCKET", "RUNTIME_DIRECTORY", "STATE_DIRECTORY",
        "CACHE_DIRECTORY", "LOGS_DIRECTORY", "CONFIGURATION_DIRECTORY", "CREDENTIALS_DIRECTORY",
        "MEMORY_PRESSURE_WATCH", "MEMORY_PRESSURE_WRITE", "TERM", "TMPDIR",
    }
)  # fmt: skip


class Environment(msgspec.Struct, frozen=True, gc=False):
    """What a unit's commands find in their environment.

    `is_whole` is False where files that nobody collected add to it.
    """

    values: Mapping[str, str] = {}
    is_whole: bool = True

    def get(self, name: str) -> str | None:
        """Give a value; a hole where only the machine, or a file that was not read, has one."""
        if name in self.values:
            return self.values[name]
        return None if self.is_whole and name not in _OF_SYSTEMD else HOLE


class Expanded(msgspec.Struct, frozen=True, gc=False):
    """A word as the program gets it, and what was replaced in it."""

    word: Traced
    replaced: tuple[Replaced, ...] = ()


def expanded(
    argv: tuple[Traced, ...], *, environment: Environment, kept: Collection[str] = ()
) -> tuple[Expanded, ...]:
    """Replace variables in the words of a command; `kept` are left alone, for whoever asks."""
    found: list[Expanded] = []
    for word in argv:
        if word.text[:1] == "$" and word.text[1:2] not in {"{", "$"}:
            found += _whole(word, environment)
        else:
            found.append(_within(word, environment, kept))
    return tuple(found)


def _whole(word: Traced, environment: Environment) -> list[Expanded]:
    value = environment.get(word.text[1:])
    at = word.origin(0)
    return [
        Expanded(word=Traced(text=part, at=(at,) * len(part))) for part in (value or "").split()
    ]


def _within(word: Traced, environment: Environment, kept: Collection[str]) -> Expanded:
    text: list[str] = []
    at: list[int] = []
    replaced: list[Replaced] = []
    index, source = 0, word.text
    while index < len(source):
        name = _name_at(source, index)
        if name is not None and name not in kept:
            value = environment.get(name)
            replaced.append(Replaced(name=name, value=value, at=word.origin(index)))
            text.append(value or "")
            at += [word.origin(index)] * len(value or "")
            index += len(name) + 3
            continue
        width = 2 if source[index] == "$" and index + 1 < len(source) else 1
        shown = "$" if source[index : index + 2] == "$$" else source[index : index + width]
        text.append(shown)
        at += [word.origin(index + i) for i in range(len(shown))]
        index += width
    return Expanded(word=Traced(text="".join(text), at=tuple(at)), replaced=tuple(replaced))


def _name_at(text: str, index: int) -> str | None:
    """Read the name of a `${NAME}`; with a colon in it systemd leaves all as it is."""
    if text[index : index + 2] != "${":
        return None
    end = text.find("}", index)
    name = text[index + 2 : end]
    return None if end < 0 or ":" in name else name
