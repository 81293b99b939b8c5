"""What a terminal wants: colour, or plain text."""

from collections.abc import Mapping
from typing import TextIO


def has_colour(choice: str, *, stream: TextIO, environ: Mapping[str, str]) -> bool:
    """Follow --colour; by itself only on a terminal, without NO_COLOR (no-color.org)."""
    if choice != "auto":
        return choice == "always"
    if environ.get("NO_COLOR") or environ.get("TERM") == "dumb":
        return False
    return stream.isatty()
