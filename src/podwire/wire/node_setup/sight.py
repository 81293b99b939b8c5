"""All setups and .link files in sight: what the rules about them are asked of."""

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property

from podwire.facts.node import NodeFiles
from podwire.model.evidence import Answer, Known, Unknown
from podwire.peers.systemd_unit.records import Unit
from podwire.wire.node_setup import guid_steps, guid_texts, kernel_log, pfs, start
from podwire.wire.node_setup.guid_texts import GuidTexts
from podwire.wire.node_setup.items import Item
from podwire.wire.node_setup.links import FOLDER, NodeLink, links_of
from podwire.wire.node_setup.naming import NodeNaming
from podwire.wire.node_setup.nics import nics_of
from podwire.wire.node_setup.setups import NodeSetup, Setup


class VfSetup(Setup):
    """A unit that makes VFs, with what follows from its steps."""

    def __init__(
        self, unit: Unit, *, node: NodeSetup, by_guid: Callable[[], Mapping[str, tuple[Setup, ...]]]
    ) -> None:
        super().__init__(unit, files=node.files, order=node.order)
        self._by_guid = by_guid

    def start(self) -> start.Start:
        """How it stands to kubelet's start."""
        return start.start_of(self)

    def pf_sets(self) -> Answer[pfs.PfSets | None]:
        """The PFs that get VFs, beside those whose VFs get GUIDs."""
        return pfs.pf_sets(self)

    def numbered(self) -> Mapping[str, Item]:
        """The PFs that it names by number."""
        return pfs.numbered(self)

    def vf_count(self) -> Answer[int]:
        """How many VFs it makes."""
        return pfs.vf_count(self)

    def guid_steps(self) -> guid_steps.GuidSteps | None:
        """The steps around its GUIDs; None: it sets none."""
        return guid_steps.guid_steps(self)

    def guid_texts(self) -> GuidTexts | None:
        """What is wrong with its GUIDs; None: it sets none."""
        return guid_texts.guid_texts(self)

    def sharing(self, texts: GuidTexts) -> tuple[Setup, ...]:
        """Units of other nodes that set one of the same GUIDs."""
        return guid_texts.shared_with(self, texts, self._by_guid())

    def no_other(self) -> Answer[bool]:
        """Whether no program of it can have done what was not seen."""
        return guid_steps.no_other(self)


class NodeSetups:
    """Every node's files, read when first asked for."""

    def __init__(self, files: Mapping[str, NodeFiles]) -> None:
        self._files = files
        self.nodes = {name: NodeSetup(each) for name, each in files.items() if has_systemd(each)}

    @cached_property
    def links_of(self) -> Mapping[str, tuple[NodeLink, ...]]:
        """The .link files by node."""
        return {name: links_of(node.files, node.folders) for name, node in self.nodes.items()}

    @property
    def links(self) -> tuple[NodeLink, ...]:
        """The .link files of all nodes."""
        return tuple(link for links in self.links_of.values() for link in links)

    @property
    def namings(self) -> Iterator[NodeNaming]:
        """Nodes with a .link file for their cards, or with all names in the folder listed."""
        for name, setup in self.nodes.items():
            links = self.links_of.get(name, ())
            is_read = setup.folders.is_listed(FOLDER) and isinstance(nics_of(setup.files), Known)
            if is_read or any(link.is_for_mlx5 for link in links):
                yield NodeNaming(setup=setup, links=links)

    @property
    def refused_modules(self) -> Iterator[kernel_log.Refused]:
        """Modules that kernels refused."""
        return kernel_log.refused_modules(self._files.values())

    @cached_property
    def by_guid(self) -> Mapping[str, tuple[Setup, ...]]:
        """Units by the GUIDs that they set, in small letters."""
        found: dict[str, dict[str, Setup]] = {}
        for setup in self.every:
            for item in setup.guids if isinstance(setup.followed, Known) else ():
                found.setdefault(item.value.lower(), {})[setup.node] = setup
        return {guid: tuple(each.values()) for guid, each in found.items()}

    @cached_property
    def every(self) -> tuple[VfSetup, ...]:
        """Units that make VFs or set GUIDs, and those of which nobody can tell."""
        found = (
            VfSetup(unit, node=node, by_guid=lambda: self.by_guid)
            for node in self.nodes.values()
            for unit in node.about_vfs()
        )
        return tuple(
            setup
            for setup in found
            if isinstance(answer := setup.is_about_vfs, Unknown) or answer.value
        )

    @property
    def setups(self) -> tuple[VfSetup, ...] | Unknown:
        """Units that make VFs or set GUIDs; Unknown where no grammar is there to tell."""
        found = []
        for setup in self.every:
            if isinstance(setup.followed, Unknown):
                return setup.followed
            if isinstance(setup.is_about_vfs, Known):
                found.append(setup)
        return tuple(found)


def has_systemd(files: NodeFiles) -> bool:
    """Whether any file of systemd was read."""
    return any("systemd/" in path for path in files.files)
