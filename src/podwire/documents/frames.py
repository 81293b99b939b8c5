"""Collections that are still open while a YAML document is read, inner ones knowing outer ones."""

from collections.abc import Iterator

import msgspec
import yaml

from podwire.documents import scalars
from podwire.documents.events import RefusedError, is_merge, start_of
from podwire.documents.tree import EXPANSION_LIMIT, Tree
from podwire.model.evidence import Path, Step

_REPEATED_LIMIT = 100


class Repeated(msgspec.Struct, frozen=True):
    """A key that stands twice in a mapping, and where the later one begins."""

    path: Path
    offset: int


class Tally:
    """What is counted over a whole document: repeated keys and merged ones."""

    __slots__ = ("merged", "repeated")

    def __init__(self) -> None:
        self.repeated: list[Repeated] = []
        self.merged = 0


class Sequence:
    """An open sequence."""

    def __init__(self, outer: "Frame | None" = None) -> None:
        self.outer = outer
        self.tally: Tally = Tally() if outer is None else outer.tally
        self.value: list[Tree] = []

    @property
    def step(self) -> Step:
        """Lead to the collection that was put last."""
        return len(self.value) - 1

    def put(self, value: Tree, _event: yaml.Event) -> None:
        """Append a value."""
        self.value.append(value)

    def close_inner(self, _value: Tree, _event: yaml.Event) -> None:
        """Nothing is left to do: the value was put when it began."""


class Mapping:
    """An open mapping; `key` waits for its value."""

    # Defaults of the class, as most mappings never need them: making one has to be cheap.
    key: str | None = None
    last = ""
    is_merging = False
    merged: set[str] | None = None

    def __init__(self, outer: "Frame") -> None:
        self.outer = outer
        self.tally: Tally = outer.tally
        self.value: dict[str, Tree] = {}

    @property
    def step(self) -> Step:
        """Lead to the collection that was put last."""
        return self.last

    def put(self, value: Tree, event: yaml.Event) -> None:
        """Take a key and its value in turn.

        Raises:
            RefusedError: Kubernetes takes no such key, or the value is not to be merged.
        """
        key = self.key
        if key is None:
            if type(value) is str and value != "<<" and value not in self.value:
                self.key = value
            else:
                self._put_key(value, event)
        elif self.is_merging:
            self._put_merge(value, event)
        else:
            self.value[key] = value
            self.key = None
            self.last = key

    def close_inner(self, value: Tree, event: yaml.Event) -> None:
        """Merge a collection, which had to be whole for that."""
        if self.is_merging:
            self._merge(value, event)

    def _put_key(self, value: Tree, event: yaml.Event) -> None:
        if not isinstance(value, str):
            value = _key_text(value, event)
        elif value == "<<" and isinstance(event, yaml.ScalarEvent) and is_merge(event):
            self.is_merging = True
        if value in self.value:
            self._repeat(value, event)
        self.key = value

    def _put_merge(self, value: Tree, event: yaml.Event) -> None:
        if not isinstance(event, yaml.CollectionStartEvent):
            self._merge(value, event)

    def _repeat(self, key: str, event: yaml.Event) -> None:
        """Note a second key, unless the first came out of a merge."""
        if self.merged and key in self.merged:
            self.merged.remove(key)
        elif len(self.tally.repeated) < _REPEATED_LIMIT:
            outer = [frame.step for frame in chain(self.outer)]
            path = (*reversed(outer[:-1]), key)
            self.tally.repeated.append(Repeated(path=path, offset=start_of(event)))

    def _merge(self, value: Tree, event: yaml.Event) -> None:
        """Take over other mappings' keys; of a list the first mapping wins.

        Keys that stand before the `<<` lose against it (go-yaml v2.4.4 decode.go merge).
        """
        self.is_merging = False
        self.key = None
        self.merged = self.merged or set()
        for source in reversed(value) if isinstance(value, list) else (value,):
            if not isinstance(source, dict):
                message = "<< takes a mapping or a list of mappings"
                raise RefusedError(message, offset=start_of(event))
            self.tally.merged += len(source)
            if self.tally.merged > EXPANSION_LIMIT:
                message = f"its merges stand for more than {EXPANSION_LIMIT:,} keys"
                raise RefusedError(message, offset=start_of(event))
            self.value.update(source)
            self.merged.update(source)


Frame = Sequence | Mapping


def chain(frame: Frame | None) -> Iterator[Frame]:
    """Give a frame and all that it is in, innermost first."""
    while frame is not None:
        yield frame
        frame = frame.outer


def _key_text(value: Tree, event: yaml.Event) -> str:
    if isinstance(value, list | dict):
        message = "a key is a list or a mapping; Kubernetes takes words only"
        raise RefusedError(message, offset=start_of(event))
    try:
        return scalars.key_text(value)
    except ValueError as error:
        raise RefusedError(str(error), offset=start_of(event)) from error
