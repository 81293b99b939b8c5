"""Which .link file names the VFs of a node."""

import re

import msgspec

from podwire.model.names import Ref
from podwire.peers.systemd_link.applying import fits
from podwire.wire.node_setup.links import DEFAULT, FOLDER, NodeLink
from podwire.wire.node_setup.nics import Nic, nics_of
from podwire.wire.node_setup.setups import NodeSetup

_LEFT_BY_PODS = re.compile(r"net[1-9]\d*|dev\d+")


class NamedVf(msgspec.Struct, frozen=True):
    """A VF, and the file that names it; None: systemd's own, which is not in sight."""

    nic: Nic
    link: NodeLink | None

    @property
    def lost(self) -> tuple[str, ...]:
        """Names of its net devices that a pod left."""
        return tuple(name for name in self.nic.netdevs if _LEFT_BY_PODS.fullmatch(name))

    @property
    def is_kept(self) -> bool:
        """Whether the file keeps any name that user space gave."""
        return self.link is None or "keep" in (self.link.link.policies or ())


class NodeNaming(msgspec.Struct, frozen=True):
    """A node whose .link files are in sight."""

    setup: NodeSetup
    links: tuple[NodeLink, ...]

    @property
    def node(self) -> str:
        """The node's name."""
        return self.setup.files.name

    @property
    def ref(self) -> Ref:
        """What findings call it."""
        return Ref(kind="Node", name=self.node)

    def keeping(self) -> tuple[NamedVf, ...]:
        """Give VFs of which a file keeps the name.

        Raises:
            Missing: nobody knows which VFs there are, or which file fits one.
        """
        vfs = [nic for nic in nics_of(self.setup.files).need().value if nic.is_vf]
        is_masked = self.setup.folders.is_replaced(FOLDER, DEFAULT)
        kept = (vf for vf in map(self._named, vfs) if vf.is_kept)
        return tuple(vf for vf in kept if vf.link is not None or not is_masked)

    def _named(self, nic: Nic) -> NamedVf:
        for link in self.links:
            if fits(link.link, nic.device()).need().value:
                return NamedVf(nic=nic, link=link)
        return NamedVf(nic=nic, link=None)
