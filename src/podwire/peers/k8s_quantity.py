"""Kubernetes quantities: counts of an extended resource, and amounts of CPUs and memory.

Source: apimachinery v0.37.2 pkg/api/resource/quantity.go ParseQuantity, suffix.go; kubernetes
v1.37.2 pkg/apis/core/validation: an extended resource is whole and not negative.
"""

import re
from collections.abc import Mapping
from fractions import Fraction

_FORM = re.compile(
    r"(?P<number>[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+))"
    r"(?P<suffix>[KMGTPE]i|[numkMGTPE]?|[eE](?P<exponent>[+-]?[0-9]{1,18}))"
)
_LONGEST = 1_000  # characters; nobody writes a count as long as this

_DECIMAL: Mapping[str, int] = {
    "n": -9,
    "u": -6,
    "m": -3,
    "": 0,
    "k": 3,
    "M": 6,
    "G": 9,
    "T": 12,
    "P": 15,
    "E": 18,
}
_BINARY: Mapping[str, int] = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}

_MOST = 2**63 - 1  # larger quantities are cut to this
_MOST_DIGITS = 19


def count(quantity: str | float) -> int:
    """Count whole units: `2`, `"2"`, `"1k"`, `"1Ki"`, `"2000m"`.

    Raises:
        ValueError: no quantity, not whole, or negative; the text is quoted.
    """
    text = quantity if isinstance(quantity, str) else _as_written(quantity)
    if len(text) < _MOST_DIGITS and text.isdecimal() and text.isascii():
        return int(text)  # Nearly always.
    whole = amount(text)
    if whole.denominator != 1:
        raise ValueError(f"{text!r} is not whole: an extended resource is counted in ones")
    return min(whole.numerator, _MOST)


def amount(quantity: str | float) -> Fraction:
    """Read a quantity that need not be whole: `1500m`, `0.5`, `64Gi`.

    Raises:
        ValueError: no quantity, or negative; the text is quoted.
    """
    text = quantity if isinstance(quantity, str) else _as_written(quantity)
    found = _FORM.fullmatch(text) if len(text) <= _LONGEST else None
    if found is None:
        raise ValueError(f"{text[:80]!r} is no Kubernetes quantity like 2 or 1k")
    number = Fraction(found["number"])
    if number < 0:
        raise ValueError(f"{text!r} is negative")
    return _scaled(number, found["suffix"], found["exponent"])


def _as_written(number: float) -> str:
    """Undo what a decoder did: JSON's 2.0 and 1e3 are texts to Kubernetes."""
    return str(int(number)) if number == number // 1 and abs(number) <= _MOST else str(number)


def _scaled(number: Fraction, suffix: str, exponent: str | None) -> Fraction:
    if suffix in _BINARY:
        return number * Fraction(1 << _BINARY[suffix])
    power = _DECIMAL[suffix] if exponent is None else int(exponent)
    if not number:
        return number
    if power < -_LONGEST - _MOST_DIGITS:
        return Fraction(1, 2)  # less than one, whatever its digits
    if power > _MOST_DIGITS + _LONGEST:
        return Fraction(_MOST)
    scale = Fraction(10 ** abs(power))
    return number * scale if power >= 0 else number / scale
