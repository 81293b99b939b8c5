"""Nodes whose kubelet gives CPUs and memory to containers alone, and distances of NUMA nodes."""

import json
from collections.abc import Mapping
from typing import Any

import pytest
from tests.pictures import picture
from tests.unit.wire.test_numa import DEVICES, GPU, NODE, container, judged, kubelet, node, pod

from podwire.model.evidence import Known
from podwire.peers.kubelet_topology import CPU, MEMORY
from podwire.wire.numa.cures import cures_of
from podwire.wire.numa.holdings import amount, holdings
from podwire.wire.numa.judging import Judge, Outcome
from podwire.wire.picture import Picture

GI = 1 << 30
SYSFS = """\
sys/devices/system/node/online = 0-1
sys/devices/system/node/node0/cpulist = 0-15
sys/devices/system/node/node1/cpulist = 16-31
sys/devices/system/node/node0/distance = 10 21
sys/devices/system/node/node1/distance = 21 10
"""
STATIC = {"cpuManagerPolicy": "static"}
MEMORIES = tuple(
    {"memory_type": "memory", "size": 100 * GI, "topology": {"nodes": [{"ID": n}]}} for n in (0, 1)
)


def guaranteed(cpu: str, memory: str = "8Gi") -> dict[str, str]:
    return {"cpu": cpu, "memory": memory}


def given(
    *pods: dict[str, Any],
    config: str,
    sysfs: str | None = SYSFS,
    cpu_ids: tuple[int | str, ...] = tuple(range(2, 32)),
    memory: tuple[dict[str, Any], ...] = (),
    held: Mapping[str, dict[str, Any]] | None = None,
) -> Picture:
    entries = [
        {"name": who, "namespace": "train", "containers": [{"name": "c", **what}]}
        for who, what in (held or {}).items()
    ]
    allocatable = {"devices": DEVICES, "cpu_ids": cpu_ids, "memory": memory}
    files = {
        f"nodes/{NODE}/kubelet-config.yaml": config,
        f"nodes/{NODE}/podresources-allocatable.json": json.dumps(allocatable),
        f"nodes/{NODE}/podresources-list.json": json.dumps({"pod_resources": entries}),
    }
    if sysfs is not None:
        files[f"nodes/{NODE}/sysfs.txt"] = sysfs
    return picture(cluster={"pods": list(pods), "nodes": [node()]}, files=files)


# --- CPUs -------------------------------------------------------------------------------


def test_more_cpus_than_a_numa_node_has_are_never_beside_gpus_of_one() -> None:
    of = given(pod(container(4, limits=guaranteed("20"))), config=kubelet(**STATIC))
    assert judged(of).outcome is Outcome.NEVER
    assert [(c.policy, c.most) for c in cures_of(judged(of), of)][:2] == [
        ("best-effort", None),
        (None, (CPU, 16)),
    ]


def test_cpus_that_a_numa_node_has_are_given_beside_its_gpus() -> None:
    of = given(pod(container(4, limits=guaranteed("16"))), config=kubelet(**STATIC))
    assert judged(of).outcome is Outcome.ADMITTED


@pytest.mark.parametrize("cpu", ["20", "20.0", "20000m"])
def test_cpus_are_whole_however_they_are_written(cpu: str) -> None:
    of = given(pod(container(4, limits=guaranteed(cpu))), config=kubelet(**STATIC))
    assert judged(of).outcome is Outcome.NEVER


@pytest.mark.parametrize("limits", [guaranteed("19500m"), {"cpu": "20"}])
def test_cpus_that_are_shared_have_no_hints(limits: dict[str, str]) -> None:
    of = given(pod(container(4, limits=limits)), config=kubelet(**STATIC))
    assert judged(of).outcome is Outcome.ADMITTED


def test_cpus_that_others_hold_keep_a_pod_out_for_now() -> None:
    busy: dict[str, dict[str, Any]] = {
        "a": {"cpu_ids": list(range(2, 10))},
        "b": {"cpu_ids": [str(n) for n in range(16, 20)]},
    }
    of = given(pod(container(4, limits=guaranteed("14"))), config=kubelet(**STATIC), held=busy)
    answer = judged(of)
    assert answer.outcome is Outcome.NOT_NOW
    assert answer.machine is not None
    assert list(holdings(answer.machine, [CPU])) == [
        ("train/a", "8 cpu on NUMA node 0"),
        ("train/b", "4 cpu on NUMA node 1"),
    ]


