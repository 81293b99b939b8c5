"""Cases for the oracle: machines and pods made up from a seed, as JSON-able records."""

import random
from collections.abc import Iterator
from typing import Any, TypeAlias

Case: TypeAlias = dict[str, Any]

_RESOURCES = ("nvidia.com/gpu", "ib.example/vf", "ib.example/rail_1", "x.example/dpu")
_ABSENT = "x.example/absent"
_MIB = 1 << 20
_PAGE = 2 * _MIB
_HUGE = "hugepages-2Mi"
_POLICIES = ("best-effort", "restricted", "single-numa-node", "none")
_NUMA = ((0,), (0, 1), (0, 1), (0, 1), (0, 1, 2), (0, 1, 2, 3), tuple(range(8)), (0, 2, 5))
_OPTIONS: tuple[dict[str, str], ...] = (
    {"max-allowable-numa-nodes": "8"},
    {"max-allowable-numa-nodes": "7"},
    {"max-allowable-numa-nodes": "many"},
    {"prefer-closest-numa-nodes": "yes"},
    {"prefer-furthest": "true"},
)


def cases(seed: int) -> Iterator[Case]:
    """Make cases without end, the same for the same seed."""
    chance = random.Random(seed)  # noqa: S311 - cases, not secrets
    while True:
        yield _case(chance)


def _case(chance: random.Random) -> Case:
    numa = chance.choice(_NUMA)
    if chance.random() < 0.01:
        numa = tuple(range(9))
    is_closest = chance.random() < 0.4 and numa == tuple(range(len(numa)))
    # kubelet goes through every combination of hints: few of them where nodes are many.
    most = 4 if len(numa) <= 4 else 2
    names = chance.sample(_RESOURCES, min(most, chance.choice((1, 2, 2, 3, 4))))
    breadth = len(numa) if len(names) == 1 else 6
    resources = {name: _devices(chance, name, numa, breadth) for name in names}
    options = {"prefer-closest-numa-nodes": "true"} if is_closest else {}
    if chance.random() < 0.03:
        options |= chance.choice(_OPTIONS)
    case = {
        "numa": list(numa),
        "distances": _distances(chance, len(numa)) if is_closest else [],
        "policy": chance.choices(_POLICIES, (4, 4, 4, 1))[0],
        "scope": chance.choice(("container", "container", "pod")),
        "options": options,
        "resources": resources,
        "containers": _containers(chance, resources),
    }
    case = _with_cpus(chance, case) if chance.random() < 0.4 else case
    # kubelet goes through every combination of hints: those of memory are of all nodes.
    return _with_memory(chance, case) if chance.random() < 0.3 and len(numa) <= 4 else case


