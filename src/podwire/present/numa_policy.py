"""What each policy would make of a set of pods, kind of node by kind of node."""

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from podwire.model.evidence import Answer, Unknown
from podwire.model.names import Ref, ResourceName
from podwire.peers.kubelet_topology import CPU, Machine, Setup
from podwire.wire.joined.pods import WiredPod
from podwire.wire.numa.aligning import Aligned
from podwire.wire.numa.asking import asks_of
from podwire.wire.numa.judging import Judge, Outcome
from podwire.wire.numa.subjects import is_rejected, places_of, unbound
from podwire.wire.numa.trials import WAYS, Trials, Tried, Way, trials
from podwire.wire.numa.words import listed
from podwire.wire.picture import Picture

Counts = tuple[tuple[ResourceName, tuple[tuple[tuple[int, ...], int], ...]], ...]


class PodKind(msgspec.Struct, frozen=True):
    """Pods that ask alike and may go to the same nodes; `count` is how many there are."""

    names: tuple[str, ...]
    count: int
    asks: tuple[tuple[ResourceName, int | None], ...]


class Row(msgspec.Struct, frozen=True):
    """What a way makes of all pods that a kind of node has devices enough for.

    `admits`: where nothing is in use. Of those `not_now` are kept out by what is in use; None:
    not known.
    """

    way: Way
    admits: int = 0
    not_now: int | None = 0
    never: int = 0
    undecided: int = 0
    containers: Aligned = Aligned()
    pods: Aligned = Aligned()


class NodeKind(msgspec.Struct, frozen=True):
    """Nodes that are alike to all pods; `tried` pairs pods with what became of them."""

    nodes: tuple[str, ...]
    now: Answer[Setup]
    devices: Counts | None
    rows: tuple[Row, ...]
    tried: tuple[tuple[PodKind, tuple[Tried, ...]], ...]

    @property
    def short(self) -> tuple[tuple[PodKind, Tried], ...]:
        """Pods of which these nodes have too few devices, whoever holds them."""
        return tuple((kind, t[0]) for kind, t in self.tried if t[0].outcome is Outcome.SHORT)

    @property
    def missing(self) -> tuple[Unknown, ...]:
        """What would decide more, each once."""
        found = [t.missing for _, ways in self.tried for t in ways if t.fits is None]
        now = self.now if isinstance(self.now, Unknown) else None
        return tuple({each.reason: each for each in (now, *found) if each is not None}.values())

    @property
    def strictest(self) -> Way | None:
        """The strictest way that admits all pods; None: there is none, or none for certain."""
        for row in reversed(self.rows):
            if row.admits and not (row.never or row.undecided):
                return row.way
            if not row.never:
                return None
        return None


class PolicyAnswer(msgspec.Struct, frozen=True):
    """Every pod under every way; `nowhere` are pods that no node was given for.

    `rejected` are those that the set-up of now never admits, on each node that they may go to.
    """

    kinds: tuple[PodKind, ...]
    nodes: tuple[NodeKind, ...]
    nowhere: tuple[PodKind, ...] = ()
    rejected: tuple[PodKind, ...] = ()
    assumes: tuple[str, ...] = ()


def policy_answer(pods: Iterable[WiredPod], picture: Picture) -> PolicyAnswer:
    """Try pods under every way, those that are alike once."""
    judge = Judge(picture)
    every: list[tuple[PodKind, dict[str, Trials]]] = []
    for alike in _alike(pods, picture, judge).values():
        first, of = alike[0]
        made = {t.node: t for t in trials(first, of, judge, picture)}
        every.append((_kind([pod for pod, _ in alike], picture), made))
    nodes = tuple(_node_kinds(every))
    return PolicyAnswer(
        kinds=tuple(kind for kind, _ in every),
        nodes=nodes,
        nowhere=tuple(kind for kind, made in every if not made),
        rejected=tuple(kind for kind, made in every if _is_rejected(made.values())),
        assumes=tuple(dict.fromkeys(_assumes(nodes, [made for _, made in every]))),
    )


def _assumes(nodes: Iterable[NodeKind], tried: Sequence[dict[str, Trials]]) -> Iterator[str]:
    """Say what is assumed of one node of each kind, and where no configuration was read."""
    for kind in nodes:
        yield from (
            a for made in tried if kind.nodes[0] in made for a in made[kind.nodes[0]].assumes
        )
    bare = sorted({t.node for made in tried for t in made.values() if not t.is_configured})
    if bare:
        yield (
            f"kubelet's CPU and memory managers on {listed(bare)} are none: its configuration was "
            "not read"
        )


def _alike(
    pods: Iterable[WiredPod], picture: Picture, judge: Judge
) -> dict[tuple[object, ...], list[tuple[WiredPod, tuple[str, ...]]]]:
    found: dict[tuple[object, ...], list[tuple[WiredPod, tuple[str, ...]]]] = {}
    for pod in pods:
        spec = pod.pod.spec
        nodes = places_of(unbound(pod), picture, judge=judge).nodes
        asks = [(c.resources, c.restart_policy) for c in (*spec.init_containers, *spec.containers)]
        key = (nodes, len(spec.init_containers), msgspec.json.encode((asks, spec.resources)))
        found.setdefault(key, []).append((pod, nodes))
    return found


