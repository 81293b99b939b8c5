"""`podwire node compare A B...`: which machine differs in what."""

import argparse
import sys
from collections.abc import Iterator

import msgspec

from podwire.adapters.given import fs_of
from podwire.adapters.rootfs import RootFs
from podwire.cli.spec_file import read_file
from podwire.cli.statuses import BROKEN
from podwire.cli.streams import write_out
from podwire.cli.world import World
from podwire.collect.collecting import collect
from podwire.collect.given import Input
from podwire.facts.hardware import SCHEMA_VERSION, Shown, ShownGpu
from podwire.facts.node import NodeFiles
from podwire.model.errors import PodwireError
from podwire.model.evidence import Known, Unknown
from podwire.node.compare import compare
from podwire.node.shown import Beside, shown_machine
from podwire.ports.hostfs import ReadFault
from podwire.present import ascii_json
from podwire.present.compare_table import compare_text

_FEWEST = 2


def run(options: argparse.Namespace, *, world: World) -> int:  # noqa: ARG001 - every command's form
    """Compare; the status is 1 where a machine differs or a GUID occurs twice."""
    machines = [machine for path in options.machine for machine in _machines(path)]
    if len(machines) < _FEWEST:
        raise PodwireError(
            f"{len(machines)} machine to compare, and it takes two",
            hint="podwire node show -o json > a.json on each, then podwire node compare *.json",
        )
    twice = {m.node for m in machines if [n.node for n in machines].count(m.node) > 1}
    if twice:
        raise PodwireError(f"{', '.join(sorted(twice))} is given more than once")
    found = compare(machines)
    write_out(
        ascii_json.document(msgspec.to_builtins(found))
        if options.format == "json"
        else compare_text(found)
    )
    return 0 if found.is_alike else BROKEN


def _machines(path: str) -> Iterator[Shown]:
    """Read what `show` printed, or the machines of a bundle."""
    if path.endswith(".json") and not RootFs(path).is_dir():
        yield _printed(path)
        return
    try:
        given = Input(typed=path, files=fs_of(path, stdin=sys.stdin.buffer))
        if given.files.is_dir():
            given.files.entries()  # one that may not be listed is not an empty one
    except ReadFault as error:
        raise PodwireError(f"{path} {error.trouble.value}") from error
    facts = collect((given,))
    if not facts.node_files:
        lost = "; ".join(map(str, given.files.troubles()))
        raise PodwireError(
            f"{path} holds no machine" + (f": {lost}" if lost else ""),
            hint="it takes podwire node show -o json, or a bundle with nodes/<node>/",
        )
    for name in sorted(facts.node_files):
        yield _collected(facts.node_files[name], path)


def _printed(path: str) -> Shown:
    data = read_file(path)
    try:
        version = msgspec.json.decode(data, type=_Versioned).schema_version
        if version > SCHEMA_VERSION:
            raise PodwireError(
                f"{path} has schemaVersion {version}, and this podwire reads {SCHEMA_VERSION}",
                hint="compare with the podwire that wrote it",
            )
        return msgspec.json.decode(data, type=Shown)
    except msgspec.MsgspecError as error:
        raise PodwireError(
            f"{path} is not what podwire node show -o json prints: {error}"
        ) from error


class _Versioned(msgspec.Struct, rename="camel"):
    schema_version: int = SCHEMA_VERSION


def _collected(files: NodeFiles, path: str) -> Shown:
    if isinstance(files.functions, Unknown):
        reason = files.functions.reason
        raise PodwireError(f"{path} does not show the PFs of {files.name}: {reason}")
    cards = files.cards.value if isinstance(files.cards, Known) else ()
    gpus = tuple(
        ShownGpu(index=card.index, uuid=str(card.uuid), model=card.model) for card in cards
    )
    return shown_machine(files.name, files.functions.value, gpus=gpus, beside=Beside())
