"""The subnet manager that a node's ports answer to, and what is known of its set-up."""

import msgspec

from podwire.facts.node import NodeFiles, TextFile
from podwire.model.evidence import Answer, Known, Place, Unknown
from podwire.model.guids import Guid
from podwire.model.names import Ref
from podwire.peers.infiniband_diags import sminfo
from podwire.peers.opensm import Build, Option, read_build, read_options, serves_virtual_ports
from podwire.wire.fabric.ports import Port, ports_of
from podwire.wire.picture import Picture

CONFIG = "etc/opensm/opensm.conf"
_VERSION = "opensm-version.txt"
_GIVES = "nodes/<node of the subnet manager>/ with sysfs.txt, etc/opensm/opensm.conf, {}"


class OpenSm(msgspec.Struct, frozen=True):
    """OpenSM on one node, as far as that node's files tell."""

    node: str
    config: TextFile | None
    version: TextFile | None

    @property
    def ref(self) -> Ref:
        """What findings call it."""
        return Ref(kind="Node", name=self.node).at("opensm")

    @property
    def options(self) -> tuple[Option, ...] | None:
        """Its file's lines; None where the file was not read."""
        return None if self.config is None else read_options(self.config.text)

    @property
    def build(self) -> Answer[Build]:
        """Who built it."""
        if self.version is None:
            return Unknown(
                reason=f"which OpenSM runs on {self.node}",
                give="nodes/<node>/opensm-version.txt (opensm --version)",
                fact="the version of OpenSM",
            )
        build = read_build(self.version.text)
        if isinstance(build, Unknown):
            return build
        return Known(value=build.value, places=(Place(document=self.version.document),))

    @property
    def serves_virtual_ports(self) -> Answer[bool]:
        """Say whether it brings up the ports of VFs."""
        return serves_virtual_ports(self.options, self.build)

    def place(self, option: Option) -> Place:
        """Name a line of its file."""
        assert self.config is not None  # noqa: S101 - an option comes from the file
        return Place(document=self.config.document, line=option.line, column=1)


def opensm_on(files: NodeFiles) -> OpenSm:
    """Give what a node's files tell of its OpenSM."""
    return OpenSm(
        node=files.name, config=files.files.get(CONFIG), version=files.files.get(_VERSION)
    )


def opensms(picture: Picture) -> tuple[OpenSm, ...]:
    """List the nodes that have an opensm.conf."""
    every = picture.facts.node_files
    return tuple(opensm_on(every[name]) for name in sorted(every) if CONFIG in every[name].files)


def in_charge_at(node: str, picture: Picture) -> Answer[Guid]:
    """Say which port the subnet manager of a node's fabric has.

    Its own `sminfo` tells, else that of another node which found the manager here.
    """
    asked = _asked(node, picture)
    if asked is not None:
        return asked
    for other in sorted(picture.facts.node_files):
        found = _asked(other, picture)
        if found is not None and _port_with(found.value, node, picture) is not None:
            return found
    return Unknown(
        reason=f"which subnet manager serves the fabric of {node}",
        give="nodes/<node>/sminfo.txt (sminfo)",
        fact="the subnet manager of a node's fabric",
    )


def is_idle(opensm: OpenSm, picture: Picture) -> bool:
    """Say whether another subnet manager is known to be in charge where this one would be."""
    guid = in_charge_at(opensm.node, picture)
    files = picture.files(opensm.node)
    mine = [port.port_guid for port in (ports_of(files) if files else ())]
    return (
        isinstance(guid, Known)
        and bool(mine)
        and all(isinstance(own, Known) and own.value != guid.value for own in mine)
    )


def _asked(node: str, picture: Picture) -> Known[Guid] | None:
    files = picture.files(node)
    file = files.files.get("sminfo.txt") if files else None
    found = sminfo(file.text) if file else None
    if file is None or found is None or not found.is_master:
        return None
    return Known(value=found.guid, places=(Place(document=file.document),))


def _port_with(guid: Guid, node: str, picture: Picture) -> Port | None:
    files = picture.files(node)
    mine = ((port, port.port_guid) for port in (ports_of(files) if files else ()))
    return next((p for p, g in mine if isinstance(g, Known) and g.value == guid), None)


def manager_of(node: str, picture: Picture) -> Answer[OpenSm]:
    """Find the machine in sight that the subnet manager of a node's fabric runs on."""
    guid = in_charge_at(node, picture)
    if isinstance(guid, Unknown):
        return guid
    for name in sorted(picture.facts.node_files):
        port = _port_with(guid.value, name, picture)
        if port is not None:
            return Known(
                value=opensm_on(picture.facts.node_files[name]),
                places=(*guid.places, port.place("gids/0")),
            )
    return Unknown(
        reason=f"the subnet manager at port GUID {guid.value} runs on no machine in sight",
        give=_GIVES.format(_VERSION),
        fact="the machine of the subnet manager",
    )
