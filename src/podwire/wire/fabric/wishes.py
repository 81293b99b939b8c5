"""What the spec wants of a node's PFs."""

from podwire.facts.node import Function
from podwire.model.evidence import Place
from podwire.spec.wiring import FabricWish, NodeWish, Wiring
from podwire.wire.picture import Picture


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
        """Say whether a PF is one of those that are meant.

        PFs that are chosen by their link layer are those that have it.
        """
        if function.is_vf:
            return False
        if self.fabric.pfs.pci_addresses:
            return str(function.address) in self.fabric.pfs.pci_addresses
        wanted = self.fabric.pfs.link_layer
        return not wanted or link_layer == wanted


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
