r"""Where a text stops being JSON, and what Go says of that character.

Source: encoding/json scanner.go of Go 1.26.8. At the end of the text Go tries one space more,
so a number or a word that was cut off is told to have met a space.
"""

import re
from typing import Final, NoReturn

_SPACE: Final = re.compile(r"[ \t\n\r]*")
_PLAIN: Final = re.compile(r'[^"\\\x00-\x1f]*')
_DIGITS: Final = re.compile(r"[0-9]*")
_ESCAPED: Final = frozenset('"\\/bfnrt')
_HEX: Final = frozenset("0123456789abcdefABCDEF")
_WORDS: Final = {"t": "true", "f": "false", "n": "null"}
_CUT: Final = "unexpected end of JSON input"


class _FaultError(Exception):
    """The first fault: Go's words, and the character."""

    def __init__(self, message: str, at: int) -> None:
        super().__init__(message)
        self.message, self.at = message, at


def fault_in(text: str) -> tuple[str, int] | None:
    """Give Go's words and the character where it stops; None where all of it is JSON."""
    try:
        _Scan(text).whole()
    except _FaultError as fault:
        return fault.message, fault.at
    return None


class _Scan:
    """One walk over a text; nesting is a list, so that depth costs no stack."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def whole(self) -> None:
        """Walk to the end."""
        open_: list[str] = []
        self.space()
        while True:
            if self.value(open_):
                continue
            while self.after_value(open_) == "closed":
                pass
            if not open_ and self.at >= len(self.text):
                return

    def value(self, open_: list[str]) -> bool:
        """Read a value; true where it opened something that has a first value to be read."""
        sign = self.peek()
        if sign == "":
            self.cut()
        self.at += 1
        if sign == "[":
            open_.append("]")
            self.space()
            return not self.closes(open_)
        if sign == "{":
            open_.append("}")
            self.space()
            if self.closes(open_):
                return False
            self.key()
            return True
        self.scalar(sign)
        return False

    def scalar(self, sign: str) -> None:
        """Read a string, a number or a word whose first character was read."""
        if sign == '"':
            self.string()
        elif sign == "-" or sign in "0123456789":
            self.number(sign)
        elif sign in _WORDS:
            word = _WORDS[sign]
            for letter in word[1:]:
                self.expect(letter, f"in literal {word} (expecting '{letter}')")
        else:
            self.at -= 1
            self.refuse("looking for beginning of value")

    def after_value(self, open_: list[str]) -> str:
        """Read what follows a value; "closed" where that was the end of another one."""
        self.space()
        if not open_:
            if self.at < len(self.text):
                self.refuse("after top-level value")
            return ""
        if self.peek() == "":
            self.cut()
        if self.closes(open_):
            return "closed"
        is_object = open_[-1] == "}"
        if self.peek() != ",":
            self.refuse("after object key:value pair" if is_object else "after array element")
        self.at += 1
        self.space()
        if is_object:
            self.key()
        return ""

    def closes(self, open_: list[str]) -> bool:
        if self.peek() != open_[-1]:
            return False
        open_.pop()
        self.at += 1
        return True

    def key(self) -> None:
        """Read a key and its colon."""
        if self.peek() == "":
            self.cut()
        if self.peek() != '"':
            self.refuse("looking for beginning of object key string")
        self.at += 1
        self.string()
        self.space()
        if self.peek() == "":
            self.cut()
        self.expect(":", "after object key")
        self.space()

    def string(self) -> None:
        """Read the rest of a string."""
        while True:
            self.skip(_PLAIN)
            sign = self.peek()
            if sign == "":
                self.cut()
            if sign not in {'"', "\\"}:
                self.refuse("in string literal")
            self.at += 1
            if sign == '"':
                return
            self.escape()

    def escape(self) -> None:
        if self.peek() == "u":
            self.at += 1
            for _ in range(4):
                if self.peek() not in _HEX:
                    self.refuse("in \\u hexadecimal character escape")
                self.at += 1
        elif self.peek() in _ESCAPED:
            self.at += 1
        else:
            self.refuse("in string escape code")

    def number(self, sign: str) -> None:
        """Read the rest of a number."""
        if sign == "-":
            sign = self.digit("in numeric literal")
        if sign != "0":
            self.skip(_DIGITS)
        if self.peek() == ".":
            self.at += 1
            self.digit("after decimal point in numeric literal")
            self.skip(_DIGITS)
        if self.peek() in {"e", "E"}:
            self.at += 1
            if self.peek() in {"+", "-"}:
                self.at += 1
            self.digit("in exponent of numeric literal")
            self.skip(_DIGITS)

    def digit(self, where: str) -> str:
        sign = self.peek()
        if not sign or sign not in "0123456789":
            self.refuse(where)
        self.at += 1
        return sign

    def expect(self, sign: str, where: str) -> None:
        if self.peek() != sign:
            self.refuse(where)
        self.at += 1

    def peek(self) -> str:
        return self.text[self.at : self.at + 1]

    def space(self) -> None:
        self.skip(_SPACE)

    def skip(self, pattern: re.Pattern[str]) -> None:
        found = pattern.match(self.text, self.at)
        self.at = found.end() if found else self.at

    def cut(self) -> NoReturn:
        raise _FaultError(_CUT, len(self.text))

    def refuse(self, where: str) -> NoReturn:
        message = f"invalid character {_quoted(self.peek() or ' ')} {where}"
        raise _FaultError(message, self.at)


def _quoted(character: str) -> str:
    """Quote the first byte of a character, which is all that Go looks at."""
    byte = character.encode(errors="replace")[0]
    named = {0x27: "\\'", 0x5C: "\\\\", 0x07: "\\a", 0x08: "\\b", 0x0C: "\\f", 0x0B: "\\v"}
    named |= {0x0A: "\\n", 0x0D: "\\r", 0x09: "\\t"}
    if byte in named:
        return f"'{named[byte]}'"
    if byte < 0x20 or byte == 0x7F:
        return f"'\\x{byte:02x}'"
    return f"'\\u{byte:04x}'" if 0x80 <= byte <= 0xA0 or byte == 0xAD else f"'{chr(byte)}'"
