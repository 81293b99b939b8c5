"""What the spec wants of a node's PFs."""

from podwire.facts.link_layer import link_layer_of
from podwire.facts.node import Function
from podwire.model.evidence import Place
from podwire.spec.meant import entries_for, wanted_layer, written_addresses
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

    def is_for(self, function: Function, link_layer: str) -> bool:
        """Say whether a PF is one of those that are meant: by address, by board, by link layer."""
        named = written_addresses(self.fabric.pfs)
        if named:
            return str(function.address) in named
        return link_layer.casefold() == wanted_layer(self.fabric.pfs).casefold()


def is_meant(pf: Function | None, node: str, picture: Picture) -> bool:
    """Say whether the spec wants something of a PF."""
    wish = wish_of(node, picture)
    return wish is not None and pf is not None and wish.is_for(pf, link_layer_of(pf))


def is_left_out(pf: Function, node: str, picture: Picture) -> bool:
    """Say whether the spec wants something of this node's PFs, and nothing of this one."""
    return wish_of(node, picture) is not None and not is_meant(pf, node, picture)


def wish_of(node: str, picture: Picture) -> Wish | None:
    """Give what the spec wants of a node's fabric; None: nothing."""
    found = picture.node(node)
    labels = found.metadata.labels if found else {}
    for wiring in picture.facts.wirings:
        for index, wish in entries_for(wiring.nodes, name=node, labels=labels):
            if wish.fabric != FabricWish():
                return Wish(wiring, index, wish)
    return None
