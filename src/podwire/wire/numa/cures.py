"""What would make kubelet admit a pod that it never admits: each tried through the model."""

import itertools
from collections.abc import Iterable, Iterator

import msgspec

from podwire.model.evidence import Known
from podwire.model.names import ResourceName
from podwire.peers.kubelet_topology import (
    CPU,
    Device,
    Machine,
    Policy,
    Request,
    Scope,
    Setup,
    admit,
)
from podwire.wire.numa.judging import Judged, emptied
from podwire.wire.picture import Picture

_LOOSER: tuple[Policy, ...] = ("restricted", "best-effort")
_MOST = 8  # pods that one is split into


class Cure(msgspec.Struct, frozen=True, gc=False):
    """One change, alone enough: a policy, a scope, pools without topology, or smaller pods.

    `share` is what each of `parts` pods asks for. `useless` are policies that were tried and
    reject it as well. `most` is how many CPUs, or bytes of memory, the container may ask for
    at most.
    """

    policy: Policy | None = None
    scope: Scope | None = None
    exclude: tuple[ResourceName, ...] = ()
    parts: int = 0
    share: tuple[tuple[ResourceName, int], ...] = ()
    useless: tuple[Policy, ...] = ()
    most: tuple[ResourceName, int] | None = None


def cures_of(judged: Judged, picture: Picture) -> tuple[Cure, ...]:
    """Try changes on the empty node."""
    machine, setup = judged.machine, judged.setup
    if machine is None or setup is None or not judged.requests:
        return ()
    stuck = _Stuck(machine=emptied(machine), requests=judged.requests, setup=setup)
    pooled = picture.network_resources.union(picture.pools_of)
    pools = tuple(name for name in judged.wanted if name in pooled)
    return (
        *stuck.policies(),
        *stuck.scopes(),
        *stuck.exclusions(pools),
        *stuck.fewer(),
        *stuck.parts(),
    )


class _Stuck(msgspec.Struct, frozen=True):
    """An empty machine, a pod and a set-up that reject one another."""

    machine: Machine
    requests: tuple[Request, ...]
    setup: Setup

    def policies(self) -> Iterator[Cure]:
        """Find the strictest of the looser policies that admits."""
        after = _LOOSER[_LOOSER.index("best-effort") :]
        useless: list[Policy] = []
        for policy in _LOOSER if self.setup.policy == "single-numa-node" else after:
            if self._admits(setup=msgspec.structs.replace(self.setup, policy=policy)):
                yield Cure(policy=policy, useless=tuple(useless))
                return
            useless.append(policy)

    def scopes(self) -> Iterator[Cure]:
        """Try each container for itself."""
        if self.setup.scope == "pod" and len(self.requests) > 1:
            scope: Scope = "container"
            if self._admits(setup=msgspec.structs.replace(self.setup, scope=scope)):
                yield Cure(scope=scope)

    def exclusions(self, pools: Iterable[ResourceName]) -> Iterator[Cure]:
        """Try pools without topology: one is enough, else all."""
        names = tuple(pools)
        single = [name for name in names if self._admits(machine=_without(self.machine, {name}))]
        if single:
            yield from (Cure(exclude=(name,)) for name in single)
        elif len(names) > 1 and self._admits(machine=_without(self.machine, set(names))):
            yield Cure(exclude=self._fewest(names))

    def _fewest(self, names: tuple[ResourceName, ...]) -> tuple[ResourceName, ...]:
        """Leave out what need not be excluded, one after the other."""
        left = list(names)
        for name in names:
            fewer = set(left) - {name}
            if self._admits(machine=_without(self.machine, fewer)):
                left.remove(name)
        return tuple(left)

    def fewer(self) -> Iterator[Cure]:
        """Try as many CPUs, or as much memory, as a set of NUMA nodes can give."""
        if len(self.requests) > 1:
            return
        only = self.requests[0]
        own = [(name, want) for name, want in (*only.wants, *only.memory) if not name.prefix]
        for name, want in own:
            for most in sorted(set(self._given(name)), reverse=True):
                lower = {name: most}
                less = msgspec.structs.replace(
                    only,
                    wants=tuple((n, lower.get(n, w)) for n, w in only.wants),
                    memory=tuple((n, lower.get(n, w)) for n, w in only.memory),
                )
                if 0 < most < want and self._admits(requests=(less,)):
                    yield Cure(most=(name, most))
                    break

    def _given(self, name: ResourceName) -> Iterator[int]:
        """Say how much each set of NUMA nodes gives of CPUs or memory."""
        each = {
            node: dict(sizes).get(name, 0) for node, sizes in (self.machine.memory or {}).items()
        }
        if name == CPU:
            cpus = [d for d in self.machine.devices.get(CPU, ()) if not d.is_reserved]
            each = {node: sum(node in cpu.numa for cpu in cpus) for node in self.machine.numa}
        for size in range(1, len(each) + 1 if len(each) <= _MOST else 1):
            yield from map(sum, itertools.combinations(each.values(), size))

    def parts(self) -> Iterator[Cure]:
        """Try a pod for each NUMA node, with its share of everything."""
        count = len(self.machine.numa)
        if len(self.requests) > 1 or not 1 < count <= _MOST:
            return
        only = self.requests[0]
        wanted = [want for name, want in only.wants if name != CPU]
        if not any(want >= count and want % count == 0 for want in wanted):
            return
        wants = tuple((name, -(-want // count)) for name, want in only.wants if want)
        memory = tuple((name, -(-size // count)) for name, size in only.memory)
        # Containers that are aligned each for itself are what pods one after the other are.
        shares = tuple(
            msgspec.structs.replace(
                only, container=f"part {part}", wants=wants, memory=memory, kind="app"
            )
            for part in range(count)
        )
        setup = msgspec.structs.replace(self.setup, scope="container")
        if self._admits(setup=setup, requests=shares):
            yield Cure(parts=count, share=(*wants, *memory))

    def _admits(
        self,
        *,
        machine: Machine | None = None,
        setup: Setup | None = None,
        requests: tuple[Request, ...] | None = None,
    ) -> bool:
        verdict = admit(machine or self.machine, requests or self.requests, setup or self.setup)
        return verdict.admitted == Known(value=True)


def _without(machine: Machine, names: set[ResourceName]) -> Machine:
    """Take the topology of some resources away, as excludeTopology does."""
    devices = {
        name: tuple(Device(id=d.id) for d in mine) if name in names else mine
        for name, mine in machine.devices.items()
    }
    return msgspec.structs.replace(machine, devices=devices)
