"""Telling a Helm template from a manifest: the actions that stand where YAML would read them."""

import re

import yaml

from podwire.documents.events import events_of, start_of

_OPEN = "{{"
# What may hold braces in good YAML is skipped: block scalars, quotes on one line, comments.
_ACTION = re.compile(
    r"^( *+)[^\n{#\"']*+(?<=[|>])[-+0-9]*+[ \t]*+(?:#[^\n]*+)?\n(?:(?:\1 [^\n]*+|[ \t]*+)\n)*+"
    r'|"(?:[^"\\\n]|\\.)*+"'
    r"|'[^'\n]*+'"
    r"|(?:^|(?<=[ \t]))#[^\n]*+"
    r"|(?P<action>\{\{)",
    re.MULTILINE,
)


def action_in_yaml(text: str) -> int | None:
    """Find an action in an unquoted scalar of a text that parses, by its offset."""
    if _OPEN not in text:
        return None
    for event in events_of(text):
        if isinstance(event, yaml.ScalarEvent) and event.implicit[0] and _OPEN in event.value:
            return text.find(_OPEN, start_of(event))
    return None


def action_before(text: str, *, offset: int) -> int | None:
    """Find the first action of a text that does not parse, up to the line that stopped it."""
    if _OPEN not in text:
        return None
    newline = text.find("\n", offset)
    end = len(text) if newline < 0 else newline
    for match in _ACTION.finditer(text):
        if match["action"]:
            return match.start() if match.start() < end else None
    return None
