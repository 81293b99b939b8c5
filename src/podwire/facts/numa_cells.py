"""The NUMA nodes of a machine from `sys/devices/system`: CPUs with their cores, and distances.

Source: linux drivers/base/topology.c, drivers/base/node.c (`cpulist` has the CPUs that are
online, `distance` a number for each node that is online, in order); cadvisor's machine
information, which kubelet uses, is made of the same files.
"""

from collections.abc import Iterator, Mapping

from podwire.facts.node import NO_CELLS, NumaCell
from podwire.model.evidence import Answer, Document, Known, Place, Unknown

NODES = "sys/devices/system/node"
ONLINE = f"{NODES}/online"
CELL_FILES = ("cpulist", "distance")
CPUS = "sys/devices/system/cpu"
SIBLINGS = "topology/thread_siblings_list"

_MOST = 8192  # CPUs of the largest machines that Linux is built for


def cells_of(values: Mapping[str, str], *, document: Document) -> Answer[tuple[NumaCell, ...]]:
    """Gather all NUMA nodes; one of which a file is missing makes all of them unknown."""
    if ONLINE not in values:
        return NO_CELLS
    try:
        cells = tuple(_cell(node, values) for node in numbers(values[ONLINE]))
    except KeyError as missing:
        path = str(missing.args[0])
        return Unknown(
            reason=f"/{path} of node {document.owner} was not collected",
            give=f"cat /{path}",
            fact=NO_CELLS.fact,
        )
    except ValueError as error:
        return Unknown(reason=f"{document.owner}: {error}", fact=NO_CELLS.fact)
    if not cells:
        return NO_CELLS
    return Known(value=cells, places=(Place(document=document, path=(ONLINE,)),))


def numbers(text: str) -> tuple[int, ...]:
    """Read the kernel's and kubelet's lists of numbers: `0-3,8`.

    Raises:
        ValueError: it is no such list; the text is quoted.
    """
    return tuple(
        sorted({n for part in text.strip().split(",") if part for n in _range(part, text)})
    )


def _range(part: str, text: str) -> Iterator[int]:
    first, dash, last = part.strip().partition("-")
    ends = (first, last if dash else first)
    if not all(end.isascii() and end.isdecimal() and len(end) < 6 for end in ends):
        raise ValueError(f"{text[:40]!r} is no list of numbers like 0-3,8")
    low, high = map(int, ends)
    if not low <= high < _MOST:
        raise ValueError(f"{text[:40]!r} is no list of numbers like 0-3,8")
    yield from range(low, high + 1)


def _cell(node: int, values: Mapping[str, str]) -> NumaCell:
    folder = f"{NODES}/node{node}"
    cpus = numbers(values[f"{folder}/cpulist"])
    cores = _cores(cpus, values)
    row = values.get(f"{folder}/distance")
    if row is None:
        return NumaCell(id=node, cpus=cpus, cores=cores)
    fields = row.split()
    if not all(each.isascii() and each.isdecimal() and len(each) < 6 for each in fields):
        raise ValueError(f"{row[:40]!r} in {folder}/distance are no distances")
    return NumaCell(id=node, cpus=cpus, distances=tuple(map(int, fields)), cores=cores)


def _cores(cpus: tuple[int, ...], values: Mapping[str, str]) -> tuple[tuple[int, ...], ...] | None:
    found = set()
    for cpu in cpus:
        text = values.get(f"{CPUS}/cpu{cpu}/{SIBLINGS}")
        if text is None:
            return None
        found.add(numbers(text))
    return tuple(sorted(found))
