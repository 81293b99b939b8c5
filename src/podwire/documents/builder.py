"""YAML events into a plain tree, without recursion and without trusting the document."""

from collections.abc import Callable

import msgspec
import yaml

from podwire.documents import scalars
from podwire.documents.events import RefusedError, events_of, refusal, scalar_of, start_of
from podwire.documents.frames import Frame, Mapping, Repeated, Sequence, chain
from podwire.documents.tree import DEPTH_LIMIT, EXPANSION_LIMIT, TOO_DEEP, Tree, excess


class Built(msgspec.Struct, frozen=True):
    """The value of a document, and the first hundred of its repeated keys."""

    value: Tree
    repeated: tuple[Repeated, ...]


def build(text: str) -> Built:
    """Read one document.

    Raises:
        RefusedError: it is no YAML, or Kubernetes refuses it, or it is out of bounds.
    """
    builder = _Builder()
    handlers: dict[type[yaml.Event], Callable[..., None]] = {
        yaml.ScalarEvent: builder.scalar,
        yaml.MappingStartEvent: builder.start_mapping,
        yaml.SequenceStartEvent: builder.start_sequence,
        yaml.MappingEndEvent: builder.end,
        yaml.SequenceEndEvent: builder.end,
        yaml.AliasEvent: builder.alias,
        yaml.DocumentStartEvent: builder.start_document,
    }
    try:
        for event in events_of(text):
            handle = handlers.get(type(event))
            if handle is not None:
                handle(event)
    except yaml.YAMLError as error:
        raise refusal(error, text=text) from error
    value = builder.root.value[0] if builder.root.value else None
    if builder.has_aliases:
        too_much = excess(value, limit=EXPANSION_LIMIT + len(text))
        if too_much:
            raise RefusedError(too_much, offset=0)
    return Built(value=value, repeated=tuple(builder.root.tally.repeated))


class _Builder:
    """The collection that is open, and what is known of the document so far."""

    def __init__(self) -> None:
        self.root = Sequence()
        self.frame: Frame = self.root
        self.depth = 0
        self.anchors: dict[str, Tree] = {}
        self.has_aliases = False
        self.has_begun = False

    def start_document(self, event: yaml.DocumentStartEvent) -> None:
        if self.has_begun:
            message = "a second document begins here, after no line of ---"
            raise RefusedError(message, offset=start_of(event))
        self.has_begun = True

    def scalar(self, event: yaml.ScalarEvent) -> None:
        text = event.value
        value: Tree = text
        if event.implicit[0]:
            if not text or text[0] in scalars.HINTS:
                value = scalars.plain(text)
        elif event.tag is not None:
            value = scalar_of(event)
        if event.anchor is not None:
            self.anchors[event.anchor] = value
        self.frame.put(value, event)

    def alias(self, event: yaml.AliasEvent) -> None:
        name = event.anchor
        if name is None or name not in self.anchors:
            message = f"*{name} stands for nothing: there is no &{name} before it"
            raise RefusedError(message, offset=start_of(event))
        value = self.anchors[name]
        if any(frame.value is value for frame in chain(self.frame)):
            raise RefusedError(f"&{name} contains itself", offset=start_of(event))
        self.has_aliases = True
        self.frame.put(value, event)

    def start_mapping(self, event: yaml.MappingStartEvent) -> None:
        self._start(Mapping(self.frame), event)

    def start_sequence(self, event: yaml.SequenceStartEvent) -> None:
        self._start(Sequence(self.frame), event)

    def end(self, event: yaml.CollectionEndEvent) -> None:
        inner = self.frame
        self.depth -= 1
        self.frame = inner.outer or self.root
        self.frame.close_inner(inner.value, event)

    def _start(self, inner: Frame, event: yaml.CollectionStartEvent) -> None:
        self.depth += 1
        if self.depth > DEPTH_LIMIT:
            raise RefusedError(TOO_DEEP, offset=start_of(event))
        if event.anchor is not None:
            self.anchors[event.anchor] = inner.value
        self.frame.put(inner.value, event)
        self.frame = inner
