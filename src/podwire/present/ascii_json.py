"""JSON in printable ASCII: no name in it can act on a terminal or break a parser."""

import json
import re

_OTHER = re.compile(r"[^\x20-\x7e\n]")


def document(tree: object) -> str:
    """Write a whole document, indented, with a newline at its end."""
    return _ascii(json.dumps(tree, indent=2, ensure_ascii=False)) + "\n"


def one_line(tree: object) -> str:
    """Write a value on one line."""
    return _ascii(json.dumps(tree, ensure_ascii=False))


def _ascii(text: str) -> str:
    """Escape what is no printable ASCII; half a surrogate pair becomes a question mark."""
    return _OTHER.sub(_escaped, text.encode(errors="replace").decode())


def _escaped(match: re.Match[str]) -> str:
    if match[0] == "\x7f":  # The one character of ASCII that json leaves as it is.
        return "\\u007f"
    return json.dumps(match[0])[1:-1]
