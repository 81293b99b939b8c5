"""What is alike on several machines, and which machine differs in what: for a new rack."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence

from podwire.facts.comparison import Comparison, Difference, TwiceGuid
from podwire.facts.hardware import Shown, ShownPf
from podwire.model.guids import Guid

# What is compared of each PF, at one address on all machines.
_OF_PF: Mapping[str, Callable[[ShownPf], str | None]] = {
    "card": lambda pf: pf.card,
    "board": lambda pf: pf.board,
    "firmware": lambda pf: pf.firmware,
    "link layer": lambda pf: pf.link_layer,
    "link layer at next boot": lambda pf: pf.link_layer_next_boot,
    "VFs allowed": lambda pf: pf.total_vfs,
    "VFs": lambda pf: str(len(pf.vfs)),
    "rate": lambda pf: pf.rate,
    "PCIe link": lambda pf: pf.pcie,
    "NUMA node": lambda pf: pf.numa_node,
    "net device": lambda pf: pf.netdev,
    "RDMA device": lambda pf: pf.rdma,
    "nearest GPUs": lambda pf: ", ".join(map(str, pf.nearest_gpus)) or None,
}


def _models(shown: Shown) -> str | None:
    if not shown.gpus:
        return None
    models = Counter(gpu.model or "unknown" for gpu in shown.gpus)
    return ", ".join(f"{count} {model}" for model, count in sorted(models.items()))


_OF_MACHINE: Mapping[str, Callable[[Shown], str | None]] = {
    "PFs": lambda shown: ", ".join(pf.address for pf in shown.pfs) or "none",
    "GPUs": _models,
    "kernel": lambda shown: shown.kernel,
}


def compare(machines: Sequence[Shown]) -> Comparison:
    """Compare two machines or more, each against what most of them have."""
    differences: list[Difference] = []
    alike: list[str] = []
    unknown: list[str] = []
    for aspect, values in _aspects(machines):
        known = {key: value for key, value in values.items() if value is not None}
        found = tuple(_differences(aspect, known))
        differences += found
        if len(known) < len(values):
            unknown.append(aspect)
        elif not found:
            alike.append(aspect)
    return Comparison(
        machines=tuple(m.node for m in machines),
        alike=tuple(alike),
        differences=tuple(differences),
        twice=tuple(_twice(machines)),
        unknown=tuple(unknown),
    )


def _aspects(
    machines: Sequence[Shown],
) -> Iterator[tuple[str, Mapping[tuple[str, str], str | None]]]:
    """Give each aspect with its values by machine and PF; the PF is empty for the machine's."""
    for aspect, of in _OF_MACHINE.items():
        yield aspect, {(m.node, ""): of(m) for m in machines}
    for aspect, of_pf in _OF_PF.items():
        yield aspect, {(m.node, pf.address): of_pf(pf) for m in machines for pf in m.pfs}


def _differences(aspect: str, values: Mapping[tuple[str, str], str]) -> Iterator[Difference]:
    by_pf: dict[str, Counter[str]] = defaultdict(Counter)
    for (_, pf), value in values.items():
        by_pf[pf][value] += 1
    odd: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    for (machine, pf), value in values.items():
        usual = _usual(by_pf[pf])
        if value != usual:
            odd[machine, value, usual].append(pf)
    for (machine, value, usual), pfs in sorted(odd.items()):
        yield Difference(
            aspect=aspect,
            machine=machine,
            value=value,
            usual=usual,
            pfs=tuple(sorted(filter(None, pfs))),
        )


def _usual(values: Counter[str]) -> str:
    """Give the commonest value; of several the first in their order."""
    most = max(values.values())
    return min(value for value, count in values.items() if count == most)


def _twice(machines: Sequence[Shown]) -> Iterator[TwiceGuid]:
    found: dict[str, list[str]] = defaultdict(list)
    for machine in machines:
        for pf in machine.pfs:
            functions = [(pf.address, pf.guid), *((vf.address, vf.node_guid) for vf in pf.vfs)]
            for address, text in functions:
                guid = Guid.maybe(text or "")
                if guid is not None and guid.is_set:
                    found[guid.octets].append(f"{machine.node}/{address}")
    for octets, at in sorted(found.items()):
        if len(at) > 1:
            yield TwiceGuid(guid=octets, at=tuple(at))
