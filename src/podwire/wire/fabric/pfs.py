"""PFs of all nodes: what they are, what firmware allows them, what the spec wants of them."""

from collections.abc import Iterator

import msgspec

from podwire.facts.link_layer import link_layer_of
from podwire.facts.node import Function, NodeFiles
from podwire.model.evidence import Answer, Known, Place, Unknown, derived
from podwire.model.names import Ref
from podwire.peers.mstconfig import Setting, Settings, read_settings
from podwire.peers.pci_ids import can_have_vfs
from podwire.wire.fabric.wishes import Wish, wish_of
from podwire.wire.picture import Picture

_MSTCONFIG = "mstconfig.txt"


class Pf(msgspec.Struct, frozen=True):
    """One PF of one node. `wish` is what the spec wants of it."""

    node: str
    function: Function
    settings: Settings | None = None
    settings_at: Place | None = None
    wish: Wish | None = None

    @property
    def ref(self) -> Ref:
        """What findings call it."""
        return Ref(kind="PF", name=f"{self.node}/{self.function.address}")

    @property
    def node_ref(self) -> Ref:
        """Its node."""
        return Ref(kind="Node", name=self.node)

    @property
    def firmware(self) -> Answer[str | None]:
        """Its firmware's version, `28.43.1014`."""
        if not self.function.rdma:
            return Known(value=None)
        return self.function.rdma[0].attributes.read("fw_ver")

    @property
    def total(self) -> Answer[int]:
        """How many VFs its firmware allows; 0 where the attribute is not there."""
        return derived(self.function.attributes.read("sriov_totalvfs"), _number)

    @property
    def count(self) -> int:
        """How many VFs it has: its links to them are complete."""
        return len(self.function.virtfns)

    def setting(self, name: str) -> Setting | None:
        """Give a setting of its firmware; None: not read, or the card does not have it."""
        return self.settings.get(name) if self.settings else None


def pfs(picture: Picture) -> tuple[Pf, ...]:
    """List the functions that have VFs, or may have."""
    return tuple(
        pf
        for name in sorted(picture.facts.node_files)
        for pf in _on(picture.facts.node_files[name], wish_of(name, picture))
    )


def wanted_pfs(picture: Picture) -> tuple[Pf, ...]:
    """List those of which the spec wants something."""
    return tuple(pf for pf in pfs(picture) if pf.wish is not None)


def pfs_with_vfs(picture: Picture) -> tuple[Pf, ...]:
    """List those that have VFs and of which the firmware's version was read."""
    every = (pf for pf in pfs(picture) if pf.count)
    return tuple(pf for pf in every if isinstance(pf.firmware, Known) and pf.firmware.value)


def _on(files: NodeFiles, wish: Wish | None) -> Iterator[Pf]:
    if isinstance(files.functions, Unknown):
        return
    file = files.files.get(_MSTCONFIG)
    place = Place(document=file.document) if file else None
    settings = {s.address: s for s in (read_settings(file.text) if file else ())}
    for function in files.functions.value:
        if not can_have_vfs(function):
            continue
        is_meant = wish is not None and wish.is_for(function, link_layer_of(function))
        mine = settings.get(function.address)
        yield Pf(
            node=files.name,
            function=function,
            settings=mine,
            settings_at=place if mine else None,
            wish=wish if is_meant else None,
        )


def _number(text: str | None) -> int:
    return int(text) if text and text.strip().isdecimal() else 0