def test_what_kubelet_keeps_for_itself_is_given_to_nobody() -> None:
    kept = kubelet(cpuManagerPolicy="static", reservedSystemCPUs="0-1,16-17")
    for cpu, outcome in (("14", Outcome.ADMITTED), ("15", Outcome.NEVER)):
        of = given(pod(container(4, limits=guaranteed(cpu))), config=kept, cpu_ids=())
        assert judged(of).outcome is outcome


def test_more_cpus_than_there_are_is_what_the_scheduler_sees() -> None:
    of = given(pod(container(4, limits=guaranteed("31"))), config=kubelet(**STATIC))
    assert (judged(of).outcome, judged(of).lacks) == (Outcome.SHORT, (CPU,))


@pytest.mark.parametrize(
    ("sysfs", "cpu_ids", "give"),
    [
        (None, (2, 3), "sys/devices/system/node/ in nodes/<node>/sysfs.txt"),
        (SYSFS, (), "podresources-allocatable.json with its cpu_ids"),
    ],
)
def test_cpus_that_nobody_read_leave_a_strict_verdict_open(
    sysfs: str | None, cpu_ids: tuple[int, ...], give: str
) -> None:
    of = given(
        pod(container(4, limits=guaranteed("8"))),
        config=kubelet(**STATIC),
        sysfs=sysfs,
        cpu_ids=cpu_ids,
    )
    answer = judged(of)
    assert answer.outcome is Outcome.UNDECIDED
    assert answer.missing is not None
    assert give in answer.missing.give


@pytest.mark.parametrize(
    ("option", "cpu", "outcome"),
    [
        ("align-by-socket", "20", Outcome.UNDECIDED),
        ("full-pcpus-only", "8", Outcome.UNDECIDED),
        ("full-pcpus-only", "20", Outcome.NEVER),
        ("distribute-cpus-across-numa", "8", Outcome.ADMITTED),
    ],
)
def test_options_of_the_cpu_manager_are_followed_or_said_not_to_be(
    option: str, cpu: str, outcome: Outcome
) -> None:
    config = json.loads(kubelet(**STATIC)) | {"cpuManagerPolicyOptions": {option: "true"}}
    of = given(pod(container(4, limits=guaranteed(cpu))), config=json.dumps(config))
    assert judged(of).outcome is outcome


CORES = SYSFS + "".join(
    f"sys/devices/system/cpu/cpu{n}/topology/thread_siblings_list = {n & ~1}-{n | 1}\n"
    for n in range(32)
)


@pytest.mark.parametrize(
    ("cpu", "reserved", "outcome"),
    [
        ("8", "0-1", Outcome.ADMITTED),
        ("7", "0-1", Outcome.NEVER),
        ("8", "0", Outcome.UNDECIDED),
    ],
)
def test_whole_cores_are_given_where_siblings_are_known(
    cpu: str, reserved: str, outcome: Outcome
) -> None:
    config = json.loads(kubelet(cpuManagerPolicy="static", reservedSystemCPUs=reserved))
    config["cpuManagerPolicyOptions"] = {"full-pcpus-only": "true"}
    of = given(
        pod(container(4, limits=guaranteed(cpu))),
        config=json.dumps(config),
        sysfs=CORES,
        cpu_ids=(),
    )
    assert judged(of).outcome is outcome


def test_a_container_without_devices_takes_cpus_that_the_next_one_lacks() -> None:
    two = pod(
        container(name="first", limits=guaranteed("14")),
        container(4, name="second", limits=guaranteed("14")),
        container(4, name="third", limits=guaranteed("14")),
    )
    of = given(two, config=kubelet(**STATIC))
    assert judged(of).outcome is Outcome.SHORT
    fewer = pod(*(container(4 * (i > 0), name=str(i), limits=guaranteed("9")) for i in range(3)))
    assert judged(given(fewer, config=kubelet(**STATIC))).outcome is Outcome.NEVER


def test_resources_of_the_pod_as_a_whole_have_rules_of_their_own() -> None:
    whole = pod(container(4, limits=guaranteed("20")), resources={"limits": guaranteed("20")})
    answer = judged(given(whole, config=kubelet(**STATIC)))
    assert answer.outcome is Outcome.UNDECIDED
    assert answer.missing is not None
    assert "resources of the pod as a whole" in answer.missing.reason


# --- memory -----------------------------------------------------------------------------

STATIC_MEMORY = {"memoryManagerPolicy": "Static"}


