"""The Topology Manager of nodes in sight: machines from facts, requests of pods, verdicts."""

import json
from collections.abc import Mapping
from typing import Any

import pytest
from tests.pictures import picture

from podwire.facts.node import NO_CPU_IDS, NO_MEMORY
from podwire.model.evidence import Known, Unknown
from podwire.model.names import ResourceName
from podwire.peers.kubelet_topology import Span
from podwire.wire.numa.asking import Ask, ask_of
from podwire.wire.numa.cures import cures_of
from podwire.wire.numa.holdings import holdings
from podwire.wire.numa.judging import Judge, Judged, Outcome
from podwire.wire.numa.machines import machine_of
from podwire.wire.numa.setups import config_of, setup_of, span_of
from podwire.wire.numa.subjects import numa_pods
from podwire.wire.numa.words import smaller_pods
from podwire.wire.picture import Picture

GPU = ResourceName.parse("nvidia.com/gpu")
VF = ResourceName.parse("example.com/ib_vf")
NODE = "gpu-a"


def device(resource: ResourceName, name: str, *numa: int) -> dict[str, Any]:
    topology = {"topology": {"nodes": [{"ID": n} for n in numa]}} if numa else {}
    return {"resource_name": str(resource), "device_ids": [name], **topology}


DEVICES = (
    *(device(GPU, f"gpu{n}", n // 4) for n in range(8)),
    *(device(VF, f"vf{n}", n // 4) for n in range(8)),
)


def kubelet(policy: str = "restricted", **more: str) -> str:
    return json.dumps(
        {
            "apiVersion": "kubelet.config.k8s.io/v1beta1",
            "kind": "KubeletConfiguration",
            "topologyManagerPolicy": policy,
            **more,
        }
    )


def node(version: str = "v1.34.2", **capacity: int) -> dict[str, Any]:
    counts = {"nvidia.com/gpu": 8, "example.com/ib_vf": 8} | capacity
    return {
        "kind": "Node",
        "metadata": {"name": NODE},
        "status": {
            "capacity": {name: str(count) for name, count in counts.items()},
            "nodeInfo": {"kubeletVersion": version},
        },
    }


def container(
    gpu: int | str = 0,
    vf: int = 0,
    *,
    name: str = "main",
    limits: Mapping[str, str] | None = None,
    **more: object,
) -> dict[str, Any]:
    devices = {"nvidia.com/gpu": gpu, "example.com/ib_vf": vf}
    all_limits = {key: value for key, value in devices.items() if value} | dict(limits or {})
    return {"name": name, "resources": {"limits": all_limits}, **more}


def pod(*containers: dict[str, Any], **more: object) -> dict[str, Any]:
    return {
        "kind": "Pod",
        "metadata": {"name": "llm", "namespace": "train", "uid": "u"},
        "spec": {"containers": list(containers), **more},
    }


def given(
    *pods: dict[str, Any],
    config: str | None = None,
    devices: tuple[dict[str, Any], ...] | None = DEVICES,
    held: Mapping[str, tuple[dict[str, Any], ...]] | None = None,
    nodes: tuple[dict[str, Any], ...] = (),
    files: Mapping[str, str] | None = None,
) -> Picture:
    tree = dict(files or {})
    tree[f"nodes/{NODE}/kubelet-config.yaml"] = config or kubelet()
    if devices is not None:
        name = f"nodes/{NODE}/podresources-allocatable.json"
        tree[name] = json.dumps({"devices": devices})
    if held is not None:
        entries = [
            {"name": who, "namespace": "train", "containers": [{"name": "c", "devices": what}]}
            for who, what in held.items()
        ]
        tree[f"nodes/{NODE}/podresources-list.json"] = json.dumps({"pod_resources": entries})
    return picture(cluster={"pods": list(pods), "nodes": list(nodes or (node(),))}, files=tree)


def judged(of: Picture) -> Judged:
    return Judge(of).judge(of.wired[0], NODE)


def asked(of: Picture) -> Ask:
    config = config_of(NODE, of)
    assert isinstance(config, Known)
    ask = ask_of(of.wired[0], config.value, cpus=NO_CPU_IDS, memory=NO_MEMORY)
    assert isinstance(ask, Known)
    return ask.value


DEVICE_CLASS = {
    "apiVersion": "resource.k8s.io/v1",
    "kind": "DeviceClass",
    "metadata": {"name": "gpus"},
    "spec": {"extendedResourceName": "nvidia.com/gpu"},
}
GPUS_BY_CLASS = {
    "cluster/deviceclasses.json": json.dumps({"kind": "List", "items": [DEVICE_CLASS]})
}


# --- machines ---------------------------------------------------------------------------


def test_devices_have_the_numa_nodes_and_owners_that_kubelet_says() -> None:
    of = given(pod(container(8)), held={"other": DEVICES[:2]})
    machine = machine_of(NODE, (GPU,), of)
    assert isinstance(machine, Known)
    assert machine.value.numa == (0, 1)
    gpus = machine.value.devices[GPU]
    assert [(d.id, sorted(d.numa), d.owner) for d in gpus][1:3] == [
        ("gpu1", [0], "train/other"),
        ("gpu2", [0], None),
    ]
    assert list(holdings(machine.value, [GPU])) == [
        ("train/other", "2 nvidia.com/gpu on NUMA node 0")
    ]


def test_an_ill_device_that_a_pod_holds_is_known_of() -> None:
    of = given(pod(container(8)), devices=DEVICES[1:], held={"other": DEVICES[:1]})
    machine = machine_of(NODE, (GPU,), of)
    assert isinstance(machine, Known)
    assert [d.id for d in machine.value.devices[GPU] if not d.is_healthy] == ["gpu0"]


def test_an_ill_device_that_nobody_holds_may_be_anywhere() -> None:
    machine = machine_of(NODE, (GPU,), given(pod(container(8)), devices=DEVICES[1:]))
    assert isinstance(machine, Unknown)
    assert machine.reason == (
        "node gpu-a counts 8 of nvidia.com/gpu, and the NUMA nodes of 7 were read"
    )


@pytest.mark.parametrize("odd", [10**15, 64, -1])
def test_a_numa_node_that_no_kubelet_knows_leaves_the_devices_unknown(odd: int) -> None:
    devices = (*DEVICES[1:8], device(GPU, "gpu0", odd, 1))
    machine = machine_of(NODE, (GPU,), given(pod(container(8)), devices=devices))
    assert isinstance(machine, Unknown)
    assert machine.reason == (
        f"podresources-allocatable.json of node gpu-a has NUMA node {odd}, and kubelet knows 0 "
        "to 63"
    )


def test_an_empty_policy_and_an_empty_scope_are_kubelet_s_defaults() -> None:
    of = given(pod(container(8)), config=kubelet("", topologyManagerScope=""))
    setup = setup_of(NODE, of).need().value
    assert (setup.policy, setup.scope) == ("none", "container")


def test_a_pod_that_ended_holds_nothing() -> None:
    ended = pod(container(8)) | {"status": {"phase": "Succeeded"}}
    machine = machine_of(NODE, (GPU,), given(ended, held={"llm": DEVICES[:2]}))
    assert isinstance(machine, Known)
    assert list(holdings(machine.value, [GPU])) == []


def test_without_the_node_its_devices_are_taken_to_be_healthy() -> None:
    of = given(pod(container(8)), nodes=({**node(), "metadata": {"name": "other"}},))
    machine = machine_of(NODE, (GPU,), of)
    assert isinstance(machine, Known)
    assert machine.assumes == ("all devices of gpu-a are healthy: kubelet lists no others",)


def test_a_device_class_takes_a_resource_from_the_device_manager() -> None:
    of = given(pod(container(8)), files=GPUS_BY_CLASS)
    assert isinstance(machine_of(NODE, (GPU,), of), Unknown)


# --- set-ups ----------------------------------------------------------------------------


def test_kubelets_version_says_which_nodes_hints_span() -> None:
    for version, span in (("v1.35.4", Span.EVERY_NODE), ("v1.36.0", Span.NODES_WITH_DEVICES)):
        answer = span_of(NODE, given(nodes=(node(version),)))
        assert isinstance(answer, Known)
        assert answer.value is span


def test_a_configuration_that_kubelet_ends_on_is_no_set_up() -> None:
    setup = setup_of(NODE, given(config=kubelet("strict")))
    assert isinstance(setup, Unknown)
    assert 'unknown policy: "strict"' in setup.reason


def test_a_node_without_files_has_no_known_set_up() -> None:
    setup = setup_of("gpu-z", given())
    assert isinstance(setup, Unknown)
    assert setup.give == "kubectl get --raw /api/v1/nodes/gpu-z/proxy/configz"


# --- requests ---------------------------------------------------------------------------


def test_init_containers_come_first_and_sidecars_are_told_apart() -> None:
    of = given(
        pod(
            container(4),
            initContainers=[
                container(1, name="early"),
                container(vf=1, name="side", restartPolicy="Always"),
            ],
        )
    )
    assert [(r.container, r.kind) for r in asked(of).requests] == [
        ("early", "init"),
        ("side", "sidecar"),
        ("main", "app"),
    ]


WHOLE = {"cpu": "8", "memory": "1Gi"}


@pytest.mark.parametrize(
    ("limits", "more", "is_unread"),
    [
        (WHOLE, {"cpuManagerPolicy": "static"}, True),
        (WHOLE, {"memoryManagerPolicy": "Static"}, True),
        (WHOLE, {}, False),
        ({"cpu": "8500m", "memory": "1Gi"}, {"cpuManagerPolicy": "static"}, False),
        ({"cpu": "8"}, {"cpuManagerPolicy": "static"}, False),
    ],
)
def test_cpus_and_memory_of_a_guaranteed_pod_have_hints_too(
    limits: dict[str, str], more: dict[str, str], *, is_unread: bool
) -> None:
    of = given(pod(container(4, limits=limits)), config=kubelet(**more))
    assert [r.unread is not None for r in asked(of).requests] == [is_unread]


def test_a_pod_that_requests_fewer_cpus_than_its_limit_is_not_guaranteed() -> None:
    one = container(4, limits=WHOLE)
    one["resources"]["requests"] = {"cpu": "4"}
    of = given(pod(one), config=kubelet(cpuManagerPolicy="static"))
    assert [r.unread for r in asked(of).requests] == [None]


def test_a_container_without_devices_may_still_have_cpus_of_its_own() -> None:
    of = given(
        pod(container(4, limits=WHOLE), container(name="beside", limits=WHOLE)),
        config=kubelet(cpuManagerPolicy="static"),
    )
    ask = asked(of)
    assert [r.container for r in ask.requests] == ["main"]
    assert ask.beside is not None
    assert judged(of).outcome is Outcome.UNDECIDED


def test_a_count_that_is_no_whole_number_decides_nothing() -> None:
    of = given(pod(container("1500m")))
    assert judged(of).missing == Unknown(
        reason="Pod train/llm requests no whole number of nvidia.com/gpu"
    )


# --- verdicts ---------------------------------------------------------------------------


def test_eight_gpus_and_one_vf_are_never_admitted() -> None:
    assert judged(given(pod(container(8, 1)))).outcome is Outcome.NEVER


def test_a_pod_that_fits_the_empty_node_is_not_admitted_while_others_hold_devices() -> None:
    busy = {"a": DEVICES[:1], "b": DEVICES[4:5]}
    answer = judged(given(pod(container(4, 1)), held=busy))
    assert answer.outcome is Outcome.NOT_NOW


def test_what_a_pod_holds_itself_is_free_to_it() -> None:
    own = pod(container(8)) | {"status": {"phase": "Running"}}
    assert judged(given(own, held={"llm": DEVICES[:8]})).outcome is Outcome.ADMITTED


def test_without_the_list_of_holders_only_the_empty_node_is_sure() -> None:
    answer = judged(given(pod(container(4, 1))))
    assert (answer.outcome, answer.fits_empty) == (Outcome.UNDECIDED, True)


def test_too_few_devices_are_no_matter_of_numa_nodes() -> None:
    answer = judged(given(pod(container(9, 1))))
    assert (answer.outcome, answer.lacks) == (Outcome.SHORT, (GPU,))


LENIENT = pytest.mark.parametrize("policy", ["none", "best-effort"])


@LENIENT
@pytest.mark.parametrize(
    ("count", "busy", "outcome"),
    [
        (8, DEVICES[:0], Outcome.ADMITTED),
        (7, DEVICES[:2], Outcome.NOT_NOW),
        (9, DEVICES[:0], Outcome.SHORT),
        (9, DEVICES[:2], Outcome.SHORT),
    ],
)
def test_a_lenient_policy_admits_no_more_devices_than_there_are(
    policy: str, count: int, busy: tuple[dict[str, Any], ...], outcome: Outcome
) -> None:
    of = given(pod(container(count)), config=kubelet(policy), held={"a": busy})
    answer = judged(of)
    assert (answer.outcome, answer.lacks) == (outcome, (GPU,) if outcome is Outcome.SHORT else ())


@LENIENT
def test_a_lenient_policy_gives_no_device_that_the_node_does_not_have(policy: str) -> None:
    of = given(pod(container(1)), config=kubelet(policy), devices=DEVICES[8:], held={})
    without = node()
    del without["status"]["capacity"]["nvidia.com/gpu"]
    listed = given(pod(container(1)), config=kubelet(policy), devices=DEVICES[8:], nodes=(without,))
    unlisted = given(pod(container(1)), config=kubelet(policy), devices=None, nodes=(without,))
    assert judged(of).outcome is Outcome.UNDECIDED  # The Node counts 8.
    assert (judged(listed).outcome, judged(unlisted).outcome) == (Outcome.SHORT, Outcome.SHORT)


@LENIENT
def test_devices_of_a_device_class_are_not_counted_by_the_node(policy: str) -> None:
    without = node()
    del without["status"]["capacity"]["nvidia.com/gpu"]
    of = given(pod(container(1)), config=kubelet(policy), nodes=(without,), files=GPUS_BY_CLASS)
    answer = judged(of)
    assert (answer.outcome, answer.fits_empty) == (Outcome.UNDECIDED, False)


@LENIENT
def test_a_pool_that_the_node_is_to_get_is_not_counted_by_the_node(policy: str) -> None:
    without = node()
    del without["status"]["capacity"]["example.com/ib_vf"]
    of = given(
        pod(container(vf=1)),
        config=kubelet(policy),
        devices=None,
        nodes=(without,),
        files={"manifests/pools.json": json.dumps(POOLS)},
    )
    answer = judged(of)
    assert (answer.outcome, answer.fits_empty) == (Outcome.UNDECIDED, False)


@LENIENT
def test_what_is_not_known_of_devices_decides_no_lenient_node(policy: str) -> None:
    no_devices = judged(given(pod(container(8, 1)), config=kubelet(policy), devices=None))
    assert (no_devices.outcome, no_devices.fits_empty) == (Outcome.UNDECIDED, True)
    no_holders = judged(given(pod(container(8, 1)), config=kubelet(policy)))
    assert (no_holders.outcome, no_holders.fits_empty) == (Outcome.UNDECIDED, True)


def test_a_lenient_policy_looks_at_no_hints_of_cpus() -> None:
    whole = {"cpu": "8", "memory": "1Gi"}
    of = given(
        pod(container(4, limits=whole), container(name="beside", limits=whole)),
        config=kubelet("best-effort", cpuManagerPolicy="static"),
        held={},
    )
    assert judged(of).outcome is Outcome.ADMITTED


def test_a_request_for_none_hangs_on_kubelets_version() -> None:
    none = container(4)
    none["resources"]["limits"]["example.com/ib_vf"] = "0"
    old = given(pod(none), held={}, nodes=(node("v1.35.4"),))
    unknown = given(pod(none), held={}, nodes=(node(""),))
    assert judged(old).outcome is Outcome.ADMITTED
    assert judged(unknown).outcome is Outcome.UNDECIDED


# --- cures ------------------------------------------------------------------------------


def test_cures_are_those_that_the_model_admits() -> None:
    of = given(
        pod(container(8, 1)),
        config=kubelet("single-numa-node"),
        files={"manifests/pools.json": json.dumps(POOLS)},
    )
    cures = cures_of(judged(of), of)
    assert [(c.policy, c.useless, c.exclude, c.parts) for c in cures] == [
        ("best-effort", ("restricted",), (), 0),
        (None, (), (), 2),
    ]
    assert smaller_pods(cures[-1]) == "2 pods of 4 nvidia.com/gpu and 1 example.com/ib_vf each"


def test_a_share_leaves_out_what_is_requested_zero_times() -> None:
    of = given(pod(container(8, limits={"example.com/ib_vf": "0"})))
    cures = cures_of(judged(of), of)
    assert [c.share for c in cures if c.parts] == [((GPU, 4),)]


def test_a_pool_without_topology_is_a_cure_where_the_rest_fits() -> None:
    of = given(pod(container(8, 1)), files={"manifests/pools.json": json.dumps(POOLS)})
    assert [c.exclude for c in cures_of(judged(of), of) if c.exclude] == [(VF,)]


def test_containers_that_fit_each_for_itself_need_another_scope() -> None:
    of = given(
        pod(container(4, name="a"), container(4, name="b")),
        config=kubelet("single-numa-node", topologyManagerScope="pod"),
    )
    assert "container" in [c.scope for c in cures_of(judged(of), of)]


POOLS = {
    "resourceList": [
        {
            "resourceName": "ib_vf",
            "resourcePrefix": "example.com",
            "selectors": {"vendors": ["15b3"]},
        }
    ]
}


# --- subjects ---------------------------------------------------------------------------


def test_only_pods_to_come_on_strict_nodes_are_asked_about() -> None:
    runs = pod(container(8)) | {"status": {"phase": "Running"}}
    assert [p.ref.name for p in numa_pods(given(pod(container(8))))] == ["llm"]
    assert list(numa_pods(given(runs))) == []
    assert list(numa_pods(given(pod(container(8)), config=kubelet("none")))) == []
