"""What the kernel's log says of modules that did not load."""

import re
from collections.abc import Iterable, Iterator

import msgspec

from podwire.facts.node import NodeFiles
from podwire.model.evidence import Place
from podwire.model.names import Ref

DMESG, UNAME = "dmesg.txt", "uname.txt"
_SYMBOL = re.compile(
    r"\b(?P<module>\w++): (?:Unknown symbol (?P<unknown>\w+)"
    r"|disagrees about version of symbol (?P<other>\w+))"
)
_PROBE = re.compile(r"\b(?P<module>\w++): probe of (?P<address>[0-9a-f:.]+) failed with error")
_WORKS = re.compile(
    r"\b(?P<module>\w++) [0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]: firmware version"
)
_KERNEL = re.compile(
    r"\bLinux \S+ (?P<release>\d+\.\d+\S*)|^(?P<bare>\d+\.\d+\S*)\s*$", re.MULTILINE
)
# Without these there is no RDMA device or no VF; what else mlx5 has (vDPA, for one) is not
# needed for InfiniBand.
NEEDED = frozenset(
    {"mlx5_core", "mlx5_ib", "ib_core", "ib_uverbs", "ib_cm", "rdma_cm", "ib_umad", "ib_ipoib"}
    | {"mlx_compat", "iw_cm", "rdma_ucm"}
)
_OF_DRIVER = ("mlx", "ib_", "rdma_")  # how symbols of these modules begin
_BESIDE = re.compile(r"mlx5_\w+")


class Refused(msgspec.Struct, frozen=True):
    """A module that the kernel refused; `symbol` is the first it lacks, `line` where."""

    node: str
    module: str
    symbol: str
    is_other_version: bool
    place: Place
    text: str
    kernel: str
    kernel_place: Place | None
    without_driver: tuple[tuple[str, Place, str], ...] = ()

    @property
    def ref(self) -> Ref:
        """What findings call it."""
        return Ref(kind="Node", name=self.node).at(self.module)

    @property
    def is_of_driver(self) -> bool:
        """Whether the symbol is one of the card's driver, not of the kernel itself."""
        return self.symbol.startswith(_OF_DRIVER)

    @property
    def is_needed(self) -> bool:
        """Whether InfiniBand does not work without it."""
        return self.module in NEEDED


def refused_modules(nodes: Iterable[NodeFiles]) -> Iterator[Refused]:
    """Give each module once, by its first line; what loaded later in the log is left out.

    So is one that lacks only what a refused module would have brought: it follows from that.
    """
    for files in nodes:
        if DMESG in files.files:
            yield from _of_node(files)


def _of_node(files: NodeFiles) -> Iterator[Refused]:
    dmesg = files.files[DMESG]
    lines = dmesg.text.split("\n")
    found: dict[str, tuple[int, re.Match[str]]] = {}
    for number, line in enumerate(lines, start=1):
        if (match := _SYMBOL.search(line)) and _is_ours(match["module"]):
            found.setdefault(match["module"], (number, match))
        elif works := _WORKS.search(line):
            found.pop(works["module"], None)
    kernel, kernel_place = _kernel(files)
    first = min((n for n, match in found.values() if not _is_of_driver(match)), default=len(lines))
    for module, (number, match) in found.items():
        if number > first and _is_of_driver(match):
            continue
        yield Refused(
            node=files.name,
            module=module,
            symbol=match["unknown"] or match["other"],
            is_other_version=match["unknown"] is None,
            place=Place(document=dmesg.document, path=(number,)),
            text=lines[number - 1].strip(),
            kernel=kernel,
            kernel_place=kernel_place,
            without_driver=tuple(
                (probe["address"], Place(document=dmesg.document, path=(n,)), line.strip())
                for n, line in enumerate(lines, start=1)
                if (probe := _PROBE.search(line)) and probe["module"] == module
            ),
        )


def _is_of_driver(match: re.Match[str]) -> bool:
    """Whether a module lacks a symbol of another one, which did not load then."""
    return (match["unknown"] or "").startswith(_OF_DRIVER)


def _is_ours(module: str) -> bool:
    return module in NEEDED or _BESIDE.fullmatch(module) is not None


def _kernel(files: NodeFiles) -> tuple[str, Place | None]:
    uname = files.files.get(UNAME)
    match = None if uname is None else _KERNEL.search(uname.text)
    if uname is None or match is None:
        return "", None
    return match["release"] or match["bare"], Place(document=uname.document, path=(1,))
