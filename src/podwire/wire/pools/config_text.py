"""A device plugin's configuration as text: what stands at a place in it."""

from podwire.model.evidence import Path
from podwire.peers.go_json import NotJson, at, parse, written

_SHOWN = 60  # characters; a value in a message is no file


def written_at(text: str, path: Path) -> str:
    """Quote the value at a path, shortened; empty where there is none."""
    try:
        return short(written(at(parse(text), path)))
    except (LookupError, NotJson):
        return ""


def short(text: str) -> str:
    """Cut a text that is too long for a message."""
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."
