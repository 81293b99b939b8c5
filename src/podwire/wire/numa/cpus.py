"""CPUs of a node that the CPU manager's static policy gives to containers, and who has them.

Source: kubernetes v1.37.2 pkg/kubelet/cm/cpumanager/policy_static.go: all that are online are
in NUMA nodes, and kubelet keeps some for the system (`reservedSystemCPUs`, or as many as it
reserves). PodResources leaves ordinary init containers out: what only they had is taken to be
free.
"""

from podwire.facts.node import KubeletConfig, NodeFiles, NumaCell
from podwire.facts.numa_cells import numbers
from podwire.model.evidence import Answer, Known, Unknown
from podwire.peers.go_text import is_true
from podwire.peers.kubelet_topology import Device

ALIGN_BY_SOCKET = "align-by-socket"
FULL_CORES = "full-pcpus-only"


def has_option(kubelet: KubeletConfig, name: str) -> bool:
    """Say whether a policy option of the CPU manager is on,."""
    return is_true(kubelet.cpu_manager_policy_options.get(name, ""))


def cpus_of(
    files: NodeFiles, kubelet: KubeletConfig, owners: dict[int, str]
) -> Answer[tuple[Device, ...]]:
    """Put the CPUs of a node together; `owners` are those of CPUs that nobody else may use."""
    if has_option(kubelet, ALIGN_BY_SOCKET):
        return Unknown(
            reason=f"the CPU manager's option {ALIGN_BY_SOCKET} is on, which podwire does not "
            "follow",
            fact=f"hints of the CPU manager with {ALIGN_BY_SOCKET}",
        )
    if isinstance(files.cells, Unknown):
        return files.cells
    given = _given(files, kubelet)
    if isinstance(given, Unknown):
        return given
    devices = (
        Device(
            id=str(cpu),
            numa=frozenset({cell.id}),
            owner=owners.get(cpu),
            is_reserved=cpu not in given.value,
        )
        for cell in files.cells.value
        for cpu in cell.cpus
    )
    return Known(value=tuple(devices), places=(*files.cells.places, *given.places))


def cpus_per_core(cells: tuple[NumaCell, ...], devices: tuple[Device, ...]) -> Answer[int]:
    """Say by how many CPUs are given with the option full-pcpus-only.

    Source: cpumanager/topology/topology.go CPUsPerCore. Siblings of a reserved CPU are not given
    then, and which of them are free at a time is not followed.
    """
    reserved = {int(cpu.id) for cpu in devices if cpu.is_reserved}
    cores = [core for cell in cells for core in cell.cores or ()]
    if not cores or any(cell.cores is None for cell in cells):
        return Unknown(
            reason="which CPUs are one core was not read",
            give="sys/devices/system/cpu/cpu*/topology/thread_siblings_list in "
            "nodes/<node>/sysfs.txt, or --node-root / on the node",
            fact="the cores of CPUs",
        )
    if any(reserved.intersection(core) and not reserved.issuperset(core) for core in cores):
        return Unknown(
            reason="kubelet reserves parts of cores, whose other CPUs it does not give with "
            f"{FULL_CORES}",
            fact="the CPUs of cores that are reserved in part",
        )
    return Known(value=sum(len(cell.cpus) for cell in cells) // len(cores))


def _given(files: NodeFiles, kubelet: KubeletConfig) -> Answer[frozenset[int]]:
    """Say which CPUs are not kept for the system: kubelet's own answer comes first."""
    listed = files.allocatable_cpus
    if isinstance(listed, Known) and listed.value:
        return Known(value=frozenset(listed.value), places=listed.places)
    if kubelet.reserved_system_cpus and isinstance(files.cells, Known):
        try:
            kept = frozenset(numbers(kubelet.reserved_system_cpus))
        except ValueError as error:
            return Unknown(reason=f"reservedSystemCPUs: {error}", fact="reservedSystemCPUs")
        every = frozenset(cpu for cell in files.cells.value for cpu in cell.cpus)
        return Known(value=every - kept)
    if isinstance(listed, Unknown):
        return listed
    return Unknown(
        reason=f"podresources-allocatable.json of node {files.name} has no cpu_ids",
        give="nodes/<node>/podresources-allocatable.json with its cpu_ids, in a bundle",
        fact="the CPUs that kubelet gives to pods",
    )
