"""Hold podwire's model against an answer of kubelet's own code.

kubelet gives any of several like devices. So the way it went is followed: the devices that
it gave have to be among those that the model allows, and the next hints are made of what is
left after them.
"""

from collections.abc import Iterator
from typing import Any

from podwire.model.evidence import Known
from podwire.model.names import ResourceName
from podwire.peers.kubelet_topology import (
    CPU,
    MEMORY,
    Block,
    Device,
    Hint,
    Hints,
    Machine,
    Request,
    Setup,
    Shape,
    Span,
    Stock,
    Verdict,
    admit,
    exclusive_cpus,
    hints,
    is_guaranteed,
    mask_of,
    merge,
    read_setup,
    shape_of,
)
from podwire.peers.kubelet_topology.giving import Shortage, Taking, taking
from podwire.peers.kubelet_topology.memory import Refused, give_memory, memory_hints
from podwire.peers.kubelet_topology.records import Wants
from podwire.peers.kubelet_topology.walking import total_memory, total_wants
from tests.oracle.cases import Case


def machine_of(case: Case, answer: Case) -> Machine:
    """Make the machine; which CPUs other pods hold is kubelet's choice."""
    devices = {
        ResourceName.parse(name): tuple(
            Device(id=i, numa=frozenset(numa), is_healthy=ok, owner="other" if held else None)
            for i, numa, ok, held in listed
        )
        for name, listed in case["resources"].items()
    }
    if "cpus" in case:
        held, reserved = answer.get("heldCpus", []), case["cpus"]["reserved"]
        devices[CPU] = tuple(
            Device(
                id=str(one),
                numa=frozenset({int(node)}),
                owner="other" if one in held else None,
                is_reserved=one in reserved,
            )
            for node, ids in case["cpus"]["nodes"].items()
            for one in ids
        )
    memory, blocks = _memory(case, answer) if "memory" in case else (None, ())
    rows = zip(case["numa"], case["distances"], strict=False)
    return Machine(
        numa=tuple(case["numa"]),
        devices=devices,
        distances={n: tuple(row) for n, row in rows} if case["distances"] else None,
        with_preference=frozenset(),
        memory=memory,
        blocks=blocks,
        cpus_per_core=_per_core(case),
    )


def _per_core(case: Case) -> int:
    cpus = case.get("cpus", {"options": {}})
    return int(cpus["threads"]) if "full-pcpus-only" in cpus["options"] else 0


def _memory(
    case: Case, answer: Case
) -> tuple[dict[int, dict[ResourceName, int]], tuple[Block, ...]]:
    """What kubelet gives of each NUMA node: without huge pages and what it keeps for the system."""
    has = case["memory"]
    huge = {int(n): count * 2 * 1024 * 1024 for n, count in has["pages"].items()}
    memory = {}
    for node, size in ((int(n), size) for n, size in has["nodes"].items()):
        kept = {int(n): bytes_ for n, bytes_ in has["reserved"].items()}.get(node, 0)
        memory[node] = {MEMORY: size - kept - huge.get(node, 0)}
        if huge:
            memory[node][_name("hugepages-2Mi")] = huge[node]
    held = (
        Block(owner="other", numa=frozenset(numa), type=_name(name), size=size)
        for numa, name, size in answer.get("heldMemory", [])
    )
    return memory, tuple(held)


def pod_of(case: Case) -> tuple[Request, ...]:
    return tuple(
        Request(
            container=c["name"],
            kind=c["kind"],
            wants=(*_cpus(own), *_devices(c)),
            memory=_bytes(c) if "memory" in case and _is_guaranteed(case) else (),
        )
        for c, own in zip(case["containers"], _exclusive(case), strict=True)
    )


def _bytes(container: Case) -> tuple[tuple[ResourceName, int], ...]:
    return tuple((_name(name), size) for name, size in sorted(container["bytes"].items()))


def _is_guaranteed(case: Case) -> bool:
    each = [{"cpu": c["cpu"], "memory": c["bytes"]["memory"]} for c in case["containers"]]
    return is_guaranteed(each, each)


