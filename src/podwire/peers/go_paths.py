"""Paths as Go's path/filepath cleans and matches them (go1.26 path/filepath/match.go)."""

import functools
import posixpath
import re

_SPECIAL = re.compile(r"(\*|\?|\[\^?[^\]]+\])")
_WILD = {"*": "[^/]*", "?": "[^/]"}


def cleaned(path: str) -> str:
    """Take out what leads nowhere, as filepath.Clean does."""
    short = posixpath.normpath(path)
    return short[1:] if short.startswith("//") else short


def matches(pattern: str, path: str) -> bool:
    """Match as filepath.Match does: `*` and `?` stop at a slash; `[a-c]` is one character."""
    return _expression(pattern).fullmatch(path) is not None


@functools.lru_cache(maxsize=256)
def _expression(pattern: str) -> re.Pattern[str]:
    parts = _SPECIAL.split(pattern)
    written = (p if p.startswith("[") else _WILD.get(p, re.escape(p)) for p in parts)
    try:
        return re.compile("".join(written), re.DOTALL)
    except re.error:
        return re.compile(r"(?!)")  # ErrBadPattern: it matches nothing
