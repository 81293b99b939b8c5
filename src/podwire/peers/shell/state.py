"""What a shell knows at one point: variables, functions, arguments, and what was done so far."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TypeAlias

from podwire.peers.shell.records import HOLE, Act, Gap, Started, Wrote
from podwire.peers.shell.tree import Node

Value: TypeAlias = str | tuple[str, ...]
_MOST_ACTS = 5_000
_MOST_STEPS = 20_000
_LONGEST = 100_000


class TooMuchError(Exception):
    """The script does more than is followed here."""


class State:
    """Changed while a script is followed; one for each script."""

    def __init__(self, variables: dict[str, str], arguments: tuple[str, ...]) -> None:
        self.variables: dict[str, Value] = dict(variables)
        self.functions: dict[str, Node] = {}
        self.arguments = arguments
        self.acts: list[Act] = []
        self.depth = 0
        self.may_have_returned = False
        self.may_have_exited = False
        self.may_have_turned = False
        self.may_have_broken = False
        self._doubts = 0
        self._conditions = 0
        self._steps = 0

    @property
    def is_certain(self) -> bool:
        """Whether what stands here is carried out, and as often as it is followed."""
        return self._doubts == 0 and not self._may_be_skipped

    @property
    def _may_be_skipped(self) -> bool:
        return self.may_have_exited or self.may_have_turned or self.may_have_broken

    def step(self) -> None:
        """Count; a script that goes on and on is given up."""
        self._steps += 1
        if self._steps > _MOST_STEPS or len(self.acts) > _MOST_ACTS:
            raise TooMuchError

    def wrote(self, path: str, value: str, at: int) -> None:
        """Note a write; what goes to /dev/null or the terminal is none."""
        if not path.startswith(("/dev/null", "/dev/std", "/dev/tty", "&")):
            self.acts.append(
                Wrote(
                    path=path,
                    value=value,
                    at=at,
                    is_certain=self.is_certain,
                    is_conditional=self._conditions > 0 or self._may_be_skipped,
                )
            )

    def started(self, argv: tuple[str, ...], at: int) -> None:
        """Note a program."""
        self.acts.append(Started(argv=argv, at=at, is_certain=self.is_certain))

    def gap(self, construct: str, at: int) -> None:
        """Note something that is not modelled."""
        self.acts.append(Gap(construct=construct, at=at))

    def get(self, name: str) -> Value:
        """Give a variable; one that nobody set may come from outside."""
        return self.variables.get(name, HOLE)

    def set(self, name: str, value: Value) -> None:
        """Set a variable; one that grows without end becomes a hole."""
        self.variables[name] = HOLE if len(value) > _LONGEST else value

    @contextmanager
    def apart(self) -> Iterator[None]:
        """Follow a shell of its own: what it sets, and that it may have ended, stay in it."""
        variables, has_exited = dict(self.variables), self.may_have_exited
        try:
            yield
        finally:
            self.variables, self.may_have_exited = variables, has_exited

    @contextmanager
    def turning(self, *, is_whole: bool = False) -> Iterator[None]:
        """Follow one turn of a loop, or the whole: that it was left ends with it."""
        turned, broken = self.may_have_turned, self.may_have_broken
        try:
            yield
        finally:
            self.may_have_turned = turned
            if is_whole:
                self.may_have_broken = broken

    @contextmanager
    def in_doubt(self, *, is_loop: bool = False) -> Iterator[None]:
        """Follow something that may not happen: what it sets is unknown afterwards."""
        before = dict(self.variables)
        self._doubts += 1
        self._conditions += not is_loop
        try:
            yield
        finally:
            self._doubts -= 1
            self._conditions -= not is_loop
            for name, value in self.variables.items():
                if before.get(name, HOLE) != value:
                    self.variables[name] = HOLE
            for name in before.keys() - self.variables.keys():
                self.variables[name] = HOLE
