"""Text as Go writes and reads it: quoted, and as a boolean (go1.26 strconv/quote.go, atob.go)."""

_ESCAPES = {
    "\a": "\\a",
    "\b": "\\b",
    "\f": "\\f",
    "\n": "\\n",
    "\r": "\\r",
    "\t": "\\t",
    "\v": "\\v",
    "\\": "\\\\",
    '"': '\\"',
}
_BOOLEANS = {
    **dict.fromkeys(("1", "t", "T", "true", "TRUE", "True"), True),
    **dict.fromkeys(("0", "f", "F", "false", "FALSE", "False"), False),
}


def parse_bool(text: str) -> bool | None:
    """Read a boolean as ParseBool does; None: it is none."""
    return _BOOLEANS.get(text)


def is_true(text: str) -> bool:
    """Say whether a text is a boolean, and that true."""
    return _BOOLEANS.get(text, False)


def quoted(text: str) -> str:
    """Quote as Go's %q does."""
    return f'"{"".join(map(_escaped, text))}"'


def _escaped(character: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    if character.isprintable():
        return character
    code = ord(character)
    if code < 0x80:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
