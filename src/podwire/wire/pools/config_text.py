"""A device plugin's configuration as text: what stands at a place in it, and what is no JSON."""

import json
from typing import Any

from podwire.model.evidence import Path

_SHOWN = 60  # characters; a value in a message is no file


def tree_of(text: str) -> Any | None:  # noqa: ANN401 - JSON
    """Parse it; None where it is no JSON."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def written_at(text: str, path: Path) -> str:
    """Quote the value at a path, shortened; empty where there is none."""
    try:
        value = at_path(tree_of(text), path)
    except (LookupError, TypeError):
        return ""
    written = json.dumps(value, ensure_ascii=False)
    return short(written)


def short(text: str) -> str:
    """Cut a text that is too long for a message."""
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."


def at_path(tree: Any, path: Path) -> Any:  # noqa: ANN401 - JSON
    """Follow a path.

    Raises:
        LookupError, TypeError: there is nothing at it.
    """
    for step in path:
        tree = tree[step]
    return tree


def json_error(text: str) -> str:
    """Say where and why a text is no JSON; empty where it is."""
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        return f"line {error.lineno}, column {error.colno}: {error.msg}"
    except RecursionError:
        return "it is nested too deep"
    return ""
