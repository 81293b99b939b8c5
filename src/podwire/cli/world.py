"""What a command takes from outside its arguments; tests pass their own."""

import os
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from podwire.findings.model import Rule


class World:
    """The rules, the clock and the environment."""

    def __init__(
        self,
        *,
        catalogue: "Callable[[], tuple[Rule, ...]]",
        now: Callable[[], datetime],
        environ: Mapping[str, str],
    ) -> None:
        self.catalogue = catalogue
        self.now = now
        self.environ = environ


def real_world() -> World:
    """Take podwire's own catalogue, the clock of the machine and its environment."""
    return World(catalogue=_catalogue, now=_now, environ=os.environ)


def _catalogue() -> "tuple[Rule, ...]":
    from podwire.rules import CATALOGUE

    return CATALOGUE


def _now() -> datetime:
    return datetime.now(tz=UTC)
