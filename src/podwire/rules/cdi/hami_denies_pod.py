"""HAMi's webhook refuses a pod.

What you see
    The pod is never made. Whoever makes it reads: admission webhook
    "vgpu.hami.io" denied the request: container x is privileged, or pod has
    node assigned.

Why
    HAMi cannot limit a privileged container, which has every GPU anyway,
    and a pod with nodeName has passed by its scheduler.

Fix
    Take privileged away, and write a nodeSelector in place of nodeName. A pod
    that is not to use HAMi gets the label hami.io/webhook=ignore.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from podwire.findings.model import Evidence, Finding, Fix, Joint, Rule, Severity
from podwire.model.evidence import Known
from podwire.wire.picture import Picture

if TYPE_CHECKING:
    from podwire.wire.gpu.records import HamiPod


def check(pod: "HamiPod", picture: Picture) -> Iterator[Finding]:
    """Ask the webhook about a pod that is still to come."""
    gpus, view = picture.gpus, pod.pod
    if gpus is None or not pod.is_to_come:
        return
    taken = gpus.hami.takes(view)
    if isinstance(taken, Known) and not taken.value:
        return
    denial = gpus.hami.denial(view).need()
    if not denial.value:
        return
    taken = taken.need()
    is_pinned = "assigned" in denial.value
    yield Finding(
        severity=Severity.ERROR,
        message=f"HAMi's webhook refuses {view}: {denial.value}",
        evidence=(
            Evidence(
                at=view.place("spec", "nodeName") if is_pinned else view.place("spec"),
                saw=view.spec.node_name if is_pinned else denial.value,
            ),
            *(Evidence(at=place, saw="HAMi's webhook takes it") for place in taken.places[:1]),
        ),
        sees=f'admission webhook "vgpu.hami.io" denied the request: {denial.value}',
        fix=(
            Fix(text="write a nodeSelector (kubernetes.io/hostname) in place of nodeName")
            if is_pinned
            else Fix(text="take privileged away from that container"),
            Fix(
                text="label the pod hami.io/webhook=ignore",
                breaks="then it is no pod of HAMi's: the default scheduler places it, and what it "
                "asks of HAMi (gpumem, gpucores) is on no node",
            ),
        ),
        assumes=(*taken.assumes, *denial.assumes),
        group=f"{picture.kin(view)} {denial.value}",
    )


RULE = Rule(
    id="PW604",
    slug="hami-denies-pod",
    title="HAMi's webhook refuses a pod",
    since="0.1",
    joint=Joint.SCHEDULER,
    refs=("HAMi v2.10.0 pkg/scheduler/webhook.go Handle",),
    over=lambda picture: picture.gpus.hami.pods if picture.gpus else (),
    check=check,
    shows_as=("hami-node-assigned", "hami-privileged"),
)
