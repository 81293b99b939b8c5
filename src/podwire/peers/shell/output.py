"""What echo, printf and seq print; anything else prints a hole."""

import re

from podwire.peers.shell.records import HOLE

_PLACE = re.compile(r"%(?:%|(?P<flags>[-0 +#]*\d*(?:\.\d+)?)(?P<type>[sdiuxXoc]))")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", '"': '"', "0": "\0"}
_WIDE = re.compile(r"\d{4}")  # Nobody pads to 1,000 characters.
_MOST_NUMBERS = 10_000


def printed(argv: tuple[str, ...]) -> str:
    """Say what a command prints on its standard output, the last newline left out."""
    made = {"echo": _echo, "printf": _printf, "seq": _seq}.get(argv[0])
    return HOLE if made is None else made(argv[1:])


def _echo(words: tuple[str, ...]) -> str:
    rest = list(words)
    does_unescape = False
    while rest and re.fullmatch(r"-[neE]+", rest[0]):
        does_unescape |= "e" in rest.pop(0)
    text = " ".join(rest)
    return unescaped(text) if does_unescape else text


def unescaped(text: str) -> str:
    """Read backslashes as printf, echo -e and $'...' do, as far as scripts use them."""
    return re.sub(r"\\([ntr\\\"0])", lambda match: _ESCAPES[match[1]], text)


def _printf(words: tuple[str, ...]) -> str:
    rest = list(words[1:] if words[:1] == ("--",) else words)
    if not rest or HOLE in rest[0] or rest[0].startswith("-v") or _WIDE.search(rest[0]):
        return HOLE
    form, values = unescaped(rest[0]), rest[1:]
    if not values or not _PLACE.search(form):
        return _filled(form, []).removesuffix("\n")
    text = ""
    while values:
        text += _filled(form, values)
    return text.removesuffix("\n")


def _filled(form: str, values: list[str]) -> str:
    def fill(match: re.Match[str]) -> str:
        if match["type"] is None:
            return "%"
        value = values.pop(0) if values else ""
        if HOLE in value:
            return HOLE
        if match["type"] in "sc":
            return f"%{match['flags']}s" % value
        try:
            number = int(value or "0", 0)
        except ValueError:
            return HOLE
        return f"%{match['flags']}{match['type'].replace('u', 'd')}" % number

    return _PLACE.sub(fill, form)


def _seq(words: tuple[str, ...]) -> str:
    is_wide = "-w" in words
    try:
        numbers = [int(word) for word in words if word != "-w"]
    except ValueError:
        return HOLE
    if not 1 <= len(numbers) <= 3:
        return HOLE
    first = numbers[0] if len(numbers) > 1 else 1
    step = numbers[1] if len(numbers) == 3 else 1
    last = numbers[-1]
    if step == 0 or abs(last - first) // abs(step) > _MOST_NUMBERS:
        return HOLE
    found = [str(n) for n in range(first, last + (1 if step > 0 else -1), step)]
    width = max(map(len, found), default=0) if is_wide else 0
    return "\n".join(text.zfill(width) for text in found)
