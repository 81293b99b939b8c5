"""All setups and .link files in sight: what the rules about them are asked of."""

from collections.abc import Iterator, Mapping
from functools import cached_property

from podwire.facts.node import Function, NodeFiles
from podwire.model.evidence import Answer, Known, Unknown
from podwire.peers.systemd_unit.records import Unit
from podwire.wire.node_setup import guid_steps, guid_texts, kernel_log, pfs, start
from podwire.wire.node_setup.guid_texts import GuidTexts
from podwire.wire.node_setup.items import Item, What
from podwire.wire.node_setup.links import FOLDER, NodeLink, links_of
from podwire.wire.node_setup.naming import NodeNaming
from podwire.wire.node_setup.nics import nics_of
from podwire.wire.node_setup.order import KUBELETS
from podwire.wire.node_setup.setups import NodeSetup, Setup


class VfSetup(Setup):
    """A unit that makes VFs, with what follows from its steps."""

    def __init__(self, unit: Unit, *, node: NodeSetup, sight: "NodeSetups") -> None:
        super().__init__(unit, files=node.files, order=node.order)
        self._node = node
        self._sight = sight

    def start(self) -> start.Start:
        """How it stands to kubelet's start."""
        return start.start_of(self)

    def pf_sets(self) -> Answer[pfs.PfSets | None]:
        """The PFs that get VFs, beside those whose VFs get GUIDs."""
        return pfs.pf_sets(self)

    def numbered(self) -> Mapping[str, Item]:
        """The PFs that it names by number."""
        return pfs.numbered(self)

    def function_of(self, item: Item) -> Function | None:
        """The PF of a step, where sysfs has it."""
        return pfs.function_of(item.pf, self.files)

    def vf_count(self) -> Answer[int]:
        """How many VFs it makes."""
        return pfs.vf_count(self)

    def guid_steps(self) -> guid_steps.GuidSteps | None:
        """The steps around its GUIDs; None: it sets none."""
        return guid_steps.guid_steps(self, is_bound_elsewhere=self.is_done_elsewhere(What.BIND))

    def guid_texts(self) -> GuidTexts | None:
        """What is wrong with its GUIDs; None: it sets none."""
        return guid_texts.guid_texts(self)

    def sharing(self, texts: GuidTexts) -> tuple[Setup, ...]:
        """Units of other nodes that set one of the same GUIDs."""
        return guid_texts.shared_with(self, texts, self._sight.by_guid)

    @property
    def has_twin(self) -> bool:
        """Whether another node has a unit of this name that sets GUIDs."""
        return bool(self._sight.givers.get(self.name, frozenset()) - {self.node})

    @property
    def has_vfs(self) -> bool:
        """Whether the machine was seen with VFs: at this boot it went well."""
        functions = self.files.functions
        return isinstance(functions, Known) and any(f.is_vf for f in functions.value)

    @property
    def needs_no_policy(self) -> bool:
        """Whether no port waits for a policy: no InfiniBand, or ports of VFs that are Active."""
        nics = nics_of(self.files)
        layers = {nic.is_infiniband for nic in nics.value} if isinstance(nics, Known) else set()
        if layers == {False}:
            return True
        return pfs.has_active_vf(self.files) or self.is_done_elsewhere(What.POLICY)

    def is_done_elsewhere(self, what: What) -> bool:
        """Whether another unit of the node does such a step."""
        return bool(self._node.doers.get(what, frozenset()) - {self.name})

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
    def givers(self) -> Mapping[str, frozenset[str]]:
        """Nodes by the name of a unit that sets GUIDs there."""
        found: dict[str, set[str]] = {}
        for setup in self.every:
            if isinstance(setup.followed, Known) and setup.guids:
                found.setdefault(setup.name, set()).add(setup.node)
        return {name: frozenset(nodes) for name, nodes in found.items()}

    @cached_property
    def every(self) -> tuple[VfSetup, ...]:
        """Units that make VFs or set GUIDs, and those of which nobody can tell."""
        found = (
            VfSetup(unit, node=node, sight=self)
            for node in self.nodes.values()
            for unit in node.about_vfs()
        )
        return tuple(setup for setup in found if _counts(setup))

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


def _counts(setup: VfSetup) -> bool:
    """Whether a unit makes VFs, or may; kubelet's own that starts some program is no such."""
    answer = setup.is_about_vfs
    return setup.name not in KUBELETS if isinstance(answer, Unknown) else bool(answer.value)


def has_systemd(files: NodeFiles) -> bool:
    """Whether any file of systemd was read."""
    return any("systemd/" in path for path in files.files)
