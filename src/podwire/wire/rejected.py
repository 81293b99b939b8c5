"""Pods that kubelet rejected for lack of a network device, and which resource it was."""

from collections import defaultdict
from collections.abc import Iterator

import msgspec

from podwire.model.evidence import Answer, Known, Unknown
from podwire.model.names import Ref, ResourceName
from podwire.peers.event_texts import Decoded, decode
from podwire.wire.joined.pods import WiredPod
from podwire.wire.picture import Picture
from podwire.wire.pools.node_resources import is_for_networks

_BESIDE = 6  # as many as one command can name
_UNEXPECTED = "UnexpectedAdmissionError"
_OUT_OF = "OutOf"  # followed by the resource: kubernetes v1.36.2 pkg/kubelet/lifecycle/predicate.go


class Rejected(msgspec.Struct, frozen=True):
    """One pod that kubelet rejected, that requests a network resource.

    `beside` are the pods of its namespace that the same kubelet rejected, itself first.
    """

    pod: WiredPod
    reason: str
    message: str
    beside: tuple[Ref, ...] = ()

    @property
    def ref(self) -> Ref:
        """The pod."""
        return self.pod.ref

    @property
    def node(self) -> str:
        """Whose kubelet it was."""
        return self.pod.pod.spec.node_name

    @property
    def is_remade(self) -> bool:
        """Something makes another pod in its place."""
        return self.pod.pod.of.metadata.controller is not None

    @property
    def decoded(self) -> Decoded | None:
        """What the message tells of."""
        return decode(self.message)


def rejected(picture: Picture) -> tuple[Rejected, ...]:
    """List the pods that ended at admission and request something for networks."""
    found = tuple(_rejected(picture))
    beside: dict[tuple[str, str], list[Ref]] = defaultdict(list)
    for one in found:
        beside[one.node, one.ref.namespace].append(one.ref)
    return tuple(_with(one, beside[one.node, one.ref.namespace]) for one in found)


def _with(one: Rejected, refs: list[Ref]) -> Rejected:
    others = [ref for ref in refs[:_BESIDE] if ref != one.ref]
    return msgspec.structs.replace(one, beside=(one.ref, *others))


def _rejected(picture: Picture) -> Iterator[Rejected]:
    for pod in picture.wired:
        status = pod.pod.status
        if status is None or status.phase != "Failed":
            continue
        is_admission = status.reason == _UNEXPECTED or status.reason.startswith(_OUT_OF)
        if is_admission and any(is_for_networks(r, picture) for r in pod.resources):
            yield Rejected(pod=pod, reason=status.reason, message=status.message)


def refused_resource(rejected: Rejected) -> Answer[ResourceName]:
    """Say which resource kubelet could not give: the text, the reason, else the only one."""
    decoded = rejected.decoded
    named = decoded.resource if decoded else None
    named = named or ResourceName.maybe(rejected.reason.removeprefix(_OUT_OF))
    if named is not None:
        return Known(value=named)
    resources = rejected.pod.resources
    if len(resources) == 1 and rejected.message:
        return Known(value=resources[0])
    return Unknown(
        reason=f"which resource kubelet could not give to {rejected.ref}",
        give=f"kubectl get pod -n {rejected.ref.namespace} {rejected.ref.name} -o json",
        fact="the status message of rejected pods",
    )
