"""Two device plugins serve the same GPU resource on one node.

What you see
    The node's count jumps between two numbers, 8 and 80 for example. Pods
    get GPUs by the one or the other plugin's rules; where one of them hides
    a GPU or shares it, the other hands it out whole.

Why
    Kubelet keeps one list for each resource. Both plugins send theirs, the
    last one to send counts, and Allocate goes to the one that registered
    last.

Fix
    Let one of them run there: label the node
    nvidia.com/gpu.deploy.device-plugin=false to keep the GPU Operator's away,
    or give the other one a resource name of its own.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from podwire.findings.model import Evidence, Finding, Fix, Joint, Patch, Rule, Severity
from podwire.findings.patches import set_label
from podwire.wire.picture import Picture

if TYPE_CHECKING:
    from podwire.wire.gpu.records import NodePlugins, PluginOnNode

_LABEL = "nvidia.com/gpu.deploy.device-plugin"
_ASSUMES = ("who left the mark on the node is still installed (its DaemonSet is not in sight)",)


def check(node: "NodePlugins", _picture: Picture) -> Iterator[Finding]:
    """Count the plugins that serve one resource there, or are meant to."""
    both = node.rivals
    if len(both) < 2:
        return
    are_running = all(each.is_there for each in both)
    verb = "serve" if are_running else "are meant to serve"
    names = " and ".join(each.plugin.text for each in both)
    yield Finding(
        severity=Severity.ERROR if are_running else Severity.WARNING,
        message=f"{names} {verb} {node.resource} on {node.name}: kubelet keeps one list, the last "
        "one to send it counts",
        evidence=tuple(_evidence(each) for each in both),
        sees=f"the count of {node.resource} on {node.name} jumps, and pods get what the plugin "
        "gives that registered last, also GPUs that the other one leaves out",
        fix=tuple(_fixes(node)),
        assumes=_ASSUMES if any(e.plugin.template is None for e in both) else (),
        also=tuple(each.plugin.ref for each in both),
        group=" ".join(sorted(each.plugin.text for each in both)),
    )


def _evidence(each: "PluginOnNode") -> Evidence:
    plugin = each.plugin
    if plugin.template is None:
        place = plugin.only_on[each.node]
        return Evidence(at=place, saw=f"{plugin.text} is on there")
    pod = each.pod
    at = plugin.place("image") if pod is None else pod.place("spec")
    return Evidence(at=at, saw=f"{plugin.program.value} runs" if each.is_there else "is for it")


def _fixes(node: "NodePlugins") -> Iterator[Fix]:
    if node.has_operators:
        yield Fix(
            text=f"kubectl label node {node.name} {_LABEL}=false --overwrite: the GPU Operator "
            "keeps that value and takes its plugin away",
            breaks="the node's GPUs are then served by the other plugin alone; with the label "
            "removed the operator sets true again",
            patch=_labelled(node),
        )
        yield Fix(text="let the other plugin serve another resource name, and pods request that")
    else:
        yield Fix(text=f"take one of the two from {node.name}, by its node selector")


def _labelled(node: "NodePlugins") -> Patch | None:
    if node.object is None:
        return None
    return set_label(node.object.ref, _LABEL, "false", have=node.object.metadata.labels)


RULE = Rule(
    id="PW505",
    slug="two-plugins-one-resource",
    title="Two device plugins serve one GPU resource on a node",
    since="0.1",
    joint=Joint.SERVER,
    refs=(
        "kubernetes v1.36.2 and v1.37.2 pkg/kubelet/cm/devicemanager/manager.go",
        "gpu-operator v26.7.0 controllers/state_manager.go addGPUStateLabels",
    ),
    over=lambda picture: picture.gpus.plugins.nodes if picture.gpus else (),
    check=check,
)
