"""What a CDI spec says, and what a runtime's cache makes of all of them.

Records with camelCase fields are as they stand in a spec; an absent field is empty, as in Go.
"""

from collections.abc import Iterable, Mapping

import msgspec

from podwire.model.evidence import Answer, Place


class DeviceNode(msgspec.Struct, frozen=True, gc=False, rename="camel"):
    """A device file that a container gets; `host` is its path outside, where that differs.

    Without a type and a number the runtime asks the host's file for them, and the container
    does not start where there is none.
    """

    path: str = ""
    host_path: str = ""
    type: str = ""
    major: int = 0
    minor: int = 0
    permissions: str = ""

    @property
    def host(self) -> str:
        """The file on the host."""
        return self.host_path or self.path


class Mount(msgspec.Struct, frozen=True, gc=False, rename="camel"):
    """A path of the host inside the container."""

    host_path: str = ""
    container_path: str = ""
    type: str = ""
    options: tuple[str, ...] = ()


class Hook(msgspec.Struct, frozen=True, gc=False, rename="camel"):
    """A program of the host that runs at a moment of the container's life."""

    hook_name: str = ""
    path: str = ""
    args: tuple[str, ...] = ()
    env: tuple[str, ...] = ()


class NetDevice(msgspec.Struct, frozen=True, gc=False, rename="camel"):
    """A network interface that moves into the container (since CDI 1.1.0)."""

    host_interface_name: str = ""
    name: str = ""


class Edits(msgspec.Struct, frozen=True):
    """What is added to a container."""

    env: tuple[str, ...] = ()
    device_nodes: tuple[DeviceNode, ...] = ()
    net_devices: tuple[NetDevice, ...] = ()
    mounts: tuple[Mount, ...] = ()
    hooks: tuple[Hook, ...] = ()
    additional_gids: tuple[int, ...] = ()
    has_intel_rdt: bool = False


class CdiDevice(msgspec.Struct, frozen=True):
    """A device that can be asked for by name.

    `file` is its spec's path on the node. `shared` are the edits of the spec itself, which
    every container gets that asks for any of its devices.
    """

    name: str
    kind: str
    device: str
    file: str
    place: Place
    edits: Edits
    shared: Edits

    @property
    def device_nodes(self) -> tuple[DeviceNode, ...]:
        """All device files that asking for this one device gives."""
        return (*self.shared.device_nodes, *self.edits.device_nodes)


class Fault(msgspec.Struct, frozen=True):
    """Why a spec is not loaded: none of its devices exists.

    The sentence is the library's, as far as `is_exact`; behind that, podwire's own words.
    """

    sentence: str
    place: Place
    is_exact: bool = True


class Resolution(msgspec.Struct, frozen=True):
    """What becomes of a request for devices: all of it, or nothing and the library's sentence.

    `whole` says whether all specs of the node were read: a name that does not resolve may
    stand in another one, and a name that does may stand twice.
    """

    devices: tuple[CdiDevice, ...]
    unresolved: tuple[str, ...]
    sentence: str
    whole: Answer[bool]

    @property
    def edits(self) -> Edits:
        """Everything the container gets; nothing where a name does not resolve."""
        return Edits() if self.unresolved else _together(self.devices)


class Registry(msgspec.Struct, frozen=True):
    """The specs of one node as a runtime has them loaded.

    `devices` by qualified name. `conflicts` are names that resolve nowhere, because two specs
    of one folder have them, with all places where they stand. `faults` by the spec's path on
    the node. `kinds` gives for each kind that was loaded the names of its devices, without
    those in conflict.
    """

    devices: Mapping[str, CdiDevice]
    conflicts: Mapping[str, tuple[Place, ...]]
    faults: Mapping[str, Fault]
    kinds: Mapping[str, tuple[str, ...]]
    whole: Answer[bool]

    def resolve(self, names: Iterable[str]) -> Resolution:
        """Look names up as InjectDevices does, in the order of the request."""
        asked = tuple(names)
        unresolved = tuple(name for name in asked if name not in self.devices)
        listed = ", ".join(unresolved)
        return Resolution(
            devices=tuple(self.devices[name] for name in asked if name in self.devices),
            unresolved=unresolved,
            sentence=f"unresolvable CDI devices {listed}" if unresolved else "",
            whole=self.whole,
        )


def _together(devices: Iterable[CdiDevice]) -> Edits:
    """Put edits one after another, those of a spec before those of its first device."""
    every: list[Edits] = []
    specs: set[str] = set()
    for each in devices:
        if each.file not in specs:
            specs.add(each.file)
            every.append(each.shared)
        every.append(each.edits)
    return Edits(
        env=tuple(e for edits in every for e in edits.env),
        device_nodes=tuple(e for edits in every for e in edits.device_nodes),
        net_devices=tuple(e for edits in every for e in edits.net_devices),
        mounts=tuple(e for edits in every for e in edits.mounts),
        hooks=tuple(e for edits in every for e in edits.hooks),
        additional_gids=tuple(e for edits in every for e in edits.additional_gids),
        has_intel_rdt=any(edits.has_intel_rdt for edits in every),
    )
