"""A pod's containers one after the other, along every way that the devices may be given.

Source: kubernetes v1.37.2 pkg/kubelet/cm/topologymanager/scope_container.go, scope_pod.go,
scope.go; component-helpers v0.37.2 resource/helpers.go for what a pod asks for as a whole.
"""

import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

import msgspec

from podwire.model.evidence import Missing, Unknown
from podwire.model.names import ResourceName
from podwire.peers.kubelet_topology.giving import Shortage, Taking, stocks_after, taking
from podwire.peers.kubelet_topology.hinting import hints
from podwire.peers.kubelet_topology.memory import (
    MEMORY,
    Memory,
    Refused,
    give_memory,
    memory_hints,
)
from podwire.peers.kubelet_topology.merging import merge
from podwire.peers.kubelet_topology.records import Hint, Hints, Request, Setup, Wants
from podwire.peers.kubelet_topology.shapes import Pool, Shape, Stock
from podwire.peers.kubelet_topology.verdicts import Given, Reason, Step

_MOST_WAYS = 2000

Stocks = dict[ResourceName, Stock]
_Key = tuple[tuple[tuple[ResourceName, Stock], ...], Memory | None]
_T = TypeVar("_T")


class End(msgspec.Struct, frozen=True, gc=False):
    """One way through the pod: admitted when there is no reason against it."""

    steps: tuple[Step, ...]
    reason: Reason | None = None
    short: tuple[Shortage, ...] = ()
    memory: Memory | None = None


class Ways(msgspec.Struct, frozen=True, gc=False):
    """All ways through the pod; the first `sure_steps` steps are the same on all of them."""

    ends: tuple[End, ...]
    sure_steps: int


