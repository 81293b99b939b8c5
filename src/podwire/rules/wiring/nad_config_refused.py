"""A CNI plugin refuses the configuration that a network gives it.

What you see
    Pods that name the network stay in ContainerCreating. The event
    FailedCreatePodSandBox ends with the plugin's sentence about one key of
    its configuration.

Why
    spec.config is read by the plugin each time a pod starts, and by nobody
    before: ib-sriov and sriov take auto, enable or disable as link_state,
    and ib-sriov takes no DHCP. Its rdmaIsolation needs nodes that do not
    share RDMA devices (rdma system show), and no rdma plugin behind it.

Fix
    Correct the value. The pods that hang are tried again by themselves.
"""

from collections.abc import Iterator

from podwire.facts.objects import Network
from podwire.findings.isolation import Refused, isolation_refused
from podwire.findings.model import Evidence, Finding, Fix, Joint, Rule, Severity
from podwire.peers import ib_sriov
from podwire.peers.event_texts import sandbox_event
from podwire.peers.multus import Plugin
from podwire.wire.networks.nads import config_of, pods_on
from podwire.wire.networks.uses import pods_hang, use_of
from podwire.wire.picture import Picture

_OR_WITHOUT = "FailedCreatePodSandBox, or the pod runs without the interface"


def check(nad: Network, picture: Picture) -> Iterator[Finding]:
    """Ask each plugin of the chain what it refuses."""
    config = config_of(nad, picture)
    for plugin in config.plugins if config else ():
        for refusal in ib_sriov.refusals(plugin):
            yield _finding(nad, _of_plugin(nad, plugin, refusal), picture)
    for refused in isolation_refused(nad, picture):
        yield _finding(nad, refused, picture)


def _of_plugin(nad: Network, plugin: Plugin, refusal: ib_sriov.Refusal) -> Refused:
    key = ".".join(str(step) for step in refusal.path[len(plugin.path) :])
    return Refused(
        message=f"{plugin.type} refuses {key} {refusal.text!r} of network {nad.ref.full_name}",
        evidence=(Evidence(at=nad.place("spec", "config", inner=refusal.path), saw=refusal.text),),
        says=refusal.message,
        fix=tuple(_fixes(key)),
    )


def _finding(nad: Network, refused: Refused, picture: Picture) -> Finding:
    pods, name = pods_on(nad, picture), nad.metadata.name
    event = sandbox_event(refused.says, network=name, namespace=nad.metadata.namespace, pod="")
    return Finding(
        severity=Severity.ERROR if use_of(nad, picture).may_wait else Severity.WARNING,
        message=refused.message,
        evidence=(
            *(Evidence(at=pod.annotation_place(), saw=pod.annotation()) for pod in pods[:1]),
            *refused.evidence,
        ),
        sees=f"{pods_hang(nad, picture)}: {event if refused.says else _OR_WITHOUT}",
        fix=refused.fix,
        also=tuple(pod.ref for pod in pods),
    )


def _fixes(key: str) -> Iterator[Fix]:
    if key.casefold() == "link_state":
        yield Fix(text="set link_state to enable for a port that is up, or to auto to follow it")
    elif key.casefold() == "ipam.type":
        yield Fix(text="take another IPAM: whereabouts, host-local or static")
    else:
        yield Fix(text=f"write {key} as the plugin reads it: text in quotes, true or false without")


RULE = Rule(
    id="PW111",
    slug="nad-config-refused",
    title="CNI plugin refuses the network's configuration",
    since="0.1",
    joint=Joint.CNI,
    refs=(
        "ib-sriov-cni v1.3.0 pkg/config/config.go LoadConf",
        "sriov-cni v2.10.0 pkg/config/config.go LoadConf",
        "ib-sriov-cni v1.3.0 README.md (rdmaIsolation); rdma-cni pull request 21",
    ),
    over=lambda picture: picture.facts.networks.items,
    check=check,
    shows_as=("link-state-invalid",),
)