def test_more_memory_than_a_numa_node_has_is_never_beside_gpus_of_one() -> None:
    of = given(
        pod(container(4, limits=guaranteed("4", "150Gi"))),
        config=kubelet(**STATIC_MEMORY),
        memory=MEMORIES,
    )
    assert judged(of).outcome is Outcome.NEVER
    assert (MEMORY, 100 * GI) in [c.most for c in cures_of(judged(of), of)]


def test_memory_that_others_hold_keeps_a_pod_out_for_now() -> None:
    block = {"memory_type": "memory", "size": str(60 * GI)}
    busy = {
        who: {"memory": [{**block, "topology": {"nodes": [{"ID": n}]}}]}
        for who, n in (("a", 0), ("b", 1))
    }
    of = given(
        pod(container(4, limits=guaranteed("4", "50Gi"))),
        config=kubelet(**STATIC_MEMORY),
        memory=MEMORIES,
        held=busy,
    )
    answer = judged(of)
    assert answer.outcome is Outcome.NOT_NOW
    assert answer.machine is not None
    assert next(iter(holdings(answer.machine, [MEMORY]))) == (
        "train/a",
        "60Gi memory on NUMA node 0",
    )


def test_a_pod_that_spans_numa_nodes_with_its_memory_keeps_others_off_them() -> None:
    both = {
        "memory_type": "memory",
        "size": 120 * GI,
        "topology": {"nodes": [{"ID": 0}, {"ID": 1}]},
    }
    of = given(
        pod(container(4, limits=guaranteed("4", "8Gi"))),
        config=kubelet(**STATIC_MEMORY),
        memory=MEMORIES,
        held={"wide": {"memory": [both]}},
    )
    assert judged(of).outcome is Outcome.NOT_NOW


def test_memory_that_nobody_read_leaves_a_strict_verdict_open() -> None:
    of = given(pod(container(4, limits=guaranteed("4"))), config=kubelet(**STATIC_MEMORY))
    answer = judged(of)
    assert answer.outcome is Outcome.UNDECIDED
    assert answer.missing is not None
    assert "has no memory" in answer.missing.reason


def test_a_pod_that_is_not_guaranteed_shares_memory() -> None:
    of = given(pod(container(4)), config=kubelet(**STATIC_MEMORY))
    assert judged(of).outcome is Outcome.ADMITTED


def test_amounts_of_memory_have_units_and_counts_have_none() -> None:
    assert [amount(MEMORY, n) for n in (3 * GI, 5 << 20, 7 << 10, 1001, 0)] == [
        "3Gi",
        "5Mi",
        "7Ki",
        "1001",
        "0",
    ]
    assert (amount(CPU, 1024), amount(GPU, 1024)) == ("1024", "1024")


# --- NUMA nodes and their distances -------------------------------------------------------


def test_numa_nodes_without_devices_are_nodes_of_the_machine() -> None:
    more = SYSFS.replace("0-1", "0-2", 1) + "sys/devices/system/node/node2/cpulist =\n"
    machine = Judge(given(pod(container(4)), config=kubelet(), sysfs=more)).machine(NODE, (GPU,))
    assert isinstance(machine, Known)
    assert machine.value.numa == (0, 1, 2)
    assert machine.value.distances is None


def test_a_node_that_is_not_online_is_no_node_of_the_machine() -> None:
    one = "sys/devices/system/node/online = 0\nsys/devices/system/node/node0/cpulist = 0-31\n"
    machine = Judge(given(pod(container(4)), config=kubelet(), sysfs=one)).machine(NODE, (GPU,))
    assert isinstance(machine, Known)
    assert machine.value.numa == (0,)


def test_distances_are_read_from_sysfs() -> None:
    machine = Judge(given(pod(container(4)), config=kubelet())).machine(NODE, (GPU,))
    assert isinstance(machine, Known)
    assert machine.value.distances == {0: (10, 21), 1: (21, 10)}


def closest(sysfs: str | None) -> Outcome:
    config = json.loads(kubelet("best-effort")) | {
        "topologyManagerPolicyOptions": {"prefer-closest-numa-nodes": "true"}
    }
    return judged(given(pod(container(4)), config=json.dumps(config), sysfs=sysfs)).outcome


def test_the_closest_nodes_are_chosen_where_distances_are_known() -> None:
    assert closest(SYSFS) is Outcome.ADMITTED
    assert closest(None) is Outcome.UNDECIDED


