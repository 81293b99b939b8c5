"""One file a rule, grouped by what has to agree; `FAMILIES` names the groups.

A family is imported when something in sight is about it: with all of them a check of three
small files would take a quarter longer. `CATALOGUE` is every rule of every family.
"""

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

import msgspec

from podwire.findings.model import Rule
from podwire.rules.inputs import ignore_without_effect
from podwire.wire.picture import Picture

if TYPE_CHECKING:
    CATALOGUE: tuple[Rule, ...]


def _always(_: Picture) -> bool:
    return True


class Family(msgspec.Struct, frozen=True):
    """Rules about one joint or domain: the folder beside this file, and when they are asked."""

    name: str
    is_about: Callable[[Picture], bool] = _always

    @property
    def rules(self) -> tuple[Rule, ...]:
        """Its rules, in the order of their list."""
        found: tuple[Rule, ...] = import_module(f"{__name__}.{self.name}").RULES
        return found


def _has_nodes(picture: Picture) -> bool:
    """Without a node in sight, nor a pod on one, there is nobody to admit anything."""
    return bool(picture.node_names) or any(view.spec.node_name for view in picture.views)


def _has_gpus(picture: Picture) -> bool:
    return picture.gpus is not None


FAMILIES: tuple[Family, ...] = (
    Family("inputs"),
    Family("wiring"),
    Family("rdma"),
    Family("numa", is_about=_has_nodes),
    Family("vf", is_about=lambda picture: bool(picture.facts.node_files)),
    Family("gpu", is_about=_has_gpus),
    Family("cdi", is_about=_has_gpus),
    Family("pools"),
    Family("node", is_about=lambda picture: picture.node_setups is not None),
    Family("lifecycle"),
)


@cache
def _others() -> tuple[Rule, ...]:
    return tuple(rule for family in FAMILIES for rule in family.rules)


# The rule about ignoring rules has to know the others, where there is anything to ignore.
_IGNORING = ignore_without_effect.knowing(_others)


def rules_about(picture: Picture) -> tuple[Rule, ...]:
    """Give the rules of the families that have anything to say about what is in sight."""
    asked = (rule for family in FAMILIES if family.is_about(picture) for rule in family.rules)
    return (*asked, _IGNORING)


def __getattr__(name: str) -> object:
    if name == "CATALOGUE":
        return (*_others(), _IGNORING)
    raise AttributeError(name)
