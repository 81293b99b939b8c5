"""One pod's wire, joint by joint, with the state of each; of a workload its ranks.

Ranks that are alike are drawn once; what differs stands apart.
"""

from collections.abc import Iterator

from podwire.engine.per_wire import Verdicts, wire_of
from podwire.model.names import Ref
from podwire.present.lines import counted, wrapped
from podwire.present.subjects import listed, natural
from podwire.present.trace_joints import JointState, joint_lines, outcome, states_of
from podwire.present.trace_pieces import piece_lines
from podwire.wire.joined.pods import WiredPod
from podwire.wire.picture import Picture

_Likeness = tuple[tuple[object, ...], ...]


def wires_of(of: Ref, *, picture: Picture) -> tuple[WiredPod, ...]:
    """Give the pod, the pods of the workload, or its templates where no pod is in sight."""
    own = [pod for pod in picture.wired if pod.ref.whole == of]
    made = [pod for pod in picture.wired if not pod.pod.is_template and picture.root(pod.pod) == of]
    return tuple(sorted(made or own, key=lambda pod: natural(str(pod.pod))))


def trace(of: Ref, *, picture: Picture, verdicts: Verdicts) -> str:
    """Draw the wires of a pod or a workload; `wires_of` has to know one at least."""
    pods = wires_of(of, picture=picture)
    groups: dict[_Likeness, list[WiredPod]] = {}
    states = {id(pod): states_of(wire_of(pod, picture=picture), verdicts=verdicts) for pod in pods}
    for pod in pods:
        groups.setdefault(_likeness(pod, states[id(pod)]), []).append(pod)
    ordered = sorted(groups.values(), key=len, reverse=True)
    blocks = [_title(of, pods, groups=len(ordered))] if len(pods) > 1 else []
    for alike in ordered:
        first = alike[0]
        blocks.append("\n".join(_block(first, alike, picture=picture, states=states[id(first)])))
    return "\n\n".join(blocks) + "\n"


def _likeness(pod: WiredPod, states: tuple[JointState, ...]) -> _Likeness:
    """Say what makes ranks alike: joints, networks and requests, not their own names."""
    return (
        tuple((state.joint, state.state) for state in states),
        tuple(sorted(judged.rule.id for state in states for judged in state.findings)),
        tuple((a.full_name, a.interface) for a in pod.attachments),
        tuple((r.resource, r.container, r.count) for r in pod.requests),
    )


def _title(of: Ref, pods: tuple[WiredPod, ...], *, groups: int) -> str:
    kinds = ", all alike" if groups == 1 else f" of {groups} kinds"
    noun = "template" if pods[0].pod.is_template else "pod"
    return "\n".join(wrapped(f"{of}: {counted(len(pods), noun)}{kinds}"))


def _block(
    pod: WiredPod, alike: list[WiredPod], *, picture: Picture, states: tuple[JointState, ...]
) -> Iterator[str]:
    where = pod.pod.spec.node_name
    node = f"on {where}" if where else "on no node yet"
    what = _template(pod) if pod.pod.is_template else node
    yield from wrapped(f"{pod.pod} ({what}): {outcome(states)}", rest="  ")
    if len(alike) > 1 and pod.pod.is_template:
        others = (f"{other.pod}, {_template(other)}" for other in alike[1:])
        yield from wrapped("; ".join(others), first="  like it: ")
    elif len(alike) > 1:
        refs = (other.ref for other in alike[1:])
        yield from (f"  like it: {line}" for line in listed(refs, indent=""))
    yield ""
    yield from joint_lines(states)
    yield ""
    yield from piece_lines(pod, picture=picture)


def _template(pod: WiredPod) -> str:
    count = pod.pod.replicas
    return "a template" if count is None else f"a template of {counted(count, 'pod')}"
