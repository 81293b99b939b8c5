"""Something asks podwire to ignore a rule, and silences nothing.

What you see
    The finding is still there, although somebody meant to silence it; or
    nobody notices that an exception ended.

Why
    The annotation podwire.io/ignore takes "<id or slug>: <reason>; ...". An
    entry that names no rule, or gives no reason, has no effect. An entry of
    the configuration file ends with its day in until.

Fix
    Write the id or slug as podwire prints it, and why. Delete what has ended.
"""

from collections.abc import Callable, Iterable, Iterator
from difflib import get_close_matches

import msgspec

from podwire.findings.ignoring import IGNORE, parse_ignore
from podwire.findings.model import Evidence, Finding, Fix, Joint, Rule, Severity
from podwire.model.evidence import Place
from podwire.model.names import Ref
from podwire.wire.picture import Picture

_SLUG = "ignore-without-effect"
_ID = "PW004"


class Useless(msgspec.Struct, frozen=True, gc=False):
    """One entry that silences nothing: where it stands, why, and what would help."""

    ref: Ref
    place: Place
    written: str
    why: str
    cure: str


def check(useless: Useless, _: Picture) -> Iterator[Finding]:
    """Report it; templates pass their annotations on, so that many pods may have one fault."""
    yield Finding(
        severity=Severity.NOTE,
        message=useless.why,
        evidence=(Evidence(at=useless.place, saw=useless.written),),
        sees="what it was to silence is reported",
        fix=(Fix(text=useless.cure),),
        group=useless.why,
    )


def _useless(picture: Picture, others: Callable[[], Iterable[Rule]]) -> Iterator[Useless]:
    for fault in picture.facts.faults:
        if fault.slug == _SLUG:
            yield Useless(fault.ref, fault.place, "", fault.message, fault.cure)
    found = tuple(_annotations(picture))
    names = _names(others()) if found else frozenset()
    for ref, place, value in found:
        for name, reason in parse_ignore(value):
            near = get_close_matches(name, sorted(names), n=1)
            if name not in names:
                cure = f"write {near[0]}" if near else "podwire explain lists all rules"
                why = f"{IGNORE} names {name!r}, which is the id or slug of no rule"
                yield Useless(ref, place, value, why, cure)
            elif not reason:
                why = f"{IGNORE} gives no reason for {name}"
                yield Useless(ref, place, value, why, f'write "{name}: <reason>"')


def _annotations(picture: Picture) -> Iterator[tuple[Ref, Place, str]]:
    path = ("metadata", "annotations", IGNORE)
    for objects in picture.facts.kinds:
        for item in objects.items:
            if IGNORE in item.metadata.annotations:
                yield item.ref, item.place(*path), item.metadata.annotations[IGNORE]
    for view in picture.templates:
        if IGNORE in view.metadata.annotations:
            yield view.ref, view.place(*path), view.metadata.annotations[IGNORE]


def _names(rules: Iterable[Rule]) -> frozenset[str]:
    return frozenset({_ID, _SLUG, *(name for rule in rules for name in (rule.id, rule.slug))})


def knowing(others: Callable[[], Iterable[Rule]]) -> Rule:
    """Give this rule, with whoever can name the others; that is asked where it is needed."""
    return msgspec.structs.replace(RULE, over=lambda picture: tuple(_useless(picture, others)))


RULE = Rule(
    id=_ID,
    slug=_SLUG,
    title="Something asks to ignore a rule and silences nothing",
    since="0.1",
    joint=Joint.INPUT,
    refs=("podwire 0.1 engine/silence.py",),
    over=lambda picture: tuple(_useless(picture, tuple)),
    check=check,
)
