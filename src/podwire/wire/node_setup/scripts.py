"""What the commands of a unit do, with the place of each act in the file it stands in."""

import functools
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from podwire.facts.node import TextFile
from podwire.model.evidence import Place
from podwire.peers.shell.records import Act, Started, Wrote
from podwire.peers.systemd_unit.commands import Command
from podwire.peers.systemd_unit.variables import Environment, Replaced, expanded
from podwire.peers.systemd_words import Traced

_SHELLS = frozenset({"bash", "sh", "dash"})


class Done(msgspec.Struct, frozen=True, gc=False):
    """An act of a unit, where it stands, and the text that it stands in."""

    act: Act
    place: Place
    script: str


class Lost(msgspec.Struct, frozen=True, gc=False):
    """A variable of a script that systemd took away before the shell saw it."""

    name: str
    value: str | None
    place: Place


class Followed(msgspec.Struct, frozen=True):
    """One command: what it does as systemd starts it, and what whoever wrote it meant."""

    command: Command
    run: tuple[Done, ...]
    meant: tuple[Done, ...]
    lost: tuple[Lost, ...] = ()

    @property
    def first_write(self) -> str:
        """The first file that it really writes to; empty where there is none."""
        acts = (done.act for done in self.run)
        return next((act.path for act in acts if isinstance(act, Wrote)), "")


def follow(
    command: Command, *, environment: Environment, scripts: Mapping[str, TextFile]
) -> Followed:
    """Follow one command line.

    Args:
        command: as systemd reads it.
        environment: what it finds there.
        scripts: files of the machine, by path without the first slash.

    Raises:
        NoGrammarError: there is a script, and no grammar to read it.
    """
    at = _script_index(command)
    if at is not None:
        return _inline(command, at, environment)
    words = _started(command, environment)
    file = _file_of(words, scripts)
    if file is not None:
        done = tuple(_in_file(file, words, environment))
    else:
        act = Started(argv=words, at=0)
        done = (Done(act=act, place=command.line.place, script=command.line.value),)
    return Followed(command=command, run=done, meant=done)


def _script_index(command: Command) -> int | None:
    """Give the position of the script behind `bash -c`, or `env bash -c`."""
    first = _shell_index([word.text for word in command.argv])
    if first is None:
        return None
    for index, word in enumerate(command.argv[first + 1 : -1], start=first + 1):
        if word.text.startswith("-") and not word.text.startswith("--") and "c" in word.text:
            return index + 1
        if not word.text.startswith("-"):
            return None
    return None


def _shell_index(words: Sequence[str]) -> int | None:
    """Give the position of the shell that is started, by itself or through env."""
    names = [word.rpartition("/")[2] for word in words[:2]]
    at = 1 if names[0] == "env" else 0
    return at if names[at : at + 1] and names[at] in _SHELLS else None


def _inline(command: Command, at: int, environment: Environment) -> Followed:
    from podwire.peers.shell.tree import parse, variables_of  # noqa: PLC0415 - see `_acts`

    written = command.argv[at]
    if command.keeps_dollars:
        done = tuple(_done(written, command, environment))
        return Followed(command=command, run=done, meant=done)
    own = variables_of(parse(written.text.replace("$$", "$")))
    (run_word,) = expanded((written,), environment=environment) or (None,)
    if run_word is None:
        return Followed(command=command, run=(), meant=())
    lost = tuple(r for r in run_word.replaced if r.name in own)
    run = tuple(_done(run_word.word, command, environment))
    if not lost:
        return Followed(command=command, run=run, meant=run)
    (meant_word,) = expanded((written,), environment=environment, kept=own)
    meant = tuple(_done(meant_word.word, command, environment))
    return Followed(command=command, run=run, meant=meant, lost=_placed(lost, command))


def _placed(lost: tuple[Replaced, ...], command: Command) -> tuple[Lost, ...]:
    return tuple(Lost(name=r.name, value=r.value, place=command.line.place_at(r.at)) for r in lost)


def _done(script: Traced, command: Command, environment: Environment) -> Iterator[Done]:
    for act in _acts(script.text, environment):
        place = command.line.place_at(script.origin(act.at))
        yield Done(act=act, place=place, script=script.text)


def _in_file(file: TextFile, words: tuple[str, ...], environment: Environment) -> Iterator[Done]:
    name = file.document.name
    at = next((i for i, word in enumerate(words) if "/" in word and name.endswith(word)), 0)
    arguments = words[at + 1 :]
    for act in _acts(file.text, environment, arguments):
        line = file.text.count("\n", 0, act.at) + 1
        yield Done(act=act, place=Place(document=file.document, path=(line,)), script=file.text)


def _acts(text: str, environment: Environment, arguments: tuple[str, ...] = ()) -> tuple[Act, ...]:
    return _acts_of(text, tuple(sorted(environment.values.items())), arguments)


@functools.lru_cache(maxsize=256)  # A cluster's machines have the same few scripts.
def _acts_of(
    text: str, variables: tuple[tuple[str, str], ...], arguments: tuple[str, ...]
) -> tuple[Act, ...]:
    from podwire.peers.shell.evaluating import run  # noqa: PLC0415 - only where there is a script

    return run(text, variables=dict(variables), arguments=arguments).acts


def _started(command: Command, environment: Environment) -> tuple[str, ...]:
    if command.keeps_dollars:
        return tuple(word.text for word in command.argv)
    return tuple(e.word.text for e in expanded(command.argv, environment=environment))


def _file_of(words: tuple[str, ...], scripts: Mapping[str, TextFile]) -> TextFile | None:
    """Give the shell script that is started, by itself or by a shell."""
    shell = _shell_index(words)
    if shell is not None:
        path = next((word for word in words[shell + 1 :] if not word.startswith("-")), "")
        return scripts.get(path.lstrip("/"))
    file = scripts.get(words[0].lstrip("/"))
    if file is None:
        return None
    first = file.text.split("\n", 1)[0]
    is_shell = first.startswith("#!") and any(name in first for name in ("bash", "/sh", "dash"))
    return file if is_shell else None
