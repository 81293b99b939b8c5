"""Nodes in sight of whose fabric the spec wants something."""

import msgspec

from podwire.facts.link_layer import link_layer_of
from podwire.facts.node import Function, NodeFiles
from podwire.model.evidence import Place
from podwire.model.names import Ref
from podwire.wire.fabric.wishes import Wish, wish_of
from podwire.wire.picture import Picture


class WantedNode(msgspec.Struct, frozen=True):
    """One node with its files, and what the spec wants of it."""

    name: str
    files: NodeFiles
    wish: Wish

    @property
    def ref(self) -> Ref:
        """The node's fabric, as a part of the node."""
        return Ref(kind="Node", name=self.name).at("fabric")

    @property
    def place(self) -> Place:
        """Where the spec says what it wants."""
        return self.wish.place()

    def layer_of(self, function: Function) -> str:
        """Give a function's link layer; empty where nobody can tell."""
        return link_layer_of(function)


def wanted_nodes(picture: Picture) -> tuple[WantedNode, ...]:
    """List the nodes whose files were given and whom the spec means."""
    found = ((name, wish_of(name, picture)) for name in sorted(picture.facts.node_files))
    return tuple(
        WantedNode(name=name, files=picture.facts.node_files[name], wish=wish)
        for name, wish in found
        if wish is not None
    )
