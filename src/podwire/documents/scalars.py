"""What an unquoted word in YAML means to Kubernetes: go-yaml v2's rules, not PyYAML's.

kubectl reads manifests through sigs.k8s.io/yaml, which turns YAML into JSON; so `yes` is a
boolean, `010` is 8, `1:30` and dates are strings, and keys are always strings.
Source: go.yaml.in/yaml/v2 v2.4.4 resolve.go, sigs.k8s.io/yaml v1.6.0 yaml.go.
"""

import base64
import binascii
import decimal
import math
import re
import struct

from podwire.documents.text import printable
from podwire.documents.tree import Scalar

TAG = "tag:yaml.org,2002:"

# What an unquoted scalar that is no plain string can begin with; or it is empty.
HINTS = frozenset("+-.0123456789yYnNtTfFoO~")
_LETTERS = frozenset("yYnNtTfFoO~")
_WORDS: dict[str, Scalar] = {
    **dict.fromkeys(("y", "Y", "yes", "Yes", "YES"), True),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("on", "On", "ON"), True),
    **dict.fromkeys(("n", "N", "no", "No", "NO"), False),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys(("off", "Off", "OFF"), False),
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), math.nan),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), math.inf),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), -math.inf),
}
_INTEGER = re.compile(
    r"([-+]?)"
    r"(?:0[xX](?P<x>[0-9a-fA-F]+)|0[bB](?P<b>[01]+)|0[oO]?(?P<o>[0-7]+)|(?P<d>0|[1-9][0-9]*))"
)
_BASES = {"x": 16, "b": 2, "o": 8, "d": 10}
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
# Go's own reader of floats, which sees what starts with a dot, knows `_` between digits only.
_DOTTED = re.compile(r"\.[0-9](_?[0-9])*([eE][-+]?[0-9](_?[0-9])*)?")
_KINDS: dict[str, type[Scalar]] = {"bool": bool, "int": int, "float": float, "null": type(None)}
_INT64 = 2**63
_UINT64 = 2**64


def plain(text: str) -> Scalar:
    """Resolve an unquoted scalar that has no tag."""
    if text and text[0] not in HINTS:
        return text
    if text in _WORDS:
        return _WORDS[text]
    if text[0] in _LETTERS:
        return text
    return _number(text)


def tagged(text: str, tag: str) -> Scalar:
    """Resolve a scalar with an explicit tag, quoted or not; a foreign tag means a string.

    Raises:
        ValueError: the text is nothing that the tag can mean.
    """
    kind = tag.removeprefix(TAG)
    if kind == "binary":
        return _binary(text)
    if kind not in _KINDS:
        return text
    value = plain(text)
    if kind == "float" and type(value) is int:
        value = float(value)
    if type(value) is not _KINDS[kind]:
        raise ValueError(f'"{printable(text, 40)}" is no !!{kind}')
    return value


def key_text(value: Scalar) -> str:
    """Write a mapping's key as the JSON key it becomes.

    Raises:
        ValueError: Kubernetes refuses such a key.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return _single(value)
    if value is None:
        raise ValueError("a key is null; Kubernetes takes strings, numbers and booleans only")
    if value >= _INT64:
        raise ValueError(f"the key {value} is beyond 64 bits; put it in quotes")
    return str(value)


def _number(text: str) -> Scalar:
    digits = text.replace("_", "")
    found: Scalar = None
    if text[0] == ".":
        found = _float(digits) if _DOTTED.fullmatch(text) else None
    else:
        found = _integer(digits)
        if found is None and _FLOAT.fullmatch(digits):
            found = _float(digits)
    return text if found is None else found


def _integer(digits: str) -> int | None:
    """Read what fits into 64 bits, signed or not; a sign rules the unsigned ones out."""
    match = _INTEGER.fullmatch(digits)
    if match is None:
        return None
    group = match.lastgroup or "d"
    if group == "d" and len(digits) > 21:
        return None  # Beyond 64 bits; Python itself refuses to read thousands of digits.
    sign = match[1]
    value = int(match[group], _BASES[group])
    if sign == "-":
        return -value if value <= _INT64 else None
    return value if value < (_INT64 if sign else _UINT64) else None


def _float(digits: str) -> float | None:
    """Read a float; what Go calls out of range stays a string there."""
    value = float(digits)
    return None if math.isinf(value) else value


def _binary(text: str) -> str:
    try:
        data = base64.b64decode(text.replace("\r", "").replace("\n", ""), validate=True)
    except binascii.Error as error:
        raise ValueError(
            f'"{printable(text, 40)}" is no base64, which !!binary asks for'
        ) from error
    return data.decode(errors="replace")


def _single(value: float) -> str:
    """Write a float as Go's FormatFloat(value, 'g', -1, 32): shortest that a float32 keeps."""
    if math.isnan(value):
        return ".nan"
    try:
        packed = struct.pack("<f", value)
    except OverflowError:
        return ".inf" if value > 0 else "-.inf"
    single: float = struct.unpack("<f", packed)[0]
    if math.isinf(single):
        return ".inf" if single > 0 else "-.inf"
    tries = (f"{single:.{digits}e}" for digits in range(9))
    shortest = next(t for t in tries if struct.pack("<f", float(t)) == packed)
    mantissa, _, exponent = shortest.partition("e")
    if -4 <= int(exponent) < 6:
        return f"{decimal.Decimal(shortest):f}"
    return f"{mantissa}e{int(exponent):+03d}"
