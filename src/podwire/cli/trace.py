"""`podwire trace TYPE/NAME`: one wire, joint by joint."""

import argparse
import sys
from collections.abc import Iterable, Iterator

from podwire.cli.failures import status_after
from podwire.cli.progress import Progress
from podwire.cli.reading import read
from podwire.cli.statuses import BROKEN
from podwire.cli.streams import write_out
from podwire.cli.world import World
from podwire.engine.per_wire import verdicts_of, wire_of
from podwire.facts.workloads import TEMPLATES
from podwire.model.errors import PodwireError
from podwire.model.names import Ref
from podwire.present.trace import trace, wires_of
from podwire.present.trace_joints import State, states_of
from podwire.wire.picture import Picture

_SHORT = {
    "po": "Pod",
    "deploy": "Deployment",
    "rs": "ReplicaSet",
    "sts": "StatefulSet",
    "ds": "DaemonSet",
    "cj": "CronJob",
    "lws": "LeaderWorkerSet",
}
_KINDS = ("Pod", *(kind.__name__ for kind in TEMPLATES))


def run(options: argparse.Namespace, *, world: World) -> int:
    """Draw it; the status is 1 where a joint is broken."""
    of = ref_of(options.of, namespace=options.namespace)
    with Progress(sys.stderr) as progress:
        given = read(options, progress=progress)
        picture = Picture(given.facts)
        pods = wires_of(of, picture=picture)
        if not pods:
            raise absent(of, picture=picture)
        progress.stage("judging")
        wires = [wire_of(pod, picture=picture) for pod in pods]
        verdicts = verdicts_of(world.catalogue(), picture=picture, wires=wires)
        drawn = trace(of, picture=picture, verdicts=verdicts)
    write_out(drawn)
    states = [state for wire in wires for state in states_of(wire, verdicts=verdicts)]
    status = BROKEN if any(state.state is State.BROKEN for state in states) else 0
    return status_after(verdicts.failed, status=status, is_verbose=options.verbose)


def ref_of(written: str, *, namespace: str) -> Ref:
    """Read TYPE/NAME as kubectl does; a name alone is a pod's.

    Raises:
        PodwireError: podwire knows no such type.
    """
    kind, slash, name = written.partition("/")
    if not slash:
        kind, name = "pod", written
    low = kind.lower()
    known = {k.lower(): k for k in _KINDS} | {f"{k.lower()}s": k for k in _KINDS} | _SHORT
    if low not in known or not name:
        raise PodwireError(
            f'"{written}" names no pod and no workload', hint=f"TYPE is one of {', '.join(_KINDS)}"
        )
    return Ref(kind=known[low], name=name, namespace=namespace)


def absent(of: Ref, *, picture: Picture) -> PodwireError:
    """Say why there is no wire of this name, and what is near."""
    everything = (*picture.pods, *picture.templates)
    if any(pod.ref.whole == of for pod in everything):
        return PodwireError(
            f"{of} names no network and requests no device: it is on no wire",
            hint="podwire check says what is broken beside it",
        )
    known = dict.fromkeys((*picture.roots, *(pod.ref.whole for pod in everything)))
    hint = "; ".join(_elsewhere(of, known)) or _nearest(of, known)
    return PodwireError(f"{of} is not in what was given", hint=hint)


def _elsewhere(of: Ref, known: Iterable[Ref]) -> Iterator[str]:
    """Find the same kind and name in other namespaces."""
    for ref in known:
        if (ref.kind, ref.name) == (of.kind, of.name):
            yield f"there is {ref}: -n {ref.namespace}"


def _nearest(of: Ref, known: Iterable[Ref]) -> str:
    """Find like names of that kind."""
    import difflib

    names = {ref.full_name: ref for ref in known if ref.kind == of.kind}
    near = difflib.get_close_matches(of.full_name, names, n=3)
    if near:
        return f"nearest: {', '.join(str(names[name]) for name in near)}"
    return f"no {of.kind} was given" if not names else "podwire check lists what is broken"