def test_more_numa_nodes_than_kubelet_takes_are_seen_in_sysfs() -> None:
    many = "sys/devices/system/node/online = 0-8\n" + "".join(
        f"sys/devices/system/node/node{n}/cpulist = {n}\n" for n in range(9)
    )
    answer = judged(given(pod(container(4)), config=kubelet(), sysfs=many))
    assert answer.outcome is Outcome.UNDECIDED
    assert answer.missing is not None
    assert answer.missing.reason == (
        "kubelet of gpu-a does not start: unsupported on machines with more than 8 NUMA Nodes"
    )


# --- without PodResources ---------------------------------------------------------------


def function(address: str, pci_class: str, vendor: str, numa: int, **more: str) -> str:
    folder = f"sys/bus/pci/devices/{address}"
    values = {"class": pci_class, "vendor": vendor, "numa_node": str(numa)} | more
    return "".join(f"{folder}/{name} = {value}\n" for name, value in values.items())


def vf(bus: str, number: int, numa: int) -> str:
    address = f"0000:{bus}:00.{number}"
    links = f"sys/bus/pci/devices/{address}/physfn -> 0000:{bus}:00.0\n"
    driver = f"sys/bus/pci/devices/{address}/driver -> mlx5_core\n"
    return function(address, "0x020700", "0x15b3", numa, device="0x101e") + links + driver


VFS = "".join(vf(bus, n, numa) for bus, numa in (("18", 0), ("98", 1)) for n in range(1, 5))
PFS = "".join(
    function(f"0000:{bus}:00.0", "0x020700", "0x15b3", numa, device="0x1021")
    + "".join(
        f"sys/bus/pci/devices/0000:{bus}:00.0/virtfn{n} -> 0000:{bus}:00.{n + 1}\n"
        for n in range(4)
    )
    for bus, numa in (("18", 0), ("98", 1))
)
GPUS = "".join(function(f"0000:{n + 4:x}0:00.0", "0x030200", "0x10de", n // 4) for n in range(8))
ON_BOARD = function("0000:02:00.0", "0x030000", "0x1a03", 0)
POOL = {
    "resourceList": [
        {
            "resourceName": "ib_vf",
            "resourcePrefix": "example.com",
            "selectors": {"vendors": ["15b3"], "devices": ["101e"]},
        }
    ]
}


def without_pod_resources(
    one: dict[str, Any], sysfs: str, *, held: list[dict[str, Any]] | None = None
) -> Picture:
    files = {
        f"nodes/{NODE}/kubelet-config.yaml": kubelet(),
        f"nodes/{NODE}/sysfs.txt": sysfs,
        f"nodes/{NODE}/podresources-list.json": json.dumps({"pod_resources": held or []}),
        "manifests/pools.json": json.dumps(POOL),
    }
    return picture(cluster={"pods": [one], "nodes": [node()]}, files=files)


def test_pools_and_gpus_in_sysfs_decide_without_kubelet_s_own_answer() -> None:
    sysfs = PFS + VFS + GPUS + ON_BOARD
    never = judged(without_pod_resources(pod(container(8, 1)), sysfs))
    fits = judged(without_pod_resources(pod(container(4, 4)), sysfs))
    assert (never.outcome, fits.outcome) == (Outcome.NEVER, Outcome.ADMITTED)
    assert fits.assumes == (
        "the devices of nvidia.com/gpu on gpu-a are its GPUs, as NVIDIA's plugin makes them",
    )


def test_gpus_that_pods_hold_are_those_of_the_same_numa_node() -> None:
    devices = [
        {"resource_name": str(GPU), "device_ids": [f"GPU-{n}"], "topology": {"nodes": [{"ID": n}]}}
        for n in (0, 1)
    ]
    held = [{"name": "a", "namespace": "train", "containers": [{"name": "c", "devices": devices}]}]
    answer = judged(without_pod_resources(pod(container(4)), GPUS, held=held))
    assert answer.outcome is Outcome.NOT_NOW
    assert answer.machine is not None
    assert [who for who, _ in holdings(answer.machine, [GPU])] == ["train/a", "train/a"]


@pytest.mark.parametrize(
    ("sysfs", "reason"),
    [
        (PFS + VFS, "kubelet's list of allocatable devices of node gpu-a was not read"),
        (GPUS[: len(GPUS) // 2], "node gpu-a counts 8 of nvidia.com/gpu and has 4 GPUs"),
    ],
)
def test_gpus_that_are_not_all_in_sight_decide_nothing(sysfs: str, reason: str) -> None:
    answer = judged(without_pod_resources(pod(container(8, 1)), sysfs))
    assert answer.outcome is Outcome.UNDECIDED
    assert answer.missing is not None
    assert answer.missing.reason == reason
