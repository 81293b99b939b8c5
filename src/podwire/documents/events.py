"""The events of one YAML document, and what can stop them."""

import re
from collections.abc import Iterator

import yaml

from podwire.documents import scalars
from podwire.documents.text import printable
from podwire.documents.tree import TOO_DEEP, Scalar

_LOADER = yaml.CBaseLoader if yaml.__with_libyaml__ else yaml.BaseLoader
_UNPRINTABLE = re.compile("[^\t\n\r -~\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class RefusedError(Exception):
    """The document cannot be read: why, and at which of its characters."""

    def __init__(self, message: str, *, offset: int) -> None:
        super().__init__(message)
        self.message = message
        self.offset = offset


def events_of(text: str) -> Iterator[yaml.Event]:
    """Give the parser's events; whoever iterates over them meets `yaml.YAMLError`.

    Raises:
        RefusedError: a character that YAML does not allow anywhere.
    """
    found = _UNPRINTABLE.search(text)
    if found is not None:
        message = f"the character {printable(found[0])} is not allowed in YAML"
        raise RefusedError(message, offset=found.start())
    return iter(_LOADER(text).get_event, None)


def refusal(error: yaml.YAMLError, *, text: str) -> RefusedError:
    """Put the parser's complaint into words; most of them name tokens, not causes."""
    if not isinstance(error, yaml.MarkedYAMLError):
        return RefusedError(str(error), offset=0)
    problem = str(error.problem)
    mark = error.problem_mark
    if error.context == "while scanning a simple key":
        mark = error.context_mark or mark  # The problem's own mark is wherever reading stopped.
    offset = 0 if mark is None else mark.index
    if problem.startswith("found character") and text[offset : offset + 1] == "\t":
        problem = "found a tab, and YAML indents with spaces only"
    elif "<document start>" in problem:
        problem = "found more after the document's end, and no line of --- before it"
    elif "nesting depth" in problem:
        return RefusedError(TOO_DEEP, offset=offset)
    elif problem.startswith("mapping values are not allowed"):
        problem = "found ': ' inside a value: indentation is off, or quotes are missing"
    context = "" if error.context is None else f" {error.context}"
    return RefusedError(f"{problem}{context}", offset=offset)


def start_of(event: yaml.Event) -> int:
    """Where an event begins, in characters."""
    return 0 if event.start_mark is None else event.start_mark.index


def end_of(event: yaml.Event) -> int:
    """Where an event ends, in characters."""
    return 0 if event.end_mark is None else event.end_mark.index


def scalar_of(event: yaml.ScalarEvent) -> Scalar:
    """Resolve a scalar by its style and tag.

    Raises:
        RefusedError: the tag contradicts the text.
    """
    if event.implicit[0]:
        return scalars.plain(event.value)
    if event.tag is None:
        return event.value
    try:
        return scalars.tagged(event.value, event.tag)
    except ValueError as error:
        raise RefusedError(str(error), offset=start_of(event)) from error


def is_merge(event: yaml.ScalarEvent) -> bool:
    """`<<` in place of a key, unquoted or tagged, takes over the keys of other mappings."""
    return event.value == "<<" and (event.implicit[0] or event.tag == scalars.TAG + "merge")