def _exclusive(case: Case) -> tuple[int, ...]:
    if "cpus" not in case:
        return (0,) * len(case["containers"])
    each = [{"cpu": c["cpu"], "memory": c["bytes"]["memory"]} for c in case["containers"]]
    return exclusive_cpus(each, each)


def _cpus(count: int) -> Iterator[tuple[ResourceName, int]]:
    if count:
        yield CPU, count


def _devices(container: Case) -> Iterator[tuple[ResourceName, int]]:
    for name, want in sorted(container["wants"].items()):
        yield ResourceName.parse(name), want


def _name(written: str) -> ResourceName:
    """Name an extended resource, or one of Kubernetes' own."""
    return ResourceName.maybe(written) or ResourceName(prefix="", name=written)


def differences(case: Case, answer: Case, *, span: Span) -> list[str]:
    """List where the model and kubelet differ."""
    machine, pod = machine_of(case, answer), pod_of(case)
    try:
        setup = read_setup(case["policy"], case["scope"], case["options"], span=span)
    except ValueError as error:
        return _unlike("refused", str(error), theirs=answer.get("refused"))
    verdict = admit(machine, pod, setup)
    if verdict.refused or "refused" in answer:
        return _unlike("refused", verdict.refused, theirs=answer.get("refused", ""))
    return [
        *_verdict_differences(verdict, answer),
        *Way(machine, pod, setup, answer).differences(),
    ]


def _unlike(what: str, ours: object, *, theirs: object) -> list[str]:
    return [] if ours == theirs else [f"{what}: {ours!r}, kubelet {theirs!r}"]


def _verdict_differences(verdict: Verdict, answer: Case) -> Iterator[str]:
    if isinstance(verdict.admitted, Known):
        yield from _unlike("admitted", verdict.admitted.value, theirs=answer["admitted"])
    looks = {(each.reason, each.message) for each in verdict.rejections}
    if not answer["admitted"] and verdict.steps:
        theirs = (answer["reason"], answer["message"])
        if theirs not in looks:
            yield f"rejection: {looks}, kubelet {theirs}"
    yield from _sure_differences(verdict, answer["steps"])


def _sure_differences(verdict: Verdict, steps: list[Case]) -> Iterator[str]:
    for index, step in enumerate(verdict.steps[: verdict.sure_steps if steps else 0]):
        if 1 < len(steps) <= index:
            yield f"sure step {index}: kubelet came to {len(steps)} only"
            return
        theirs = steps[0 if len(steps) == 1 else index]
        ours = _said(dict(step.hints))
        yield from _unlike(f"sure step {index}", ours, theirs=_hints(theirs["hints"]))
        yield from _unlike(f"sure merge {index}", step.merged, theirs=_hint(theirs["merged"]))


def _said(table: dict[ResourceName, Hints]) -> dict[ResourceName, Hints]:
    """Leave out memory of which there is nowhere enough: kubelet says nothing of it."""
    return {n: each for n, each in table.items() if each is not None or n.prefix or n == CPU}


def _hint(written: list[Any]) -> Hint:
    return Hint(mask=written[0], preferred=written[1])


def _hints(written: Case) -> dict[ResourceName, Hints]:
    return {
        _name(name): None if each is None else tuple(_hint(h) for h in each)
        for name, each in written.items()
    }


