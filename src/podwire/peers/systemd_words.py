r"""How systemd cuts a value into words: blanks, quotes, backslashes.

Source: systemd v252 src/basic/extract-word.c extract_first_word, src/basic/escape.c
cunescape_one. Each character of a word knows where in the value it stood, so that what a
shell makes of it later has a line in the file.
"""

from collections.abc import Iterator

import msgspec

SPACE = " \t\n\r"
_SIMPLE = {
    "a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v",
    "\\": "\\", '"': '"', "'": "'", "s": " ",
}  # fmt: skip
_CODED = {"x": (2, 16), "u": (4, 16), "U": (8, 16)}
_LAST_CHARACTER = 0x10FFFF


class Traced(msgspec.Struct, frozen=True, gc=False):
    """A text, and for each character its place in the value that it came from."""

    text: str
    at: tuple[int, ...]

    def origin(self, offset: int) -> int:
        """Lead from a character back to the value; past the end means the last one."""
        return self.at[min(offset, len(self.at) - 1)] if self.at else 0


class Word(msgspec.Struct, frozen=True, gc=False):
    """A word without its quotes, and where in the value the next one begins.

    `has_bad_escape`: systemd warns of an escape that it does not know, and keeps it.
    """

    traced: Traced
    end: int
    has_bad_escape: bool = False

    @property
    def text(self) -> str:
        """The word itself."""
        return self.traced.text


class UnbalancedError(ValueError):
    """A quote has no end; systemd drops the whole assignment."""


def words(value: str, *, unquotes: bool = True, unescapes: bool = True) -> tuple[Word, ...]:
    r"""Cut a whole value.

    Args:
        value: what stands behind `=`.
        unquotes: quotes group and go (EXTRACT_UNQUOTE).
        unescapes: `\n` and its like are read (EXTRACT_CUNESCAPE); else a backslash stays.

    Raises:
        UnbalancedError: a quote is open at the end.
    """
    return tuple(_all(value, unquotes=unquotes, unescapes=unescapes))


def _all(value: str, *, unquotes: bool, unescapes: bool) -> Iterator[Word]:
    at = 0
    while True:
        word = next_word(value, at, unquotes=unquotes, unescapes=unescapes)
        if word is None:
            return
        yield word
        at = word.end


def next_word(
    value: str, start: int, *, unquotes: bool = True, unescapes: bool = True
) -> Word | None:
    """Read one word; None where only blanks are left.

    Raises:
        UnbalancedError: a quote is open at the end.
    """
    while start < len(value) and value[start] in SPACE:
        start += 1
    if start == len(value):
        return None
    return _WordReader(value, unquotes=unquotes, unescapes=unescapes).read(start)


class _WordReader:
    def __init__(self, value: str, *, unquotes: bool, unescapes: bool) -> None:
        self._value = value
        self._unquotes = unquotes
        self._unescapes = unescapes
        self._text: list[str] = []
        self._at: list[int] = []
        self._has_bad_escape = False

    def read(self, at: int) -> Word:
        quote = ""
        value = self._value
        while at < len(value):
            character = value[at]
            if not quote and character in SPACE:
                break
            if self._unquotes and character in ("'", '"') and quote in {"", character}:
                quote = "" if quote else character
            elif character == "\\" and self._unescapes:
                at = self._escape(at)
                continue
            else:
                self._put(character, at)
            at += 1
        if quote:
            raise UnbalancedError(self._value)
        while at < len(value) and value[at] in SPACE:
            at += 1
        traced = Traced(text="".join(self._text), at=tuple(self._at))
        return Word(traced=traced, end=at, has_bad_escape=self._has_bad_escape)

    def _escape(self, at: int) -> int:
        """Read what a backslash begins; one that systemd does not know stays as it is."""
        found = _unescaped(self._value, at + 1)
        if found is None:
            self._has_bad_escape = True
            self._put("\\", at)
            if at + 1 < len(self._value):
                self._put(self._value[at + 1], at + 1)
            return at + 2
        character, length = found
        self._put(character, at)
        return at + 1 + length

    def _put(self, character: str, at: int) -> None:
        self._text.append(character)
        self._at.append(at)


def _unescaped(value: str, at: int) -> tuple[str, int] | None:
    character = value[at : at + 1]
    if character in _SIMPLE:
        return _SIMPLE[character], 1
    width, base = _CODED.get(character, (3, 8))
    skip = 1 if character in _CODED else 0
    digits = value[at + skip : at + skip + width]
    try:
        code = int(digits, base) if len(digits) == width and digits.isalnum() else 0
    except ValueError:
        return None
    return (chr(code), skip + width) if 0 < code <= _LAST_CHARACTER else None
