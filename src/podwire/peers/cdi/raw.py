"""A CDI spec as it is written, whatever it says."""

from collections.abc import Iterable

import msgspec

from podwire.documents.tree import Tree
from podwire.peers.cdi.records import DeviceNode, Edits, Hook, Mount, NetDevice


class RawRdt(msgspec.Struct, frozen=True, gc=False, rename={"clos_id": "closID"}):
    """`intelRdt`, as far as a version or a refusal depends on it."""

    clos_id: str = ""
    schemata: tuple[str, ...] | None = None
    monitors: bool = msgspec.field(default=False, name="enableMonitoring")

    @property
    def needs_1_1(self) -> bool:
        """It uses what CDI 1.1.0 brought."""
        return self.schemata is not None or self.monitors


class RawEdits(msgspec.Struct, frozen=True, gc=False, rename="camel"):
    """`containerEdits` of a spec or of a device."""

    env: tuple[str, ...] = ()
    device_nodes: tuple[DeviceNode | None, ...] = ()
    net_devices: tuple[NetDevice | None, ...] = ()
    mounts: tuple[Mount | None, ...] = ()
    hooks: tuple[Hook | None, ...] = ()
    intel_rdt: RawRdt | None = None
    additional_gids: tuple[int, ...] = ()

    @property
    def lists(self) -> Iterable[tuple[str, tuple[msgspec.Struct | None, ...]]]:
        """The lists of records, by the names they have in the text."""
        return (
            ("deviceNodes", self.device_nodes),
            ("netDevices", self.net_devices),
            ("mounts", self.mounts),
            ("hooks", self.hooks),
        )

    @property
    def is_empty(self) -> bool:
        """It adds nothing, which a device may not."""
        lists = (self.env, self.additional_gids, *(items for _, items in self.lists))
        return not any(lists) and self.intel_rdt is None

    def known(self) -> Edits:
        """Give the fact."""
        return Edits(
            env=self.env,
            device_nodes=tuple(e for e in self.device_nodes if e is not None),
            net_devices=tuple(e for e in self.net_devices if e is not None),
            mounts=tuple(e for e in self.mounts if e is not None),
            hooks=tuple(e for e in self.hooks if e is not None),
            additional_gids=self.additional_gids,
            has_intel_rdt=self.intel_rdt is not None,
        )


class RawDevice(msgspec.Struct, frozen=True, gc=False, rename={"edits": "containerEdits"}):
    """One of `devices`."""

    name: str = ""
    annotations: dict[str, str] = {}
    edits: RawEdits = RawEdits()


class RawSpec(
    msgspec.Struct,
    frozen=True,
    gc=False,
    rename={"version": "cdiVersion", "edits": "containerEdits"},
):
    """A whole spec."""

    version: str = ""
    kind: str = ""
    annotations: dict[str, str] = {}
    devices: tuple[RawDevice, ...] = ()
    edits: RawEdits = RawEdits()

    @property
    def every_edits(self) -> tuple[RawEdits, ...]:
        """The edits of the spec and of its devices."""
        return (self.edits, *(device.edits for device in self.devices))


def raw_spec(tree: Tree) -> RawSpec:
    """Take a tree that has been read by the schema, and so fits."""
    return msgspec.convert(tree, RawSpec)
