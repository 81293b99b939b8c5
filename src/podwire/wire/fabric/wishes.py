"""What the spec wants of a node's PFs."""

from podwire.facts.node import Function
from podwire.model.evidence import Place
from podwire.spec.boards import BOARDS
from podwire.spec.wiring import FabricWish, NodeWish, Wiring
from podwire.wire.picture import Picture

_INFINIBAND = "InfiniBand"


class Wish:
    """The fabric that a spec wants on a node, and where it says so."""

    def __init__(self, wiring: Wiring, index: int, node: NodeWish) -> None:
        self.fabric: FabricWish = node.fabric
        self._wiring = wiring
        self._index = index

    def place(self, *path: str) -> Place:
        """Name a wish in the spec."""
        return self._wiring.place("nodes", self._index, "fabric", *path)

    def is_for(self, function: Function, link_layer: str | None) -> bool:
        """Say whether a PF is one of those that are meant: by address, by board, by link layer.

        A spec that names none of them means every InfiniBand PF.
        """
        pfs = self.fabric.pfs
        named = pfs.pci_addresses or BOARDS.get(pfs.board, ())
        if function.is_vf or named:
            return str(function.address) in named
        wanted = pfs.link_layer or _INFINIBAND
        return (link_layer or "").casefold() == wanted.casefold()


def wish_of(node: str, picture: Picture) -> Wish | None:
    """Give the wish that names a node, or whose labels the node has; None: there is none."""
    found = picture.node(node)
    labels = found.metadata.labels if found else {}
    for wiring in picture.facts.wirings:
        for index, wish in enumerate(wiring.nodes):
            wanted = wish.selector.match_labels
            is_selected = bool(wanted) and wanted.items() <= labels.items()
            if (node in wish.names or is_selected) and wish.fabric != FabricWish():
                return Wish(wiring, index, wish)
    return None
