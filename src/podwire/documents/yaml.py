"""YAML as Kubernetes reads it, many documents in a text."""

from podwire.documents import collector
from podwire.documents.builder import build
from podwire.documents.events import RefusedError
from podwire.documents.parts import MOST, Part, split
from podwire.documents.templates import action_before, action_in_yaml
from podwire.documents.text import Problem, printable
from podwire.documents.tree import Loaded, twice

_TOO_MANY = f"a file with more than {MOST:,} documents; the rest is left out"


def load(text: str) -> tuple[Loaded, ...]:
    """Read every document; one that cannot be read has a problem in place of its value."""
    with collector.paused():
        return tuple(map(_loaded, split(text)))


def _loaded(part: Part) -> Loaded:
    if part.number == MOST:
        problem = Problem(message=_TOO_MANY, position=part.position(0))
        return Loaded(part=part.number, problem=problem)
    try:
        built = build(part.text)
    except RefusedError as error:
        action = action_before(part.text, offset=error.offset)
        if action is not None:
            return Loaded(part=part.number, problem=_template(part, action), is_template=True)
        problem = Problem(message=error.message, position=part.position(error.offset))
        return Loaded(part=part.number, problem=problem)
    action = action_in_yaml(part.text)
    return Loaded(
        part=part.number,
        value=built.value,
        problem=None if action is None else _template(part, action),
        duplicates=tuple(
            Problem(
                message=twice(str(repeated.path[-1])),
                position=part.position(repeated.offset),
                path=repeated.path,
            )
            for repeated in built.repeated
        ),
        is_template=action is not None,
    )


def _template(part: Part, offset: int) -> Problem:
    action = part.text[offset:].partition("\n")[0]
    closing = action.find("}}")
    shown = printable(action if closing < 0 else action[: closing + 2], 40)
    message = f"a Helm template, to be rendered first: {shown}"
    return Problem(message=message, position=part.position(offset))
