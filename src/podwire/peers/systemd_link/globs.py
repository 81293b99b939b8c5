"""Shell patterns as the C library's fnmatch reads them, without flags.

Python's differ: here a backslash takes the next character as it is, `[^a]` is `[!a]`, and
a bracket that is not closed stands for itself.
"""

import functools
import re


@functools.lru_cache(maxsize=256)
def matches(pattern: str, text: str) -> bool | None:
    """Match a whole text; None where the pattern has a class that is not modelled."""
    parts = []
    at = 0
    while at < len(pattern):
        if pattern[at] == "[":
            found = _bracket(pattern, at)
            if found is None:
                return None
            part, at = found
        else:
            part, at = _single(pattern, at)
        if part == "":
            return False
        parts.append(part)
    return re.fullmatch("".join(parts), text, re.DOTALL) is not None


def _single(pattern: str, at: int) -> tuple[str, int]:
    character = pattern[at]
    if character == "*":
        return ".*", at + 1
    if character == "?":
        return ".", at + 1
    if character == "\\":
        return re.escape(pattern[at + 1 : at + 2]), at + 2  # At the end it matches nothing.
    return re.escape(character), at + 1


def _bracket(pattern: str, at: int) -> tuple[str, int] | None:
    begin = at + 1
    is_negated = pattern[begin : begin + 1] in {"!", "^"}
    begin += is_negated
    end = pattern.find("]", begin + 1)
    if end < 0:
        return re.escape("["), at + 1
    inside = pattern[begin:end]
    if "[" in inside or "\\" in inside or "--" in inside:
        return None
    body = "".join(c if c == "-" or c.isalnum() else f"\\{c}" for c in inside)
    try:
        re.compile(f"[{body}]")
    except re.error:
        return None
    return f"[{'^' if is_negated else ''}{body}]", end + 1