def _with_memory(chance: random.Random, case: Case) -> Case:
    """Give the machine memory that a static memory manager hands out; layouts are few."""
    numa = case["numa"]
    each = chance.choice((100, 100, 200)) * _MIB
    nodes = dict.fromkeys(numa, each)
    if chance.random() < 0.2:
        nodes[numa[-1]] = each // 2
    pages = dict.fromkeys(numa, 10) if chance.random() < 0.4 else {}
    types = {"memory": each, **({_HUGE: 10 * 2 * _MIB} if pages else {})}
    likely = (0.05, 0.2, 0.5, 0.8, 0.99, 1.2, 1.9)
    for container in case["containers"]:
        container.setdefault("cpu", "1")
        container["bytes"] = {
            name: int(of * chance.choices(likely, (6, 6, 4, 2, 1, 2, 1))[0]) // _PAGE * _PAGE
            for name, of in types.items()
            if name == "memory" or chance.random() < 0.5
        }
    held = [
        {
            "numa": sorted(chance.sample(numa, min(len(numa), chance.choice((1, 1, 2))))),
            "bytes": {"memory": int(each * chance.choice((0.1, 0.3, 0.6))) // _PAGE * _PAGE},
        }
        for _ in range(chance.choice((0, 0, 1, 2)))
    ]
    memory = {"nodes": nodes, "pages": pages, "reserved": {numa[0]: 10 * _MIB}, "held": held}
    return case | {"memory": memory}


def _with_cpus(chance: random.Random, case: Case) -> Case:
    """Give the machine CPUs that a static CPU manager hands out, and ask for some.

    Layouts are few: kubelet has a CPU manager for each.
    """
    each, threads = chance.choice(((2, 1), (4, 2), (4, 2), (8, 2), (8, 1)))
    numa = case["numa"]
    bearing = numa if chance.random() < 0.8 else numa[:2]  # the others have memory only
    bearing = bearing if len(numa) <= 4 else numa[:2]  # few hints: kubelet combines them all
    nodes = {n: list(range(i * each, (i + 1) * each)) for i, n in enumerate(bearing)}
    last = nodes[bearing[-1]][-1]
    reserved = sorted(set(chance.choice(([0], [0], [0, 1], [0, last]))))
    held = {
        n: min(chance.choice((0, 0, 1, each // 2, each)), len(set(mine) - set(reserved)))
        for n, mine in nodes.items()
    }
    options: dict[str, str] = chance.choice(
        ({}, {}, {}, {"distribute-cpus-across-numa": "true"}, {"strict-cpu-reservation": "true"})
    )
    if len(reserved) % threads == 0 and reserved[-1] < 2 and chance.random() < 0.3:
        options = {**options, "full-pcpus-only": "true"}  # whole cores are reserved
        held = {n: count // threads * threads for n, count in held.items()}
    most = each * len(bearing)
    for container in case["containers"]:
        likely = ("1", "2", str(each), str(each - 1), str(most // 2), str(most - 1), "1500m")
        container["cpu"] = chance.choices(likely, (6, 6, 3, 3, 3, 1, 4))[0]
        if chance.random() < 0.01:
            container["cpu"] = chance.choice(("0", str(most + 1)))
        container["bytes"] = {"memory": _MIB}
    cpus = {
        "nodes": nodes,
        "threads": threads,
        "reserved": reserved,
        "options": options,
        "held": {n: count for n, count in held.items() if count},
    }
    return case | {"cpus": cpus}


def _distances(chance: random.Random, count: int) -> list[list[int]]:
    rows = [
        [10 if a == b else chance.choice((12, 20, 20, 32)) for b in range(count)]
        for a in range(count)
    ]
    if chance.random() < 0.7:
        rows = [[rows[min(a, b)][max(a, b)] for b in range(count)] for a in range(count)]
    return rows


def _devices(
    chance: random.Random, name: str, numa: tuple[int, ...], breadth: int
) -> list[tuple[str, list[int], bool, bool]]:
    bearing = chance.sample(numa, chance.randint(1, min(breadth, len(numa))))
    held, ill = chance.choice((0, 0, 0.2, 0.5)), chance.choice((0, 0, 0, 0.15))
    bare = chance.choice((0, 0, 0, 0.2, 1))
    short = name.rpartition("/")[2]
    devices: list[tuple[str, list[int], bool, bool]] = []
    for index in range(chance.choice((1, 2, 4, 4, 8, 8, 8, 16, 16)) * (chance.random() > 0.01)):
        nodes = (
            [bearing[index % len(bearing)]] if chance.random() < 0.7 else [chance.choice(bearing)]
        )
        if chance.random() < 0.05:
            nodes = sorted({*nodes, chance.choice(bearing)})
        if chance.random() < 0.01:
            nodes = [chance.choice((6, 11))]  # perhaps a node that the machine does not have
        if chance.random() < bare:
            nodes = []
        is_held, is_ill = chance.random() < held, chance.random() < ill
        devices.append((f"{short}{index}", nodes, not is_ill, is_held))
    return devices


def _containers(chance: random.Random, resources: dict[str, Any]) -> list[Case]:
    kinds = [
        *chance.choices(("init", "sidecar"), k=chance.choice((0, 0, 1, 2))),
        *["app"] * chance.choice((1, 1, 1, 2, 3)),
    ]
    share = chance.choice((1, len(kinds)))
    return [
        {"name": f"{kind}{index}", "kind": kind, "wants": _wants(chance, resources, share)}
        for index, kind in enumerate(kinds)
    ]


def _wants(chance: random.Random, resources: dict[str, Any], share: int) -> dict[str, int]:
    wants = {
        name: _want(chance, len(devices) // share)
        for name, devices in resources.items()
        if chance.random() < 0.7
    }
    if chance.random() < 0.02:
        wants[_ABSENT] = 1
    return wants


def _want(chance: random.Random, most: int) -> int:
    likely = (0, 1, 2, most // 4, most // 2, most, most + 1)
    return chance.choices(likely, (1, 20, 8, 8, 12, 4, 1))[0]
