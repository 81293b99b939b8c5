"""GPUs and the doors to them, for a terminal, as CSV and as JSON."""

import csv
import io
from collections.abc import Iterable, Iterator

import msgspec

from podwire.present import ascii_json
from podwire.present.columns import columns
from podwire.present.lines import counted, plain, wrapped
from podwire.wire.doors.records import Kind
from podwire.wire.doors.rows import CLOSED, HOST, OPEN, UNKNOWN, ShownCard, ShownDoor, ShownNode

SCHEMA_VERSION = 1
_HEAD = ("GPU", "UUID", "OWNER", "OFFERED", "HELD BY")
_CSV = (
    "node",
    "gpu",
    "uuid",
    "model",
    "owner",
    "offered_by",
    "held_by",
    "door",
    "state",
    "how",
    "pods",
    "gpu_software",
    "node_software",
    "missing",
)
_FEW = 4


def doors_text(nodes: Iterable[ShownNode]) -> str:
    """Draw each node: its GPUs, then each door with the GPUs behind it."""
    return "\n".join("\n".join(_node(node)) + "\n" for node in nodes)


def _node(node: ShownNode) -> Iterator[str]:
    if not node.gpus:
        yield from wrapped(f"{node.node}: its GPUs are not listed ({node.missing})")
        return
    kept = sum(gpu.owner == HOST for gpu in node.gpus)
    of_host = f", {kept} kept for the host" if kept else ""
    yield f"{plain(node.node)}: {counted(len(node.gpus), 'GPU')}{of_host}"
    if node.missing:
        yield from wrapped(f"the spec's alone: {node.missing}")
    yield ""
    yield from columns(_HEAD, [_row(gpu) for gpu in node.gpus])
    yield ""
    for kind in Kind:
        yield from _door(node, kind.value)


def _row(gpu: ShownCard) -> tuple[str | None, ...]:
    held = None if gpu.held_by is None else _listed(gpu.held_by) or "nobody"
    offered = None if gpu.offered_by is None else "yes" if gpu.offered_by else "no"
    index = None if gpu.index is None else str(gpu.index)
    return (index, gpu.uuid, gpu.owner, offered, held)


def _door(node: ShownNode, name: str) -> Iterator[str]:
    """Write one door: alike for some GPUs, it is said of them together."""
    alike: dict[ShownDoor, list[str]] = {}
    for number, gpu in enumerate(node.gpus):
        for door in gpu.doors:
            if door.door == name:
                index = number if gpu.index is None else gpu.index
                same = msgspec.structs.replace(door, how=door.how.replace(gpu.uuid, "UUID"))
                alike.setdefault(same, []).append(str(index))
    for door, numbers in alike.items():
        to = "" if len(alike) == 1 else f"GPU {','.join(numbers)}: "
        yield from wrapped(f"{to}{_state(door)}", first=f"{name + ':':<16}", rest=" " * 16)
        for label, names in (
            ("pods", door.pods),
            ("software of GPUs", door.gpu_software),
            ("software of the node", door.node_software),
        ):
            if names:
                yield from wrapped(f"{label}: {_listed(names)}", first=" " * 16, rest=" " * 18)


def _state(door: ShownDoor) -> str:
    if door.state == OPEN:
        return f"open: {door.how}"
    if door.state == UNKNOWN:
        return f"not known: {door.missing}"
    if door.door == Kind.PRIVILEGE.value:
        return "to privileged containers, whatever the settings"
    return "closed" if door.state == CLOSED else "closed, but to some"


def _listed(names: tuple[str, ...]) -> str:
    more = f" and {len(names) - _FEW} more" if len(names) > _FEW else ""
    return ", ".join(names[:_FEW]) + more


def doors_json(nodes: Iterable[ShownNode]) -> str:
    """Write everything."""
    tree = {"schemaVersion": SCHEMA_VERSION, "nodes": [msgspec.to_builtins(n) for n in nodes]}
    return ascii_json.document(tree)


def doors_csv(nodes: Iterable[ShownNode]) -> str:
    """Write one line for each door to each GPU; names in one cell have a blank between them."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(_CSV)
    for node in nodes:
        for gpu in node.gpus:
            of_gpu = (
                node.node,
                gpu.index,
                gpu.uuid,
                gpu.model,
                gpu.owner,
                gpu.offered_by,
                " ".join(gpu.held_by or ()),
            )
            for door in gpu.doors:
                writer.writerow(map(_cell, (*of_gpu, *_cells(door))))
    return out.getvalue()


def _cells(door: ShownDoor) -> tuple[str, ...]:
    names = (" ".join(each) for each in (door.pods, door.gpu_software, door.node_software))
    return (door.door, door.state, door.how, *names, door.missing)


def _cell(value: object) -> str:
    """Keep control characters out, and what a spreadsheet would run."""
    text = "" if value is None else plain(str(value))
    return f"'{text}" if text.startswith(("=", "+", "-", "@")) else text
