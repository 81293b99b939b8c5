"""JSON as kubectl and the API server write it: fast, of any size, one value after another."""

import re
from collections.abc import Callable, Iterator

import msgspec

from podwire.collect.gathered import CUT_OFF, Gathered
from podwire.collect.objects import ObjectReader
from podwire.collect.scope import Listing, Scope
from podwire.documents import json
from podwire.documents.text import Position, Problem, decode_text, position_at
from podwire.model.evidence import Document, Origin

_EXPLAINED = 10 << 20  # the slower reader, which knows lines, is asked up to this size
_TRAILING = re.compile(r"trailing characters \(byte (\d+)\)")
_Bytes = bytes | memoryview


class _ListMeta(msgspec.Struct):
    """kubectl writes it empty, the API server with a number."""

    resource_version: str | None = msgspec.field(default=None, name="resourceVersion")


class _Envelope(msgspec.Struct):
    """A List, or anything else with a kind."""

    kind: str = ""
    items: list[msgspec.Raw] | None = None
    metadata: msgspec.Raw = msgspec.Raw(b"{}")


_ENVELOPE = msgspec.json.Decoder(_Envelope)


def values_of(data: _Bytes) -> Iterator[tuple[memoryview, _Envelope] | Problem]:
    """Cut a text into JSON values (`kubectl get pods -o json; kubectl get nodes -o json`)."""
    whole = rest = memoryview(data)
    while rest:
        try:
            yield rest, _envelope(rest)
        except (msgspec.DecodeError, RecursionError) as error:
            trailing = _TRAILING.search(str(error))
            if trailing is None:
                yield _moved(_problem(rest, str(error)), before=whole[: len(whole) - len(rest)])
                return
            value = rest[: int(trailing[1]) - 1]  # It counts the first byte too many from 1.
            rest = rest[len(value) :]
            yield value, _envelope(value)
        else:
            return


def _moved(problem: Problem, *, before: memoryview) -> Problem:
    """Count from the beginning of the file, not of its last value."""
    at = problem.position
    if at is None:
        return problem
    text = bytes(before).decode(errors="replace")
    ends = position_at(text, offset=len(text))
    column = at.column + (ends.column - 1 if at.line == 1 else 0)
    position = Position(line=ends.line + at.line - 1, column=column)
    return msgspec.structs.replace(problem, position=position)


def _envelope(data: memoryview) -> _Envelope:
    try:
        return _ENVELOPE.decode(data)
    except msgspec.ValidationError:
        return _Envelope()  # JSON, but no API object.


def _problem(data: memoryview, words: str) -> Problem:
    if len(data) > _EXPLAINED:
        return Problem(message=f"it is no JSON: {words}")
    text, problems = decode_text(bytes(data))
    found = json.load(text).problem
    if found is not None:
        return named(found, text)
    return next(iter(problems), None) or Problem(message=words)


def named(problem: Problem, text: str) -> Problem:
    """Say of a text that stops in the middle that it does: whatever stands there is not wrong."""
    at = problem.position
    if at is None:
        return problem
    lines = text.split("\n")[at.line - 1 :]
    is_cut = not "".join((lines[0][at.column - 1 :], *lines[1:])).strip()
    return msgspec.structs.replace(problem, message=CUT_OFF) if is_cut else problem


def take(
    data: memoryview,
    envelope: _Envelope,
    *,
    document: Document,
    listing: Listing,
    gathered: Gathered,
    done: Callable[[int], None] = lambda _: None,
) -> bool:
    """Read one value; False where it is no API object."""
    if not envelope.kind:
        return False
    if envelope.items is None or not envelope.kind.endswith("List"):
        ObjectReader(gathered, document=document).one(data, base=())
        return True
    is_complete = listing.holds(has_version=_has_version(envelope), is_json=True)
    if is_complete:
        document = msgspec.structs.replace(document, origin=Origin.CLUSTER)
    scope = Scope()
    ObjectReader(gathered, document=document).items(
        envelope.items, kind=envelope.kind.removesuffix("List"), scope=scope, done=done
    )
    if is_complete:
        everywhere = listing is Listing.WHOLE
        gathered.was_listed(
            scope.complete,
            document=document,
            namespaces=None if everywhere else scope.namespaces,
            is_empty=not envelope.items,
        )
    return True


def _has_version(envelope: _Envelope) -> bool:
    try:
        return msgspec.json.decode(envelope.metadata, type=_ListMeta).resource_version is not None
    except msgspec.MsgspecError:
        return False
