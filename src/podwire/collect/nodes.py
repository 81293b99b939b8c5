"""The files of one machine, wherever they were found, into its facts."""

from collections.abc import Callable
from typing import TypeVar

import msgspec

from podwire.collect import node_texts, podresources
from podwire.collect.buffer import SMALL
from podwire.collect.gathered import Gathered
from podwire.collect.sysfs import NETNS_MODE, read_tree
from podwire.documents import sysfs
from podwire.documents.text import Problem, decode_text
from podwire.facts.gpu_functions import gpus_of
from podwire.facts.node import (
    GIVES_FUNCTIONS,
    NO_CELLS,
    NO_GPUS,
    Function,
    GpuFunction,
    NodeFiles,
    NumaCell,
    TextFile,
)
from podwire.facts.numa_cells import cells_of
from podwire.facts.sysfs_tree import functions_of
from podwire.model.evidence import Answer, Document, Known, Place, Unknown, derived
from podwire.ports.hostfs import HostFs, ReadFault, Trouble

T = TypeVar("T")

SYSFS = "sysfs.txt"
LISTING = "LISTING.txt"
ROUTES = "ip-route.txt"
KERNEL_ROUTES = "proc/net/route"
KUBELET = "kubelet-config.yaml"
RDMA = "rdma-system.txt"
ALLOCATABLE = "podresources-allocatable.json"
HELD = "podresources-list.json"
CARDS = "nvidia-smi-L.txt"
IMAGES = "images.json"

_IN_BUNDLE = "nodes/<node>/{} in a bundle"
_CONFIGZ = "kubectl get --raw /api/v1/nodes/{}/proxy/configz"
_RDMA_SYSTEM = "rdma system show"
_NVIDIA_SMI = "nvidia-smi -L"
_WORDS = {
    SYSFS: "the list of PCI functions",
    ALLOCATABLE: "kubelet's list of allocatable devices",
    HELD: "kubelet's list of devices that pods hold",
    KUBELET: "kubelet's configuration",
    RDMA: "the RDMA namespace mode",
    CARDS: "the list of GPUs",
    IMAGES: "the configuration of images",
}
# Links of a copied machine often do: a masked unit is one to /dev/null.
_LEADS_NOWHERE = {Trouble.ABSENT, Trouble.OUTSIDE, Trouble.SPECIAL, Trouble.LOOP}
_MODES = {"Y": "shared", "1": "shared", "N": "exclusive", "0": "exclusive"}


class Found(msgspec.Struct, frozen=True):
    """A file, or the folder that holds `sys/`, and what it is called."""

    files: HostFs
    path: str
    document: Document


class Machine(msgspec.Struct):
    """What was found of one node, by its names in a bundle; the last input counts."""

    name: str
    found: dict[str, Found] = msgspec.field(default_factory=dict)
    tree: Found | None = None
    listings: dict[str, tuple[str, ...]] = msgspec.field(default_factory=dict)


def read_machine(machine: Machine, *, gathered: Gathered) -> NodeFiles:
    """Read everything that was found of a machine."""
    return _MachineReader(machine, gathered=gathered).facts()


