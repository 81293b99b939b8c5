"""The configuration file: what not to report, why, and until when."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import date

import msgspec

from podwire.adapters.rootfs import RootFs
from podwire.cli.choice import find
from podwire.documents import yaml
from podwire.engine.silence import Silence
from podwire.facts.inventory import InputFault
from podwire.findings.model import Rule
from podwire.model.errors import PodwireError
from podwire.model.evidence import Document, Place
from podwire.ports.hostfs import ReadFault

_ANY = "*"
_LIMIT = 64 << 20


class _Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    rule: str
    reason: str
    subject: str = "*"
    until: str = ""


class _Config(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    silence: tuple[_Entry, ...] = ()


def silences_in(path: str, *, catalogue: Sequence[Rule]) -> tuple[Silence, ...]:
    """Read a configuration file.

    Raises:
        PodwireError: it cannot be read, or an entry has another form or names no rule.
    """
    try:
        config = msgspec.convert(_tree(path), _Config)
        for entry in config.silence:
            _check(entry)
    except (msgspec.ValidationError, ValueError) as error:
        raise PodwireError(
            f"{path}: {error}", hint="silence: [{rule, reason, subject, until: 2027-01-31}]"
        ) from error
    return tuple(
        Silence(
            rule=_rule(entry, catalogue),
            reason=entry.reason,
            subject=entry.subject,
            until=entry.until,
            by=f"{path} silence[{index}]",
        )
        for index, entry in enumerate(config.silence)
    )


def _check(entry: _Entry) -> None:
    if entry.until:
        date.fromisoformat(entry.until)
    if not entry.reason.strip():
        raise ValueError(f"the reason for {entry.rule} is empty")


def ended(path: str, *, silences: Iterable[Silence], today: str) -> Iterator[InputFault]:
    """Report the entries of a configuration file that are past their last day."""
    for index, silence in enumerate(silences):
        if silence.until and silence.until < today:
            place = Place(document=Document(name=path), path=("silence", index, "until"))
            yield InputFault(
                slug="ignore-without-effect",
                message=f"{path} silences {silence.rule} until {silence.until}, which is past",
                place=place,
                cure="delete the entry, or give it another day and the reason",
            )


def _rule(entry: _Entry, catalogue: Sequence[Rule]) -> str:
    return entry.rule if entry.rule == _ANY else find(catalogue, name=entry.rule).id


def _tree(path: str) -> object:
    """Read the file's one document; an empty file silences nothing."""
    documents = yaml.load(read_text(path))
    if not documents:
        return {}
    (first, *others) = documents
    if others:
        raise PodwireError(f"{path} holds {len(documents)} documents", hint="a file has one")
    if first.problem is not None:
        line = f":{first.problem.position.line}" if first.problem.position else ""
        raise PodwireError(f"{path}{line}: {first.problem.message}", hint="the file is YAML")
    return {} if first.value is None else first.value


def read_text(path: str) -> str:
    """Read a file that an option names.

    Raises:
        PodwireError: it cannot be read, or is no UTF-8.
    """
    try:
        return RootFs(path).read(limit=_LIMIT).decode()
    except ReadFault as error:
        detail = f": {error.detail}" if error.detail else ""
        raise PodwireError(
            f"{path} {error.trouble.value}{detail}", hint="give a file that can be read"
        ) from error
    except UnicodeDecodeError as error:
        raise PodwireError(f"{path} is no UTF-8 text", hint="save it as UTF-8") from error
