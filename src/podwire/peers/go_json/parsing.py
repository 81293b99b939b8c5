"""A text into values, or into Go's words for why it is no JSON."""

import json
from typing import NoReturn

from podwire.peers.go_json.syntax import fault_in
from podwire.peers.go_json.values import Number, Object, Value


class NotJson(ValueError):  # noqa: N818 - the name says what the text is
    """A text is no JSON; `at` counts characters from its start."""

    def __init__(self, message: str, *, at: int) -> None:
        super().__init__(message)
        self.at = at


def parse(text: str) -> Value:
    """Parse one JSON value.

    Raises:
        NotJson: it is none, in Go's words, or nested deeper than can be read.
    """
    try:
        value: Value = json.loads(
            text,
            object_pairs_hook=lambda pairs: Object(members=tuple(pairs)),
            parse_int=lambda digits: Number(text=digits),
            parse_float=lambda digits: Number(text=digits),
            parse_constant=_refuse,
        )
    except RecursionError as error:
        raise NotJson("exceeded max depth", at=0) from error
    except ValueError as error:
        message, at = fault_in(text) or (str(error), 0)
        raise NotJson(message, at=at) from error
    return value


def _refuse(name: str) -> NoReturn:
    raise ValueError(name)