class Way:
    """The way that kubelet went through a pod, step by step."""

    def __init__(
        self, machine: Machine, pod: tuple[Request, ...], setup: Setup, answer: Case
    ) -> None:
        self.pod, self.setup, self.answer = pod, setup, answer
        self.steps: Iterator[Case] = iter(answer["steps"])
        self.shape: Shape = shape_of(machine, machine.devices)
        self.memory = self.shape.memory
        self.mask = {n: {d.id: mask_of(d.numa) for d in ds} for n, ds in machine.devices.items()}
        self.free = {
            name: {d.id for d in devices if d.is_healthy and d.owner is None and not d.is_reserved}
            for name, devices in machine.devices.items()
        }
        self.reusable: dict[ResourceName, set[str]] = {name: set() for name in machine.devices}

    def differences(self) -> Iterator[str]:
        is_whole = self.setup.scope == "pod"
        merged: Hint | None = Hint(mask=None, preferred=False)
        if self.setup.policy != "none" and is_whole:
            merged, found = self._step(dict(total_wants(self.pod)), total_memory(self.pod))
            yield from found
        for request in self.pod:
            if self.setup.policy != "none" and not is_whole:
                merged, found = self._step(dict(request.wants), request.memory)
                yield from found
            outcomes = [] if merged is None else list(self._taken(request, merged))
            if merged is None or any(isinstance(each, Shortage) for _, each in outcomes):
                yield from _unlike("an end before the end", self.answer["admitted"], theirs=False)
                return
            for name, outcome in outcomes:
                if isinstance(outcome, Taking):
                    yield from self._give(request, name, outcome)
            if not self._gives_memory(request, merged):
                yield from _unlike("memory", self.answer["admitted"], theirs=False)
                return
        yield from _unlike("the end", self.answer["admitted"], theirs=True)

    def _stock(self, name: ResourceName) -> Stock:
        masks = next(pool.masks for each, pool, _ in self.shape.pools if each == name)

        def count(ids: set[str]) -> tuple[int, ...]:
            return tuple(sum(self.mask[name][i] == m for i in ids) for m in masks)

        return Stock(free=count(self.free[name]), reusable=count(self.reusable[name]))

    def _gives_memory(self, request: Request, merged: Hint) -> bool:
        if self.memory is not None and request.memory:
            try:
                self.memory = give_memory(
                    self.memory, request.memory, request.kind, merged, has_group_check=True
                )
            except Refused:
                return False
        return True

    def _step(self, wants: dict[ResourceName, int], memory: Wants) -> tuple[Hint | None, list[str]]:
        """Merge as kubelet did; no hint where it does not admit."""
        theirs = next(self.steps, None)
        if theirs is None:
            return None, ["kubelet ended before a step of the model"]
        table = {
            name: hints(
                pool, self._stock(name), wants[name], known=self.shape.known, span=self.setup.span
            )
            for name, pool, _ in self.shape.pools
            if name in wants
        }
        if self.memory is not None and memory:
            table |= dict.fromkeys((name for name, _ in memory), memory_hints(self.memory, memory))
        merged, is_admitted = merge(
            table.values(), self.setup, known=self.shape.known, distances=self.shape.distances
        )
        found = [
            *_unlike("hints", _said(table), theirs=_hints(theirs["hints"])),
            *_unlike("merged", merged, theirs=_hint(theirs["merged"])),
            *_unlike("merge admits", is_admitted, theirs=theirs["ok"]),
        ]
        return merged if is_admitted else None, found

    def _taken(
        self, request: Request, merged: Hint
    ) -> Iterator[tuple[ResourceName, Taking | Shortage]]:
        wants = dict(request.wants)
        for name, pool, _ in self.shape.pools:
            if name in wants:
                stock = self._stock(name)
                yield name, taking(name, pool, stock, wants[name], affinity=merged.mask)

    def _give(self, request: Request, name: ResourceName, taken: Taking) -> Iterator[str]:
        given = set(self.answer["given"].get(request.container, {}).get(str(name), []))
        fresh, reused = given & self.free[name], given & self.reusable[name]
        if fresh | reused != given:
            yield f"{request.container} got {sorted(given - fresh - reused)}, not to be had"
        if not taken.is_mixed:
            yield from _unlike("taken over", taken.reused.count, theirs=len(reused))
        masks = next(pool.masks for each, pool, _ in self.shape.pools if each == name)
        counted = given if taken.is_mixed else fresh
        counts = [sum(self.mask[name][i] == m for i in counted) for m in masks]
        least = [sum(kind) for kind in zip(*(t.least for t in taken.fresh), strict=True)]
        most = [sum(kind) for kind in zip(*(t.most for t in taken.fresh), strict=True)]
        bounds = zip(counts, least, most, strict=False)
        if not all(low <= count <= high for count, low, high in bounds) or (
            sum(counts) != sum(t.count for t in taken.fresh)
        ):
            yield f"{request.container} got {counts} of {name}, not {least} to {most}"
        self.free[name] -= fresh
        if request.kind == "init":
            self.reusable[name] |= fresh
        else:
            self.reusable[name] -= reused
