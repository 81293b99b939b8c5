"""`podwire numa pod TYPE/NAME`: what kubelet's Topology Manager says to a pod, node by node."""

import argparse
import sys
from collections.abc import Iterable, Iterator

import msgspec

from podwire.cli.progress import Progress
from podwire.cli.reading import read
from podwire.cli.statuses import BROKEN
from podwire.cli.streams import write_out
from podwire.cli.trace import absent, ref_of
from podwire.cli.world import World
from podwire.model.errors import PodwireError
from podwire.present.numa_groups import NumaAnswer, answer_of
from podwire.present.numa_json import numa_json
from podwire.present.numa_table import numa_text
from podwire.present.trace import wires_of
from podwire.wire.joined.pods import WiredPod
from podwire.wire.numa.judging import Judge
from podwire.wire.numa.subjects import places_of
from podwire.wire.picture import Picture


def run(options: argparse.Namespace, *, world: World) -> int:  # noqa: ARG001 - every command's form
    """Answer; the status is 1 where every node that was looked at rejects one of the pods."""
    of = ref_of(options.of, namespace=options.namespace)
    with Progress(sys.stderr) as progress:
        given = read(options, progress=progress)
        picture = Picture(given.facts)
        pods = wires_of(of, picture=picture)
        if not pods:
            raise absent(of, picture=picture)
        if not any(pod.resources for pod in pods):
            raise PodwireError(
                f"{of} requests no device: kubelet has nothing to align for it",
                hint="CPUs and memory are not looked at",
            )
        progress.stage("judging")
        answers = tuple(_answers(pods, picture))
    write_out(
        numa_json(answers) if options.format == "json" else "\n".join(map(numa_text, answers))
    )
    return BROKEN if any(answer.is_rejected for answer in answers) else 0


def _answers(pods: Iterable[WiredPod], picture: Picture) -> Iterator[NumaAnswer]:
    """Answer once for pods that ask alike."""
    judge = Judge(picture)
    seen = set()
    for pod in pods:
        new = _unbound(pod)
        of = places_of(new, picture, judge=judge)
        bound = pod.pod.spec.node_name
        nodes = of.nodes if bound in {"", *of.nodes} else (*of.nodes, bound)
        asks = tuple((r.resource, r.at, r.count) for r in pod.requests)
        if not asks or (asks, nodes) in seen:
            continue
        seen.add((asks, nodes))
        judged = [judge.judge(pod, node) for node in nodes]
        yield answer_of(pod, judged, picture=picture, assumes=of.assumes)


def _unbound(pod: WiredPod) -> WiredPod:
    """Take a pod for a new one that the scheduler may place anew."""
    spec = msgspec.structs.replace(pod.pod.spec, node_name="")
    return msgspec.structs.replace(pod, pod=msgspec.structs.replace(pod.pod, spec=spec))