def _kind(pods: Sequence[WiredPod], picture: Picture) -> PodKind:
    """Count pods, and a template without pods as those that it is for."""
    by_kin: dict[str, list[WiredPod]] = {}
    for pod in pods:
        by_kin.setdefault(picture.kin(pod.pod), []).append(pod)
    count = 0
    for mine in by_kin.values():
        made = sum(not pod.pod.is_template for pod in mine)
        count += made or max(1, *(pod.pod.replicas or 1 for pod in mine))
    return PodKind(names=tuple(by_kin), count=count, asks=asks_of(pods[0]))


def _is_rejected(made: Iterable[Trials]) -> bool:
    today = [t.today for t in made]
    outcomes = {None if each is None else each.outcome for each in today}
    return Outcome.NEVER in outcomes and outcomes <= {Outcome.NEVER, Outcome.SHORT}


def _node_kinds(every: Sequence[tuple[PodKind, dict[str, Trials]]]) -> Iterator[NodeKind]:
    wanted = tuple(sorted({name for kind, _ in every for name, _ in kind.asks}))
    alike: dict[tuple[object, ...], tuple[Answer[Setup], Counts | None, list[str]]] = {}
    for node in sorted({node for _, made in every for node in made}):
        mine = [made.get(node) for _, made in every]
        some = [t for t in mine if t is not None]
        counts = _counts([t.machine for t in some], wanted)
        now = some[0].now
        setup = now.fact if isinstance(now, Unknown) else now.value
        key = (setup, counts, tuple(_likeness(t) for t in mine))
        alike.setdefault(key, (now, counts, []))[2].append(node)
    for now, devices, nodes in alike.values():
        yield _node_kind(every, tuple(nodes), now, devices)


def _likeness(of: Trials | None) -> tuple[object, ...] | None:
    if of is None:
        return None
    return tuple(
        (t.fits, t.lacks, t.blockers, t.containers, t.pods, t.missing.fact if t.missing else "")
        for t in of.ways
    )


def _counts(machines: Sequence[Machine | None], wanted: tuple[ResourceName, ...]) -> Counts | None:
    """Count devices by their NUMA nodes; None: there may be some that were not read."""
    known = [machine for machine in machines if machine is not None]
    found = []
    for name in (*wanted, CPU):
        has = next((m.devices[name] for m in known if m.devices.get(name)), ())
        sets: dict[tuple[int, ...], int] = {}
        for device in has:
            nodes = tuple(sorted(device.numa))
            sets[nodes] = sets.get(nodes, 0) + 1
        if sets:
            found.append((name, tuple(sorted(sets.items()))))
    return tuple(found) if found or len(known) == len(machines) else None


def _node_kind(
    every: Sequence[tuple[PodKind, dict[str, Trials]]],
    nodes: tuple[str, ...],
    now: Answer[Setup],
    devices: Counts | None,
) -> NodeKind:
    mine = [(kind, [made[n] for n in nodes]) for kind, made in every if nodes[0] in made]
    return NodeKind(
        nodes=nodes,
        now=now,
        devices=devices,
        rows=tuple(_row(index, mine) for index in range(len(WAYS))),
        tried=tuple((kind, made[0].ways) for kind, made in mine),
    )


def _row(index: int, mine: Sequence[tuple[PodKind, list[Trials]]]) -> Row:
    row = Row(way=WAYS[index])
    for kind, made in mine:
        row = _added(row, kind.count, [each.ways[index] for each in made])
    return row


def _added(row: Row, count: int, tried: Sequence[Tried]) -> Row:
    first, replace = tried[0], msgspec.structs.replace
    if first.outcome is Outcome.SHORT:
        return row
    if first.fits is None:
        return replace(row, undecided=row.undecided + count)
    if not first.fits:
        return replace(row, never=row.never + count)
    outcomes = {each.outcome for each in tried}
    row = replace(
        row,
        admits=row.admits + count,
        containers=row.containers + _times(first.containers, count),
        pods=row.pods + _times(first.pods, count),
    )
    if Outcome.ADMITTED in outcomes:
        return row
    if Outcome.UNDECIDED in outcomes or row.not_now is None:
        return replace(row, not_now=None)
    return replace(row, not_now=row.not_now + count)


def _times(aligned: Aligned, count: int) -> Aligned:
    return Aligned(sure=aligned.sure * count, of=aligned.of * count)


def pods_to_place(picture: Picture, only: Sequence[Ref]) -> tuple[WiredPod, ...]:
    """Give the pods that ask for devices: those that are over, but for the rejected, are out."""
    return tuple(
        pod
        for pod in picture.wired
        if pod.resources
        and (not pod.is_over or is_rejected(pod))
        and (not only or pod.ref.whole in only or picture.root(pod.pod) in only)
    )
