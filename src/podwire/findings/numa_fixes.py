"""Fixes for a pod that a Topology Manager never admits, with what each costs the others."""

from collections.abc import Iterator, Sequence

from podwire.findings.model import Fix
from podwire.peers.kubelet_topology import CPU
from podwire.wire.numa.cures import Cure
from podwire.wire.numa.holdings import amount
from podwire.wire.numa.words import smaller_pods

_RESTART = "kubelet has to start again"


def fixes(cures: tuple[Cure, ...], nodes: str) -> Iterator[Fix]:
    """Put each cure into a sentence; those that exclude one pool each are one."""
    single = [cure.exclude[0] for cure in cures if len(cure.exclude) == 1]
    for cure in cures:
        if cure.policy:
            useless = f" ({' and '.join(cure.useless)} does not)" if cure.useless else ""
            yield Fix(
                text=f"topologyManagerPolicy: {cure.policy} in kubelet's configuration of {nodes} "
                f"admits it{useless}",
                breaks=f"{_RESTART}, and no pod on these nodes is sure of devices on one NUMA "
                "node any more; keep the policy for nodes whose pods fit one",
            )
        if cure.scope:
            yield Fix(
                text=f"topologyManagerScope: {cure.scope} on {nodes} aligns each container for "
                "itself, which admits it",
                breaks=f"{_RESTART}; containers of one pod may be on different NUMA nodes",
            )
        if len(cure.exclude) > 1:
            yield _exclude(cure.exclude, " together")
    if single:
        yield _exclude(single, " (any one)" if len(single) > 1 else "")
    for cure in cures:
        yield from _smaller(cure)


def _smaller(cure: Cure) -> Iterator[Fix]:
    if cure.most:
        name, most = cure.most
        yield Fix(
            text=f"ask for {amount(name, most)} {name} at most",
            breaks=f"the container has {'fewer CPUs' if name == CPU else 'less memory'}",
        )
    if cure.parts:
        yield Fix(
            text=f"{smaller_pods(cure)} fit side by side",
            breaks="what ran as one process with all devices has to run as several",
        )


def _exclude(names: Sequence[object], how: str) -> Fix:
    listed = ", ".join(map(str, names[:6])) + (" and so on" if len(names) > 6 else "")
    return Fix(
        text=f"excludeTopology: true for {listed}{how} in the SR-IOV device plugin's "
        "configuration admits it",
        breaks="no pod's VFs of these pools are aligned with its GPUs any more; the plugin's "
        "pods have to start again",
    )
