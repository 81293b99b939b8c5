"""Facts of sysfs in one text file: `path = value` for a file, `path -> target` for a link."""

import re
from collections.abc import Mapping

import msgspec

from podwire.documents.text import Position, Problem, printable

_LINE = re.compile(r"(?P<path>\S+)[ \t]+(?P<form>=|->)(?:[ \t]+(?P<rest>.*))?")


class Sysfs(msgspec.Struct, frozen=True):
    """Contents of files and last components of links' targets, by path without a first slash."""

    values: Mapping[str, str]
    links: Mapping[str, str]
    problems: tuple[Problem, ...] = ()


def parse(text: str) -> Sysfs:
    """Read line by line; a line of neither form is a problem and costs only itself."""
    values: dict[str, str] = {}
    links: dict[str, str] = {}
    problems: list[Problem] = []
    for number, line in enumerate(text.split("\n"), start=1):
        match = _LINE.fullmatch(line.strip())
        if match is None:
            if line.strip():
                problems.append(_neither(line, number))
            continue
        path = match["path"].strip("/")
        rest = (match["rest"] or "").strip()
        if path in values or path in links:
            message = f"{printable(path)} stands twice; the last one counts"
            problems.append(_problem(message, number))
            values.pop(path, None)
            links.pop(path, None)
        if match["form"] == "=":
            values[path] = rest
        else:
            links[path] = rest.rstrip("/").rpartition("/")[2]
    return Sysfs(values=values, links=links, problems=tuple(problems))


def _neither(line: str, number: int) -> Problem:
    shown = printable(line.strip(), 60)
    return _problem(f'"{shown}" is neither "path = value" nor "path -> target"', number)


def _problem(message: str, number: int) -> Problem:
    return Problem(message=message, position=Position(line=number, column=1), path=(number,))
