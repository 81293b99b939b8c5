"""Command lines of units: `ExecStart=` and its like.

Source: systemd v252 src/core/load-fragment.c config_parse_exec.
"""

import re
from collections.abc import Iterator, Sequence

import msgspec

from podwire.peers.systemd_unit.records import Line, Unit
from podwire.peers.systemd_unit.specifiers import BadSpecifierError, resolved
from podwire.peers.systemd_unit.variables import Environment
from podwire.peers.systemd_words import SPACE, Traced, UnbalancedError, next_word

_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_NO_ZEROTH = "Empty executable name or zeroeth argument"
EXEC_KEYS = ("ExecCondition", "ExecStartPre", "ExecStart", "ExecStartPost")


class Fault(msgspec.Struct, frozen=True, gc=False):
    """Why systemd refuses a command line, at which character of it, and what it prints."""

    piece: str
    at: int
    says: str


class Command(msgspec.Struct, frozen=True, gc=False):
    """One program to start: its words without quotes, specifiers filled in, variables not.

    `is_optional`: its failure does not count (`-`). `keeps_dollars`: variables are not
    replaced (`:`). With a `fault` the words are what was meant.
    """

    line: Line
    argv: tuple[Traced, ...]
    is_optional: bool = False
    keeps_dollars: bool = False
    fault: Fault | None = None

    @property
    def program(self) -> str:
        """What is started."""
        return self.argv[0].text

    @property
    def is_fatal(self) -> bool:
        """Whether systemd starts nothing of the unit because of it; behind `-` it goes on."""
        return self.fault is not None and not self.is_optional


def commands_of(unit: Unit) -> tuple[Command, ...]:
    """Read all command lines that run when the unit starts, in the order in which they do."""
    return tuple(
        command
        for key in EXEC_KEYS
        for line in unit.listed("Service", key)
        for command in _of_line(line, unit.name)
    )


def _of_line(line: Line, unit: str) -> list[Command]:
    try:
        return _commands(line, unit)
    except UnbalancedError:
        fault = Fault(piece="", at=0, says=f'Unbalanced quoting, ignoring: "{line.value}"')
        word = Traced(text=line.value, at=tuple(range(len(line.value))))
        is_optional = "-" in _prefix(line.value)
        return [Command(line=line, argv=(word,), is_optional=is_optional, fault=fault)]


def refusal_of(unit: Unit, commands: Sequence[Command]) -> str | None:
    """Say why systemd starts nothing of a unit, in its words; None: it does."""
    fatal = next((c for c in commands if c.is_fatal and c.fault is not None), None)
    if fatal is not None and fatal.fault is not None:
        return fatal.fault.says
    starts = [c for c in commands if c.fault is None and c.line.found.key == "ExecStart"]
    if len(starts) > 1 and unit.kind != "oneshot":
        return (
            "Service has more than one ExecStart= setting, which is only allowed for "
            "Type=oneshot services. Refusing."
        )
    others = (unit.listed("Service", "ExecStop"), unit.single("Unit", "SuccessAction"))
    if not starts and not any(others):
        return "Service has no ExecStart=, ExecStop=, or SuccessAction=. Refusing."
    return None


def environment_of(unit: Unit) -> Environment:
    """Read `Environment=`; files and what is passed on from systemd's own are not known."""
    values = {
        name: value
        for line in unit.listed("Service", "Environment")
        for name, value in _assignments(line.value, unit.name)
    }
    for line in unit.listed("Service", "UnsetEnvironment"):
        for name in line.value.split():
            values.pop(name.partition("=")[0], None)
    is_whole = not any(unit.listed("Service", k) for k in ("EnvironmentFile", "PassEnvironment"))
    return Environment(values=values, is_whole=is_whole)


def _assignments(value: str, unit: str) -> Iterator[tuple[str, str]]:
    """Read as far as the quotes are balanced; a word with a bad escape or specifier is dropped.

    Source: systemd v252 src/core/load-fragment.c config_parse_environ.
    """
    at = 0
    while True:
        try:
            word = next_word(value, at)
        except UnbalancedError:
            return
        if word is None or word.has_bad_escape:
            return
        at = word.end
        try:
            text = resolved(word.traced, unit=unit).text
        except BadSpecifierError:
            continue
        name, equals, content = text.partition("=")
        if equals and _NAME.fullmatch(name):
            yield name, content


def _commands(line: Line, unit: str) -> list[Command]:
    r"""Cut at lone semicolons; `\;` is one of the program's words."""
    found: list[Command] = []
    value, at = line.value, 0
    argv: list[Traced] = []
    while (word := next_word(value, at)) is not None:
        raw = value[at : word.end].strip(SPACE)
        at = word.end
        if raw == ";":
            found += _command(line, argv, unit)
            argv = []
        elif raw == "\\;":
            argv.append(Traced(text=";", at=(at,)))
        else:
            argv.append(word.traced)
    return [*found, *_command(line, argv, unit)]


def _command(line: Line, argv: list[Traced], unit: str) -> list[Command]:
    if not argv:
        return []
    prefix = _prefix(argv[0].text)
    width = len(prefix)
    program = Traced(text=argv[0].text[width:], at=argv[0].at[width:])
    rest = argv[2:] if "@" in prefix else argv[1:]
    says = _refused(program.text) or ("@" in prefix and len(argv) < 2 and _NO_ZEROTH)
    fault = Fault(piece=program.text, at=argv[0].origin(0), says=says) if says else None
    fault = fault or next(filter(None, (_fault(word, unit) for word in argv[1:])), None)
    return [
        Command(
            line=line,
            argv=(program, *(resolved(word, unit=unit, is_lenient=True) for word in rest)),
            is_optional="-" in prefix,
            keeps_dollars=":" in prefix,
            fault=fault,
        )
    ]


def _refused(program: str) -> str | None:
    """Say why a program's name is none: it is absolute, or a plain name."""
    if not program:
        return "Empty path in command line"
    if program.endswith("/"):
        return f"Executable path specifies a directory: {program}"
    if not program.startswith("/") and ("/" in program or program in {".", ".."}):
        return f"Neither a valid executable name nor an absolute path: {program}"
    return None


def _fault(word: Traced, unit: str) -> Fault | None:
    try:
        resolved(word, unit=unit)
    except BadSpecifierError as error:
        says = f"Failed to resolve unit specifiers in {word.text}: Invalid slot"
        return Fault(piece=error.specifier, at=error.at, says=says)
    return None


def _prefix(text: str) -> str:
    """Take the signs before a program: each once, and of `+`, `!` and `!!` one."""
    taken = ""
    for sign in text:
        is_own = sign in "-@:" and sign not in taken
        is_of_rights = sign in "+!" and not {"+", "!"} & set(taken)
        if not (is_own or is_of_rights or (sign == "!" and taken.count("!") == 1)):
            break
        taken += sign
    return taken
