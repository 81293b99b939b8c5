"""Which machines an entry of the spec is for, and which PFs it means: said once for all.

`node plan` and the rules have to agree on both, or one would make what the other reports.
"""

from collections.abc import Iterable, Mapping

from podwire.spec.boards import BOARDS
from podwire.spec.wiring import NodeWish, PfWish

_DEFAULT_LAYER = "InfiniBand"


def entries_for(
    nodes: Iterable[NodeWish], *, name: str, labels: Mapping[str, str]
) -> tuple[tuple[int, NodeWish], ...]:
    """Give the entries for a machine with their numbers: a name wins over labels.

    An entry with neither names nor labels is for every machine.
    """
    every = [*enumerate(nodes)]
    named = [(index, node) for index, node in every if name in node.names]
    fitting = (
        (index, node)
        for index, node in every
        if not node.names and node.selector.match_labels.items() <= labels.items()
    )
    return tuple(named or fitting)


def written_addresses(pfs: PfWish) -> tuple[str, ...]:
    """Give the addresses that an entry names, itself or by its board; none: it names none."""
    return pfs.pci_addresses or BOARDS.get(pfs.board, ())


def wanted_layer(pfs: PfWish) -> str:
    """Give the link layer of the PFs that are meant where none is named."""
    return pfs.link_layer or _DEFAULT_LAYER
