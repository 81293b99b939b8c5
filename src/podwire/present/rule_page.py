"""The prose of a rule, from the docstring of the module that holds its check."""

import sys
import textwrap

import msgspec

from podwire.findings.model import Rule


class Section(msgspec.Struct, frozen=True):
    """A heading and what stands below it, not indented."""

    heading: str
    body: str


class Prose(msgspec.Struct, frozen=True):
    """One sentence about the fault, then What you see, Why, Fix."""

    summary: str
    sections: tuple[Section, ...]

    def section(self, heading: str) -> str:
        """Give the body below a heading; empty where there is none."""
        return next((s.body for s in self.sections if s.heading == heading), "")


def prose_of(rule: Rule) -> Prose:
    """Part the docstring at its headings: lines that are not indented, with indented ones below."""
    module = sys.modules.get(rule.check.__module__)
    lines = (module.__doc__ if module and module.__doc__ else rule.title).splitlines()
    summary: list[str] = []
    found: list[tuple[str, list[str]]] = []
    for index, line in enumerate(lines):
        below = lines[index + 1] if index + 1 < len(lines) else ""
        if line and not line[0].isspace() and below.startswith("    "):
            found.append((line, []))
        elif found:
            found[-1][1].append(line)
        else:
            summary.append(line)
    return Prose(
        summary="\n".join(summary).strip(),
        sections=tuple(
            Section(heading=heading, body=textwrap.dedent("\n".join(body)).strip("\n"))
            for heading, body in found
        ),
    )
