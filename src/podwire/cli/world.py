"""What a command takes from outside its arguments; tests pass their own."""

import os
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from podwire.findings.model import Rule
    from podwire.wire.picture import Picture


class World:
    """The rules, the clock and the environment.

    `about` gives those of the rules that may have something to say; by default all.
    """

    def __init__(
        self,
        *,
        catalogue: "Callable[[], tuple[Rule, ...]]",
        now: Callable[[], datetime],
        environ: Mapping[str, str],
        about: "Callable[[Picture], tuple[Rule, ...]] | None" = None,
    ) -> None:
        self.catalogue = catalogue
        self.about = about or (lambda _: catalogue())
        self.now = now
        self.environ = environ


def real_world() -> World:
    """Take podwire's own catalogue, the clock of the machine and its environment."""
    return World(catalogue=_catalogue, now=_now, environ=os.environ, about=_about)


def _catalogue() -> "tuple[Rule, ...]":
    from podwire.rules import CATALOGUE

    return CATALOGUE


def _about(picture: "Picture") -> "tuple[Rule, ...]":
    from podwire.rules import rules_about

    return rules_about(picture)


def _now() -> datetime:
    return datetime.now(tz=UTC)
