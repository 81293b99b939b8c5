"""A pod asks for a share of a GPU and was not given to HAMi's scheduler.

What you see
    The pod stays Pending: "Insufficient nvidia.com/gpumem", or it is bound
    and fails, for HAMi chose no GPU for it.

Why
    gpumem and gpucores exist in HAMi's scheduler only; no node advertises
    them. HAMi's webhook puts a pod into its hands, and its chart lets pods
    pass when the API server cannot reach the webhook (failurePolicy Ignore).

Fix
    Make the pod again once the webhook answers. Set failurePolicy Fail where
    a pod without HAMi is worse than none.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from podwire.facts.workloads import Stage
from podwire.findings.model import Cause, Evidence, Finding, Fix, Joint, Rule, Severity
from podwire.wire.picture import Picture

if TYPE_CHECKING:
    from podwire.wire.gpu.records import HamiPod

_LABEL = "hami.io/webhook"


def check(pod: "HamiPod", _picture: Picture) -> Iterator[Finding]:
    """Compare what an existing pod asks for with the scheduler that it has."""
    view, share = pod.pod, pod.share
    if view.stage in {Stage.PLANNED, Stage.OVER} or share is None or pod.has_gpus:
        return
    if view.spec.scheduler_name not in {"", "default-scheduler"}:
        return
    name, place = share
    is_ignored = view.metadata.labels.get(_LABEL) == "ignore"
    yield Finding(
        severity=Severity.ERROR,
        message=f"{view} asks for {name}, which HAMi's scheduler alone knows, and was left to "
        "default-scheduler",
        evidence=(
            Evidence(at=place, saw=name),
            Evidence(at=view.place("spec", "schedulerName"), saw="default-scheduler"),
        ),
        sees=f"Pending, Insufficient {name}; a pod that is bound all the same gets no GPU",
        cause=Cause(
            text=f"its label {_LABEL}=ignore"
            if is_ignored
            else "the API server could not reach HAMi's webhook when the pod was made, and its "
            "failurePolicy is Ignore, or its namespace is exempt",
            proven=is_ignored,
        ),
        fix=(
            Fix(text="make the pod again while HAMi's webhook answers"),
            Fix(text="write schedulerName: hami-scheduler into it"),
            Fix(
                text="set scheduler.admissionWebhook.failurePolicy=Fail",
                breaks="while the webhook is away no pod of the cluster is made",
            ),
        ),
        group=f"{name} {is_ignored}",
    )


RULE = Rule(
    id="PW605",
    slug="hami-passed-over",
    title="Pod asks for a share of a GPU and is not with HAMi's scheduler",
    since="0.1",
    joint=Joint.SCHEDULER,
    refs=(
        "HAMi v2.10.0 charts/hami/templates/scheduler/webhook.yaml",
        "HAMi v2.10.0 charts/hami/templates/scheduler/_helpers.tpl ignoredByScheduler",
    ),
    over=lambda picture: picture.gpus.hami.pods if picture.gpus else (),
    check=check,
)
