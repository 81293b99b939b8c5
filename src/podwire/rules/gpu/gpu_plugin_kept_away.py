"""A device plugin never runs on the node that it is for, because of a taint.

What you see
    The DaemonSet has no pod on the node and no event says why. The node
    offers none of the plugin's GPUs.

Why
    GPU nodes are often tainted so that only GPU pods go there. A DaemonSet's
    pods need a toleration like any other's.

Fix
    Add the toleration to the plugin's template.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from podwire.facts.objects import Taint
from podwire.facts.workloads import PodView
from podwire.findings.model import Evidence, Finding, Fix, Joint, Patch, Rule, Severity
from podwire.findings.patches import add_value
from podwire.model.evidence import Unknown
from podwire.peers.scheduler import written_taint
from podwire.wire.picture import Picture

if TYPE_CHECKING:
    from podwire.wire.gpu.records import PluginOnNode


def check(at: "PluginOnNode", picture: Picture) -> Iterator[Finding]:
    """Look for a taint of the node that the plugin does not tolerate."""
    template, node, gpus = at.plugin.template, at.object, picture.gpus
    if template is None or node is None or gpus is None or not gpus.plugins.is_wanted(at):
        return
    if at.is_running or isinstance(at.runs, Unknown):
        return
    for taint in at.barring:
        written = written_taint(taint)
        yield Finding(
            severity=Severity.ERROR,
            message=f"{at.plugin.ref} is for {at.node} and never runs there: the node has the "
            f"taint {written}, which the plugin does not tolerate",
            evidence=(
                Evidence(at=template.place("spec"), saw="no such toleration"),
                Evidence(at=node.place("spec", "taints"), saw=written),
            ),
            sees=f"no pod of the plugin on {at.node}, and none of its GPUs in the node's capacity",
            fix=(
                Fix(
                    text=f"tolerate {written} in the plugin's template",
                    patch=_tolerate(template, taint),
                ),
            ),
            also=(node.ref,),
            group=f"{at.plugin.ref} {written}",
        )


def _tolerate(template: PodView, taint: Taint) -> Patch:
    value = {"key": taint.key, "operator": "Exists", "effect": taint.effect}
    path = (*template.path, "spec", "tolerations")
    if template.spec.tolerations:
        return add_value(template.of.ref, (*path, "-"), value)
    return add_value(template.of.ref, path, [value])


RULE = Rule(
    id="PW504",
    slug="gpu-plugin-kept-away",
    title="Device plugin never runs on the node that it is for",
    since="0.1",
    joint=Joint.SERVER,
    refs=("kubernetes v1.37.2 pkg/scheduler/framework/plugins/tainttoleration",),
    over=lambda picture: picture.gpus.plugins.on_nodes if picture.gpus else (),
    check=check,
)
