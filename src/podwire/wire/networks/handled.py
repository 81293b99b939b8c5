"""Which running pods of a node Multus handled: it writes network-status on each that it does."""

import msgspec

from podwire.facts.workloads import Stage
from podwire.model.names import Ref
from podwire.peers.multus import NETWORK_STATUS, OLD_STATUS, Selections
from podwire.wire.joined.pods import WiredPod
from podwire.wire.picture import Picture

_MIRROR = "kubernetes.io/config.mirror"  # a static pod's: kubelet makes it anew as it was


class NodePods(msgspec.Struct, frozen=True, gc=False):
    """The running pods of a node that name networks: handled, and passed over."""

    name: str
    handled: tuple[WiredPod, ...]
    passed_over: tuple[WiredPod, ...]

    @property
    def ref(self) -> Ref:
        """The node."""
        return Ref(kind="Node", name=self.name)


def node_pods(picture: Picture) -> tuple[NodePods, ...]:
    """Sort the pods of every node."""
    found = []
    for name, pods in picture.on_node.items():
        named = [pod for pod in pods if _names_networks(pod)]
        if named:
            handled = tuple(pod for pod in named if _is_handled(pod))
            rest = tuple(pod for pod in named if not _is_handled(pod))
            found.append(NodePods(name=name, handled=handled, passed_over=rest))
    return tuple(found)


def _names_networks(pod: WiredPod) -> bool:
    is_running = pod.pod.status is not None and pod.pod.status.phase == "Running"
    is_asking = isinstance(pod.networks, Selections) and bool(pod.networks.items)
    if pod.pod.metadata.deletion_timestamp:
        return False  # On a node that is lost, nobody tells how it ended.
    is_plain = not pod.is_on_host_network and _MIRROR not in pod.pod.metadata.annotations
    return pod.pod.stage is Stage.UP and is_running and is_asking and is_plain


def _is_handled(pod: WiredPod) -> bool:
    return not {NETWORK_STATUS, OLD_STATUS}.isdisjoint(pod.pod.metadata.annotations)
