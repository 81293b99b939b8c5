r"""Text as it comes from files: decoding it, places in it, and showing it safely.

A line ends at a newline and nowhere else, as editors count; `text.split("\n")` gives the
lines that positions speak of.
"""

import codecs

import msgspec

from podwire.model.evidence import Path

_ELLIPSIS = "..."


class Position(msgspec.Struct, frozen=True, gc=False, order=True):
    """Line and column, both from 1; a column is a character."""

    line: int
    column: int


class Problem(msgspec.Struct, frozen=True, gc=False):
    """Something in the input that cannot be read, or is read but suspicious."""

    message: str
    position: Position | None = None
    path: Path = ()


def position_at(text: str, *, offset: int) -> Position:
    """Count lines and columns up to a character; an offset past the end means the end."""
    end = min(offset, len(text))
    return Position(
        line=text.count("\n", 0, end) + 1,
        column=end - (text.rfind("\n", 0, end) + 1) + 1,
    )


def decode_text(data: bytes) -> tuple[str, tuple[Problem, ...]]:
    r"""Decode UTF-8, with or without a byte order mark.

    Bytes that are no UTF-8 become U+FFFD, and the first of them is a problem. UTF-16 gives
    no text at all: every second character would be NUL.
    """
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "", (Problem(message="the file is UTF-16; save it as UTF-8", position=_START),)
    body = data.removeprefix(codecs.BOM_UTF8)
    try:
        return body.decode(), ()
    except UnicodeDecodeError as error:
        before = body[: error.start].decode()
        message = f"byte 0x{body[error.start]:02x} is no UTF-8 ({error.reason})"
        position = position_at(before, offset=len(before))
        return body.decode(errors="replace"), (Problem(message=message, position=position),)


def printable(text: str, limit: int = 200) -> str:
    r"""Make untrusted text one safe line: escapes for whatever a terminal would act on.

    Control and format characters (ESC, newlines, bidirectional overrides, zero-width ones)
    and spaces other than U+0020 become `\x1b`, `\n`, `\u202e`. The result has at most
    `limit` characters; what was cut ends in three dots.
    """
    head = text[: limit + 1]
    shown = head if head.isprintable() else "".join(map(_shown, head))
    if len(text) <= limit and len(shown) <= limit:
        return shown
    return shown[: max(limit - len(_ELLIPSIS), 0)] + _ELLIPSIS[:limit]


def _shown(character: str) -> str:
    if character.isprintable():
        return character
    return character.encode("unicode_escape").decode("ascii")


_START = Position(line=1, column=1)
