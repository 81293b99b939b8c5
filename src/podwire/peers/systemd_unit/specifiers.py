"""`%` in command lines.

Source: systemd v252 src/shared/specifier.c specifier_printf, src/core/unit-printf.c
unit_full_printf. A letter or digit that is no specifier is an error, and a command line
with one makes the whole unit bad (`Failed to resolve unit specifiers in ...: Invalid slot`).
"""

from podwire.peers.systemd_words import Traced

HOLE = "\ue000"  # stands for a text that only the machine knows
_OF_THE_MACHINE = "aAbBcdfgGHIjJlmMoPqrRsTuUvVwWyY"
_FOLDERS = {"C": "/var/cache", "E": "/etc", "L": "/var/log", "S": "/var/lib", "t": "/run"}


class BadSpecifierError(ValueError):
    """A `%` that systemd does not know: `specifier` is both characters, `at` their place."""

    def __init__(self, specifier: str, *, at: int) -> None:
        super().__init__(specifier)
        self.specifier = specifier
        self.at = at


def resolved(word: Traced, *, unit: str, is_lenient: bool = False) -> Traced:
    """Replace specifiers; `%%` becomes `%`, what only the machine knows a hole.

    Args:
        word: as it was cut out of the line.
        unit: its name.
        is_lenient: leave what systemd does not know, as whoever wrote it meant.

    Raises:
        BadSpecifierError: systemd does not know one.
    """
    if "%" not in word.text:
        return word
    text, at = [], []
    index = 0
    while index < len(word.text):
        pair = word.text[index : index + 2]
        value, width = (pair[0], 1) if pair[0] != "%" or len(pair) < 2 else (None, 2)
        if value is None:
            value = _value(pair, unit=unit)
        if value is None and not is_lenient:
            raise BadSpecifierError(pair, at=word.origin(index))
        value = pair if value is None else value
        text.append(value)
        at += [word.origin(index)] * len(value)
        index += width
    return Traced(text="".join(text), at=tuple(at))


def _value(pair: str, *, unit: str) -> str | None:
    letter = pair[1]
    stem = unit.rpartition(".")[0] or unit
    prefix, _, instance = stem.partition("@")
    known = {"%": "%", "n": unit, "N": stem, "p": prefix, "i": instance, "h": "/root"}
    if "@" in stem and not instance and letter in "inNj":
        return HOLE  # a template: only its instances have a name
    if letter in known or letter in _FOLDERS:
        return known.get(letter) or _FOLDERS.get(letter, "")
    if letter in _OF_THE_MACHINE:
        return HOLE
    return None if letter.isascii() and letter.isalnum() else pair
