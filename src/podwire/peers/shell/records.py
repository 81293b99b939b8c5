"""What a script did, as far as that can be told without running it."""

from typing import TypeAlias

import msgspec

from podwire.peers.systemd_unit.specifiers import HOLE

__all__ = ["HOLE", "Act", "Gap", "Loop", "Ran", "Started", "Wrote"]


class Wrote(msgspec.Struct, frozen=True, gc=False):
    """A text that went into a file; both may have holes. `at` is a character of the script.

    `is_certain` is False under a condition, or in a loop, that nobody can decide here;
    `is_conditional` says that it is a condition.
    """

    path: str
    value: str
    at: int
    is_certain: bool = True
    is_conditional: bool = False


class Started(msgspec.Struct, frozen=True, gc=False):
    """A program that the script starts."""

    argv: tuple[str, ...]
    at: int
    is_certain: bool = True


class Loop(msgspec.Struct, frozen=True, gc=False):
    """A loop that goes on while something is (not) so: it may wait for it."""

    condition: str
    at: int


class Gap(msgspec.Struct, frozen=True, gc=False):
    """A construct that is not modelled: it may do anything."""

    construct: str
    at: int


Act: TypeAlias = Wrote | Started | Loop | Gap


class Ran(msgspec.Struct, frozen=True):
    """Everything a script did, in order."""

    acts: tuple[Act, ...]
