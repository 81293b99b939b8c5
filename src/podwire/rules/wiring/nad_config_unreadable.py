"""A network's CNI configuration cannot be read.

What you see
    Pods that name the network stay in ContainerCreating. The event
    FailedCreatePodSandBox says that Spec.Config failed to unmarshal, or
    that the delegate has no type.

Why
    The API server takes any text as spec.config. Multus parses it when a
    pod starts: it has to be one JSON object with a `type`, or with a list
    of `plugins` that each have one.

Fix
    Correct the text at the place that is shown. The pods that hang are
    tried again by themselves.
"""

from collections.abc import Iterator

from podwire.facts.objects import Network
from podwire.findings.model import Evidence, Finding, Fix, Joint, Rule, Severity
from podwire.peers.multus import Unreadable
from podwire.wire.networks.nads import pods_on
from podwire.wire.networks.uses import pods_hang, use_of
from podwire.wire.picture import Picture

_SHOWN = 30  # characters of the text before and after the fault


def check(nad: Network, picture: Picture) -> Iterator[Finding]:
    """Read the configuration as Multus does."""
    text, fault = nad.spec.config, picture.cni(nad)
    if not isinstance(fault, Unreadable):
        return
    pods = pods_on(nad, picture)
    where = "" if fault.at is None else f" at {_position(text, fault.at)}"
    yield Finding(
        severity=Severity.ERROR if use_of(nad, picture).may_wait else Severity.WARNING,
        message=f"spec.config of network {nad.ref.full_name} cannot be read{where}"
        f": {fault.hint or fault.reason}",
        evidence=(
            *(Evidence(at=pod.annotation_place(), saw=pod.annotation()) for pod in pods[:1]),
            Evidence(
                at=nad.place("spec", "config", inner=fault.path or None),
                saw=_around(text, fault),
            ),
        ),
        sees=f"{pods_hang(nad, picture)}: FailedCreatePodSandBox, ending {fault.message}",
        fix=(
            Fix(
                text=f"correct spec.config{where}"
                + (f": {fault.hint}" if fault.hint else "; try it with `jq .`")
            ),
        ),
        also=tuple(pod.ref for pod in pods),
    )


def _position(text: str, at: int) -> str:
    line = text.count("\n", 0, at) + 1
    column = at - (text.rfind("\n", 0, at) + 1) + 1
    return f"line {line}, column {column} of the text"


def _around(text: str, fault: Unreadable) -> str:
    if fault.at is None:
        return fault.hint or "spec.config"
    before, after = text[max(0, fault.at - _SHOWN) : fault.at], text[fault.at :][:_SHOWN]
    return f"{' '.join(before.split())} >>> {' '.join(after.split())}".strip()


RULE = Rule(
    id="PW109",
    slug="nad-config-unreadable",
    title="Network's CNI configuration cannot be read",
    since="0.1",
    joint=Joint.CNI,
    refs=(
        "network-attachment-definition-client v1.7.6 pkg/utils/cniconfig.go GetCNIConfig",
        "multus-cni v4.3.0 pkg/types/conf.go LoadDelegateNetConf",
    ),
    over=lambda picture: picture.facts.networks.items,
    check=check,
    shows_as=("network-config-unreadable",),
)
