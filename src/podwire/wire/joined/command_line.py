"""What the command line of a container says, also where a shell is in between."""

import re
import shlex
from collections.abc import Iterator, Mapping

from podwire.facts.objects import Container

_REFERENCE = re.compile(r"\$\((\w+)\)")  # kubelet puts the container's variables in its place
_VARIABLE = re.compile(r"\$(?:\{(\w+)\}|(\w+))")  # a shell does
_SHELLS = frozenset({"sh", "bash", "ash", "dash"})


def flag(container: Container, name: str) -> str | None:
    """Read a Go flag: `-f v`, `--f v`, `-f=v`, `--f=v`.

    A variable without a value of its own (`valueFrom`) stays as it is written, `$(NAME)`.
    """
    words = tuple(_words(container))
    for index, word in enumerate(words):
        found, equals, value = word.lstrip("-").partition("=")
        if word.startswith("-") and found == name:
            if equals:
                return value
            return words[index + 1] if index + 1 < len(words) else None
    return None


def _words(container: Container) -> Iterator[str]:
    values = {v.name: v.value for v in container.env if v.value_from is None}
    words = [_put(values, word, _REFERENCE) for word in (*container.command, *container.args)]
    is_shell = bool(words) and words[0].rpartition("/")[2] in _SHELLS
    for word in words:
        if is_shell and any(map(str.isspace, word)):
            yield from (each.rstrip(";&|") for each in _split(_put(values, word, _VARIABLE)))
        else:
            yield word


def _put(values: Mapping[str, str], word: str, reference: re.Pattern[str]) -> str:
    return reference.sub(lambda m: values.get(m[m.lastindex or 0], m[0]), word)


def _split(script: str) -> list[str]:
    try:
        return shlex.split(script)
    except ValueError:
        return script.split()