class Walk(msgspec.Struct, frozen=True):
    """A pod on a machine; `is_one_way` follows the first of the ways only."""

    shape: Shape
    pod: tuple[Request, ...]
    setup: Setup
    is_one_way: bool = False

    def ways(self) -> Ways:
        """Go all ways; those that leave the same devices for the rest of the pod are one.

        Raises:
            Missing: there are too many ways, or a fact that decides was not read.
        """
        ends: list[End] = []
        start: Stocks = {name: stock for name, _, stock in self.shape.pools}
        memory = self.shape.memory
        open_ways: dict[_Key, tuple[Step, ...]] = {(tuple(start.items()), memory): ()}
        whole = None
        if self._is_pod_scope:
            total = Request(
                container="", wants=total_wants(self.pod), memory=total_memory(self.pod)
            )
            whole = self._hints(total, start, memory)
        variants: list[int] = []
        for index, request in enumerate(self.pod):
            later = {name for r in self.pod[index + 1 :] for name, _ in r.wants}
            onward: dict[_Key, tuple[Step, ...]] = {}
            seen: set[Step] = set()
            for (key, memory), before in sorted(open_ways.items()):
                stocks = dict(key)
                end = self._through(request, stocks, memory, whole)
                seen.update(end.steps)
                steps = (*before, *end.steps)
                if end.reason:
                    ends.append(msgspec.structs.replace(end, steps=steps))
                    continue
                for left in self._left(stocks, end.steps[-1], request, later):
                    onward.setdefault((left, end.memory), steps)
            open_ways = dict(_few(onward.items()))
            variants.append(len(seen))
        ends.extend(End(steps=steps) for _, steps in sorted(open_ways.items()))
        sure = itertools.takewhile(lambda count: count == 1, variants)
        return Ways(ends=tuple(ends), sure_steps=sum(sure))

    @property
    def _is_pod_scope(self) -> bool:
        return self.setup.scope == "pod" and self.setup.policy != "none"

    def _through(
        self,
        request: Request,
        stocks: Stocks,
        memory: Memory | None,
        whole: tuple[tuple[ResourceName, Hints], ...] | None,
    ) -> End:
        table = self._hints(request, stocks, memory) if whole is None else whole
        merged, is_admitted = merge(
            (each for _, each in table),
            self.setup,
            known=self.shape.known,
            distances=self.shape.distances,
        )
        step = Step(
            container=request.container, hints=table, merged=merged, is_admitted=is_admitted
        )
        if not is_admitted:
            return End(steps=(step,), reason="TopologyAffinityError")
        taken = list(self._taken(request.wants, stocks, merged))
        short = tuple(t for _, _, t in taken if isinstance(t, Shortage))
        given = (
            Given(resource=name, taking=t, stock=stock)
            for name, stock, t in taken
            if isinstance(t, Taking)
        )
        step = msgspec.structs.replace(step, given=tuple(given))
        if short:
            return End(steps=(step,), reason="UnexpectedAdmissionError", short=short)
        return self._with_memory(request, step, memory)

    def _with_memory(self, request: Request, step: Step, memory: Memory | None) -> End:
        """Give the memory last, as kubelet does."""
        if memory is None or not request.memory:
            return End(steps=(step,), memory=memory)
        check = self.setup.has_group_check
        try:
            left = give_memory(
                memory, request.memory, request.kind, step.merged, has_group_check=check
            )
        except Refused as refused:
            short = (Shortage(resource=MEMORY, text=str(refused)),)
            return End(steps=(step,), reason="UnexpectedAdmissionError", short=short)
        return End(steps=(step,), memory=left)

    def _hints(
        self, request: Request, stocks: Stocks, memory: Memory | None
    ) -> tuple[tuple[ResourceName, Hints], ...]:
        if self.setup.policy == "none":
            return ()
        known, span = self.shape.known, self.setup.span
        found = [
            (name, hints(pool, stocks[name], want, known=known, span=span))
            for name, pool, want in self._wanted(request.wants)
        ]
        if memory is not None and request.memory:
            same = memory_hints(memory, request.memory)
            found += ((name, same) for name, _ in request.memory)
        return tuple(found)

    def _taken(
        self, wants: Wants, stocks: Stocks, merged: Hint
    ) -> Iterator[tuple[ResourceName, Stock, Taking | Shortage]]:
        for name, pool, want in self._wanted(wants):
            stock = stocks[name]
            yield name, stock, taking(name, pool, stock, want, affinity=merged.mask)

    def _wanted(self, wants: Wants) -> Iterator[tuple[ResourceName, Pool, int]]:
        """Pair wishes with pools; kubelet passes over a resource that nobody registered."""
        by_name = dict(wants)
        for name, pool, _ in self.shape.pools:
            if name in by_name:
                yield name, pool, by_name[name]

    def _left(
        self, stocks: Stocks, step: Step, request: Request, later: set[ResourceName]
    ) -> Iterator[tuple[tuple[ResourceName, Stock], ...]]:
        """Go through what the step may leave of the resources that later containers want."""
        given = {each.resource: each.taking for each in step.given}
        every: list[list[tuple[ResourceName, Stock]]] = []
        for name, stock in stocks.items():
            if name not in later:
                continue
            after: Iterable[Stock] = (stock,)
            if name in given:
                after = self._chosen(stocks_after(stock, given[name], request.kind))
            every.append([(name, left) for left in after])
        yield from _few(itertools.product(*every))

    def _chosen(self, stocks: Iterator[Stock]) -> Iterable[Stock]:
        return itertools.islice(stocks, 1) if self.is_one_way else set(_few(stocks))


def total_wants(pod: Sequence[Request]) -> Wants:
    """Sum up what a pod asks for: sidecars run beside all that comes after them."""
    total: dict[ResourceName, int] = {}
    sidecars: dict[ResourceName, int] = {}
    starting: dict[ResourceName, int] = {}
    for request in pod:
        for name, want in request.wants:
            if request.kind != "init":
                total[name] = total.get(name, 0) + want
            if request.kind == "sidecar":
                sidecars[name] = sidecars.get(name, 0) + want
        if request.kind == "init":
            beside = sidecars | {n: w + sidecars.get(n, 0) for n, w in request.wants}
            starting |= {n: max(w, starting.get(n, 0)) for n, w in beside.items()}
    names = sorted({*total, *starting})
    return tuple((n, max(total.get(n, 0), starting.get(n, 0))) for n in names)


def total_memory(pod: Sequence[Request]) -> Wants:
    """Sum up the memory of a pod, of the types that containers ask for after the start.

    Source: memorymanager/policy_static.go getPodRequestedResources.
    """
    lasting = {name for r in pod if r.kind == "app" for name, _ in r.memory}
    of_memory = [msgspec.structs.replace(r, wants=r.memory) for r in pod]
    return tuple((name, size) for name, size in total_wants(of_memory) if name in lasting)


def _few(ways: Iterable[_T]) -> Iterator[_T]:
    """Pass ways on, as long as there are not too many."""
    for count, way in enumerate(ways):
        if count == _MOST_WAYS:
            raise Missing(
                Unknown(
                    reason=f"devices may be given in more than {_MOST_WAYS} ways, and podwire "
                    "does not go through them"
                )
            )
        yield way
