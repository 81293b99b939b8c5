"""`podwire numa pod TYPE/NAME`: what kubelet's Topology Manager says to a pod, node by node.

`podwire numa policy`: what each of its policies would say to all pods.
"""

import argparse
import sys
from collections.abc import Iterable, Iterator

from podwire.cli.progress import Progress
from podwire.cli.reading import read
from podwire.cli.statuses import BROKEN
from podwire.cli.streams import say, write_out
from podwire.cli.trace import absent, ref_of
from podwire.cli.world import World
from podwire.collect.gathered import UNREADABLE
from podwire.model.errors import PodwireError
from podwire.present.lines import wrapped
from podwire.present.numa_groups import NumaAnswer, answer_of
from podwire.present.numa_json import numa_json
from podwire.present.numa_table import numa_text
from podwire.present.trace import wires_of
from podwire.wire.joined.pods import WiredPod
from podwire.wire.numa.judging import Judge
from podwire.wire.numa.subjects import places_of, unbound
from podwire.wire.picture import Picture

_FEW = 3  # files that are named one by one


def run(options: argparse.Namespace, *, world: World) -> int:  # noqa: ARG001 - every command's form
    """Answer; the status is 1 where every node that was looked at rejects one of the pods."""
    return _policy(options) if options.what == "policy" else _pod(options)


def _policy(options: argparse.Namespace) -> int:
    from podwire.present.numa_policy import pods_to_place, policy_answer
    from podwire.present.numa_policy_json import policy_json
    from podwire.present.numa_policy_table import policy_text

    only = [ref_of(each, namespace=options.namespace) for each in options.of]
    picture = _read(options)
    for of in only:
        if not wires_of(of, picture=picture):
            raise absent(of, picture=picture)
    pods = pods_to_place(picture, only)
    if not pods:
        raise PodwireError(
            "no pod in what was given requests a device: kubelet has nothing to align",
            hint="give pods or workloads beside the nodes",
        )
    with Progress(sys.stderr) as progress:
        progress.stage("judging")
        answer = policy_answer(pods, picture)
    write_out(policy_json(answer) if options.format == "json" else policy_text(answer))
    return BROKEN if answer.rejected else 0


def _pod(options: argparse.Namespace) -> int:
    of = ref_of(options.of, namespace=options.namespace)
    picture = _read(options)
    pods = wires_of(of, picture=picture)
    if not pods:
        raise absent(of, picture=picture)
    if not any(pod.resources for pod in pods):
        raise PodwireError(
            f"{of} requests no device: kubelet has nothing to align for it",
            hint="pods that ask for CPUs and memory alone are not looked at",
        )
    with Progress(sys.stderr) as progress:
        progress.stage("judging")
        answers = tuple(_answers(pods, picture))
    write_out(
        numa_json(answers) if options.format == "json" else "\n".join(map(numa_text, answers))
    )
    return BROKEN if any(answer.is_rejected for answer in answers) else 0


def _read(options: argparse.Namespace) -> Picture:
    """Read what was given, and name what could not be read: it is missing in the answer."""
    with Progress(sys.stderr) as progress:
        facts = read(options, progress=progress).facts
    unread = [fault for fault in facts.faults if fault.slug == UNREADABLE]
    for fault in unread[:_FEW]:
        text = f"{fault.place}: {fault.message}; nothing in it is looked at"
        say(wrapped(text, first="podwire: "))
    if len(unread) > _FEW:
        say([f"podwire: and {len(unread) - _FEW} more that podwire check names"])
    return Picture(facts)


def _answers(pods: Iterable[WiredPod], picture: Picture) -> Iterator[NumaAnswer]:
    """Answer once for pods that ask alike."""
    judge = Judge(picture)
    seen = set()
    for pod in pods:
        of = places_of(unbound(pod), picture, judge=judge)
        bound = pod.pod.spec.node_name
        nodes = of.nodes if bound in {"", *of.nodes} else (*of.nodes, bound)
        asks = tuple((r.resource, r.at, r.count) for r in pod.requests)
        if not asks or (asks, nodes) in seen:
            continue
        seen.add((asks, nodes))
        judged = [judge.judge(pod, node) for node in nodes]
        yield answer_of(pod, judged, picture=picture, assumes=of.assumes)