class _MachineReader:
    def __init__(self, machine: Machine, *, gathered: Gathered) -> None:
        self._machine = machine
        self._gathered = gathered
        self._texts: dict[str, TextFile] = {}
        self._listings = dict(machine.listings)

    def facts(self) -> NodeFiles:
        name = self._machine.name
        for file_name, found in sorted(self._machine.found.items()):
            self._read(file_name, found)
        listed = self._answer(
            ALLOCATABLE, podresources.allocatable, give=_IN_BUNDLE.format(ALLOCATABLE)
        )
        functions, gpus, cells = self._sysfs()
        return NodeFiles(
            name=name,
            functions=functions,
            gpus=gpus,
            cells=cells,
            default_routes=self._default_routes(),
            allocatable=derived(listed, lambda answer: answer.devices),
            allocatable_cpus=derived(listed, lambda answer: answer.cpu_ids),
            allocatable_memory=derived(listed, lambda answer: answer.memory),
            held=self._answer(HELD, podresources.held, give=_IN_BUNDLE.format(HELD)),
            kubelet=self._answer(KUBELET, node_texts.kubelet, give=_CONFIGZ.format(name)),
            rdma_mode=self._rdma_mode(),
            cards=self._answer(CARDS, node_texts.cards, give=_NVIDIA_SMI),
            images=self._images(),
            listings=self._listings,
            files=self._texts,
        )

    def _read(self, name: str, found: Found) -> None:
        try:
            data = found.files.read(found.path, limit=SMALL)
        except ReadFault as error:
            if error.trouble in _LEADS_NOWHERE:
                self._gathered.unread.append(found.document)
            else:
                self._gathered.refused(error, document=found.document)
            return
        self._gathered.saw(found.document)
        text, _ = decode_text(data)  # Logs of the kernel hold any bytes; nobody can mend them.
        folder, _, last = name.rpartition("/")
        if last == LISTING:
            lines = (line.strip() for line in text.splitlines())
            self._listings[folder] = tuple(line for line in lines if line)
        self._texts[name] = TextFile(document=found.document, text=text)

    def _answer(self, name: str, read: Callable[[str], T | Problem], *, give: str) -> Answer[T]:
        """Read a file that has one form; what has another is a fault and unknown."""
        file = self._texts.get(name)
        if file is None:
            return self._not_read(name, give=give)
        answer = read(file.text)
        if isinstance(answer, Problem):
            self._gathered.problem(answer, document=file.document)
            return self._not_read(name, give=give)
        return Known(value=answer, places=(Place(document=file.document),))

    def _images(self) -> dict[str, tuple[str, ...]]:
        answer = self._answer(IMAGES, node_texts.image_variables, give=_IN_BUNDLE.format(IMAGES))
        return answer.value if isinstance(answer, Known) else {}

    def _not_read(self, name: str, *, give: str) -> Unknown:
        node = self._machine.name
        return Unknown(
            reason=f"{_WORDS[name]} of node {node} was not read",
            give=give,
            fact=f"{_WORDS[name]} of a node",
        )

    def _sysfs(
        self,
    ) -> tuple[
        Answer[tuple[Function, ...]], Answer[tuple[GpuFunction, ...]], Answer[tuple[NumaCell, ...]]
    ]:
        file, tree = self._texts.pop(SYSFS, None), self._machine.tree
        if file is not None:
            parsed = sysfs.parse(file.text)
            for problem in parsed.problems:
                self._gathered.problem(problem, document=file.document)
            values, links, is_whole, document = parsed.values, parsed.links, False, file.document
        elif tree is not None:
            read = read_tree(tree.files, root=tree.path)
            values, links, is_whole, document = (
                read.values,
                read.links,
                read.is_whole,
                tree.document,
            )
            self._gathered.saw(document)
        else:
            return self._not_read(SYSFS, give=GIVES_FUNCTIONS), NO_GPUS, NO_CELLS
        functions = functions_of(values, links=links, document=document, is_whole=is_whole)
        known = Known(value=functions, places=(Place(document=document),))
        gpus = gpus_of(values, document=document, is_whole=is_whole)
        return known, gpus, cells_of(values, document=document)

    def _default_routes(self) -> Answer[frozenset[str]]:
        """Read what `ip route` or the kernel says; without either no VF carries a route."""
        for name, read in (
            (ROUTES, node_texts.routed),
            (KERNEL_ROUTES, node_texts.routed_by_kernel),
        ):
            file = self._texts.get(name)
            if file is not None:
                return Known(value=read(file.text), places=(Place(document=file.document),))
        return Known(value=frozenset())

    def _rdma_mode(self) -> Answer[str]:
        file, tree = self._texts.get(RDMA), self._machine.tree
        if file is None and tree is not None:
            return self._netns_parameter(tree)
        return self._answer(RDMA, node_texts.netns_mode, give=_RDMA_SYSTEM)

    def _netns_parameter(self, tree: Found) -> Answer[str]:
        """Read the parameter behind `rdma system`: it follows changes at run time.

        Source: linux drivers/infiniband/core/device.c, netns_mode and rdma_compatdev_set.
        """
        front = f"{tree.path}/" if tree.path else ""
        try:
            text = tree.files.read(front + NETNS_MODE, limit=SMALL).decode(errors="replace")
        except ReadFault:
            return self._not_read(RDMA, give=_RDMA_SYSTEM)
        mode = _MODES.get(text.strip())
        if mode is None:
            return self._not_read(RDMA, give=_RDMA_SYSTEM)
        return Known(value=mode, places=(Place(document=tree.document, path=(NETNS_MODE,)),))
