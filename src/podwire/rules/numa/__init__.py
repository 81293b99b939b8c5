"""NUMA nodes of a pod's devices and kubelet's Topology Manager."""

from podwire.findings.model import Rule
from podwire.rules.numa import numa_never_admitted, numa_rejected_now

RULES: tuple[Rule, ...] = (numa_never_admitted.RULE, numa_rejected_now.RULE)
