"""A rule's page: in a terminal, and as markdown for docs/rules; both say the same."""

import textwrap
from collections.abc import Iterable, Iterator

from podwire.findings.model import Joint, Rule
from podwire.present.lines import wrapped
from podwire.present.rule_page import prose_of
from podwire.present.unjudged import unjudged_lines
from podwire.present.wire_line import wire_line

_INDENT = " " * 4


def explained(rule: Rule) -> str:
    """Write the page for a terminal."""
    prose = prose_of(rule)
    lines = [f"{rule.id} {rule.slug}", *wrapped(rule.title), "", *wrapped(prose.summary)]
    for section in prose.sections:
        lines += ["", section.heading, *textwrap.indent(section.body, _INDENT).splitlines()]
    lines += ["", f"Joint: {rule.joint.value}"]
    lines += [_INDENT + drawn for drawn in (wire_line(rule.joint),) if drawn]
    lines += [f"Since: podwire {rule.since}"]
    if rule.refs:
        lines += ["Read in:", *(x for ref in rule.refs for x in wrapped(ref, first=f"{_INDENT}- "))]
    return "\n".join(lines) + "\n"


def listing(catalogue: Iterable[Rule]) -> str:
    """List all rules for a terminal, by the joint that they test."""
    lines: list[str] = []
    for joint, rules in _by_joint(catalogue):
        lines += ["", joint.value]
        for rule in rules:
            lines.append(f"  {rule.id:<7} {rule.slug}")
            lines += wrapped(rule.title, first=_INDENT * 2 + "  ")
    lines += ["", "podwire explain RULE shows one of them."]
    return "\n".join(lines[1:]) + "\n"


def page(rule: Rule) -> str:
    """Write the page as markdown."""
    prose = prose_of(rule)
    lines = [f"# {rule.id}: {rule.title}", "", f"`{rule.slug}`, since podwire {rule.since}.", ""]
    lines += [prose.summary, ""]
    for section in prose.sections:
        lines += [f"## {section.heading}", "", section.body, ""]
    lines += ["## Joint", "", f"{rule.joint.value}", ""]
    if drawn := wire_line(rule.joint):
        lines += ["```", drawn, "```", ""]
    if rule.refs:
        lines += ["## Read in", "", *(f"- {ref}" for ref in rule.refs), ""]
    lines += [f'Silence it: `podwire.io/ignore: "{rule.slug}: <reason>"`.']
    return "\n".join(lines) + "\n"


def pages(catalogue: Iterable[Rule]) -> Iterator[tuple[str, str]]:
    """Give every page with its file name, the index first."""
    rules = sorted(catalogue, key=_number)
    yield _index(rules), "README.md"
    for rule in rules:
        yield page(rule), f"{rule.id}.md"


def _index(rules: list[Rule]) -> str:
    lines = ["# Rules", "", "By the joint that they test, in the order of the wire.", ""]
    for joint, members in _by_joint(rules):
        lines += [f"## {joint.value}", ""]
        lines += [f"- [{r.id}]({r.id}.md) `{r.slug}`: {r.title}" for r in members]
        lines.append("")
    lines += unjudged_lines()
    return "\n".join(lines).rstrip("\n") + "\n"


def _by_joint(catalogue: Iterable[Rule]) -> Iterator[tuple[Joint, list[Rule]]]:
    """Give the joints that rules test, in the order of the wire."""
    rules = sorted(catalogue, key=_number)
    for joint in Joint:
        members = [rule for rule in rules if rule.joint is joint]
        if members:
            yield joint, members


def _number(rule: Rule) -> tuple[int, str]:
    """PW103 before PW1001."""
    return (int(rule.id[2:]) if rule.id[2:].isdecimal() else 0, rule.id)
