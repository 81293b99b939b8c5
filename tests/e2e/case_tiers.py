"""Which part of the cluster can suffer what a case tells of, or why none can."""

import enum

from podwire.findings.model import Rule
from tests.e2e.case_objects import Told


class Tier(enum.Enum):
    """Who has to say or do it."""

    API = "the API server refuses the pod"
    SCHEDULER = "the scheduler leaves the pod Pending"
    SANDBOX = "the pod stays in ContainerCreating"
    RUNS = "the pod runs, and nothing says what it lacks"
    NUMA = "kubelet rejects the pod"


_NO_PLUGIN = (
    "what the SR-IOV device plugin makes of its configuration: it is no Go module that can be "
    "built here"
)
_NO_CARD = "it takes a card: a VF that is read, named or opened"
_NO_RDMA = "it takes RDMA devices and a program that uses them"
_STAND_IN = "ib-sriov and sriov are stand-ins here, and so is what they refuse"
_STATIC = "kubelet would deal out processors and memory that the machine does not have"

_ELSEWHERE = {
    "allocatable-below-capacity": "test_device_plugin.py, with a plugin that dies",
    "pods-hold-more-than-offered": "test_device_life.py, with a plugin that comes back with less",
    "rejected-at-admission": "test_device_life.py, with pods that are bound past the scheduler",
    "numa-rejected-now": "test_numa.py, with pods that hold devices",
    "host-path-infiniband": "test_shared_rdma.py, with made-up character devices",
}
_RULES = {
    "cni-link-mismatch": _NO_CARD,
    "nad-config-refused": _STAND_IN,
    "annotation-not-acted-on": "every node here has Multus",
}
_CASES = {
    "PW110-fires-b": "every node here has ib-sriov",
    "PW101-fires-d": "the network-resources-injector is not run here",
    "PW301-fires-rails": "its devices are functions of cards in sysfs",
}
# What is said of a family whose rules are not tried; any other is not known to this table yet.
_FAMILIES = {
    "inputs": "podwire tells of its input, which no cluster sees",
    "lifecycle": _NO_PLUGIN,
    "pools": _NO_PLUGIN,
    "rdma": _NO_RDMA,
    "vf": _NO_CARD,
    "gpu": "NVIDIA's and HAMi's programs and a GPU are not here",
    "cdi": "NVIDIA's programs and a GPU are not here",
}
_RUNS = {
    "device-without-attachment",
    "networks-annotation-misplaced",
    "networks-annotation-misspelt",
    "networks-on-host-network",
}


def tier_of(told: Told) -> Tier | str:
    """Give the tier, or the reason why the finding is not shown."""
    sees, family = told.finding.sees, told.case.folder.parents[2].name
    reason = _reason(told, told.case.rule)
    if reason:
        return reason
    if sees.startswith(("the pod is not made: ", "pod rejected: ")):
        return Tier.API
    if family == "numa":
        return Tier.NUMA
    if family in {"wiring", "pools"} and (
        "nodes are available" in sees or "FailedScheduling" in sees
    ):
        return Tier.SCHEDULER
    if family == "wiring":
        return Tier.RUNS if told.case.rule.slug in _RUNS else Tier.SANDBOX
    return f"not shown here: {_FAMILIES.get(family, 'what it takes is not here')}"


def _is_static(told: Told) -> bool:
    """Say whether a case's kubelet also deals out processors or memory."""
    files = told.case.folder.glob("nodes/*/kubelet-config.yaml")
    return any("ManagerPolicy: static" in file.read_text().replace("S", "s") for file in files)


def _reason(told: Told, rule: Rule) -> str:
    if _is_static(told):
        return f"not shown here: {_STATIC}"
    if any(ref.kind == "PyTorchJob" for ref in told.subjects):
        return "not shown here: no operator makes pods of a PyTorchJob"
    if rule.slug in _ELSEWHERE:
        return f"shown by {_ELSEWHERE[rule.slug]}"
    reason = _CASES.get(told.case.id) or _RULES.get(rule.slug, "")
    return f"not shown here: {reason}" if reason else ""
