"""Whose a pod is: an ordinary one, the node's own software, or that of its GPUs."""

from podwire.facts.workloads import PodView
from podwire.peers.gpu_operator import is_operand
from podwire.wire.doors.records import Side
from podwire.wire.gpu.gpus import Gpus
from podwire.wire.joined.images import GPU_PROGRAMS, component_of, name_of

_SYSTEM = frozenset({"kube-system", "kube-public", "kube-node-lease"})
_SYSTEM_PREFIX = "openshift-"
# What makes pods on nodes and not for users: a node's static pods, and DaemonSets.
_MAKERS = frozenset({"Node", "DaemonSet"})
# Programs that watch GPUs, whoever deployed them, by their images: DCGM and its exporter.
_WATCHERS = frozenset({"dcgm", "dcgm-exporter"})


def side_of(pod: PodView, gpus: Gpus) -> Side:
    """Tell by owner, image and namespace; an image's name alone makes nobody privileged."""
    owner = pod.of.metadata.controller
    is_daemon = pod.of.kind == "DaemonSet" or (owner is not None and owner.kind in _MAKERS)
    is_system = pod.namespace in _SYSTEM or pod.namespace.startswith(_SYSTEM_PREFIX)
    images = [view.container.image for view in pod.containers()]
    if any(pod.ref == plugin.ref for plugin in gpus.plugins.registrants) or any(
        is_operand(pod, image) for image in images
    ):
        return Side.GPU_SOFTWARE
    if not (is_daemon or is_system):
        return Side.ORDINARY
    known = any(
        component_of(image) in GPU_PROGRAMS or name_of(image) in _WATCHERS for image in images
    )
    return Side.GPU_SOFTWARE if known else Side.NODE_SOFTWARE
