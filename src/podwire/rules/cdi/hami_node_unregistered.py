"""HAMi's scheduler gets a pod whose nodes it does not know.

What you see
    Pods on nodes that have nothing to do with HAMi stay Pending since HAMi
    was installed. The event says "no available node, N nodes do not meet",
    or "node unregistered".

Why
    HAMi's webhook sees every new pod of the cluster and gives each one that
    requests nvidia.com/gpu to its own scheduler. That scheduler places pods
    only on nodes where HAMi's plugin runs and has registered the GPUs in an
    annotation.

Fix
    Restrict the webhook to the namespaces or pods that use HAMi, or give
    HAMi's GPUs a resource name of their own.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from podwire.facts.workloads import PodView, Stage
from podwire.findings.model import Evidence, Finding, Fix, Joint, Rule, Severity
from podwire.wire.picture import Picture

if TYPE_CHECKING:
    from podwire.wire.gpu.records import HamiPod

_REGISTERED = "hami.io/node-nvidia-register"
_IGNORE = "hami.io/webhook=ignore"


def check(pod: "HamiPod", picture: Picture) -> Iterator[Finding]:
    """Look for one registered node among those that have the GPUs it may use."""
    gpus, view = picture.gpus, pod.pod
    if gpus is None or view.stage not in {Stage.PLANNED, Stage.CREATED}:
        return
    taken = gpus.hami.takes(view).need()
    if not taken.value:
        return
    nodes = gpus.hami.nodes(view).need()
    if not nodes.value or any(node.is_registered for node in nodes.value):
        return
    names = ", ".join(node.name for node in nodes.value[:3])
    more = f" and {len(nodes.value) - 3} more" if len(nodes.value) > 3 else ""
    yield Finding(
        severity=Severity.ERROR,
        message=f"{view} goes to hami-scheduler, and none of the nodes with GPUs that it may run "
        f"on is registered with HAMi: {names}{more}",
        evidence=(
            Evidence(at=view.place("spec"), saw="requests nvidia.com/gpu"),
            *(Evidence(at=p, saw=_scheduler(view)) for p in taken.places[:1]),
            *(
                Evidence(at=node.object.place("metadata", "annotations"), saw=f"no {_REGISTERED}")
                for node in nodes.value[:2]
            ),
        ),
        sees="the pod stays Pending: FailedScheduling, no available node, "
        f"{len(nodes.value)} nodes do not meet; HAMi's log: node unregistered",
        fix=(
            Fix(
                text=f"label the namespaces or pods that do not use HAMi {_IGNORE}",
                breaks="such pods get whole GPUs from the node's other plugin, and nothing from "
                "HAMi",
            ),
            Fix(
                text="restrict HAMi's webhook: scheduler.admissionWebhook.namespaceSelector or "
                "objectSelector in its values"
            ),
            Fix(
                text="set scheduler.forceOverwriteDefaultScheduler=false in its values",
                breaks="pods that use HAMi have to write schedulerName: hami-scheduler",
            ),
            Fix(
                text="give HAMi's GPUs a name of their own: resourceName in its values",
                breaks="pods that use HAMi have to request that name",
            ),
        ),
        assumes=(*taken.assumes, *nodes.assumes),
        also=tuple(node.object.ref for node in nodes.value),
        group="hami",
    )


def _scheduler(view: PodView) -> str:
    name = view.spec.scheduler_name
    return name if name == "hami-scheduler" else "HAMi's webhook takes it"


RULE = Rule(
    id="PW603",
    slug="hami-node-unregistered",
    title="HAMi's scheduler gets a pod whose nodes it does not know",
    since="0.1",
    joint=Joint.SCHEDULER,
    refs=(
        "HAMi v2.10.0 pkg/scheduler/webhook.go Handle",
        "HAMi v2.10.0 pkg/scheduler/scheduler.go Filter",
    ),
    over=lambda picture: picture.gpus.hami.pods if picture.gpus else (),
    check=check,
    shows_as=("hami-node-unregistered",),
)
