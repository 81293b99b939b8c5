"""What a finding's `sees` quotes of an event: three dots stand for anything."""

import re

_QUOTED = (
    re.compile(r"(?P<text>Failed to create pod sandbox: .*)"),
    re.compile(r"ending (?P<end>.*)"),
    re.compile(r"(?P<text>0/\S+ nodes are available: .*)"),
    re.compile(r"FailedCreatePodSandBox, (?P<text>.*)"),
)
_SHORT = re.compile(r"Insufficient (\S+)")


def quotation(sees: str) -> re.Pattern[str]:
    """Give the pattern that one of the pod's events has to fit."""
    found = next(match for pattern in _QUOTED if (match := pattern.search(sees)))
    named = found.groupdict()
    text, end = (named["end"].strip('"'), r"\Z") if "end" in named else (named["text"], "")
    return re.compile(".*".join(re.escape(part) for part in text.split("...")) + end)


def short_of(sees: str) -> str:
    """Give the resource that a finding says nodes have too little of."""
    found = _SHORT.search(sees)
    return found[1].rstrip(".") if found else ""


def is_quoting(sees: str) -> bool:
    """Say whether a finding quotes an event at all."""
    return any(pattern.search(sees) for pattern in _QUOTED)
