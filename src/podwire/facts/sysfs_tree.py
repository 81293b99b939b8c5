"""A sysfs tree, however it was collected, into the functions of one machine."""

from collections import defaultdict
from collections.abc import Iterable, Mapping

from podwire.facts.node import PCI, Attributes, Function, NetDevice, RdmaDevice
from podwire.model.addresses import PciAddress
from podwire.model.evidence import Document

_CHAR_CLASSES = ("infiniband_verbs", "infiniband_mad")


def functions_of(
    values: Mapping[str, str], *, links: Mapping[str, str], document: Document, is_whole: bool
) -> tuple[Function, ...]:
    """Gather the PCI functions of class 02, sorted by address.

    Args:
        values: content by path, `sys/bus/pci/devices/0000:18:00.0/vendor`.
        links: the last component of a link's target, by path.
        document: where the tree was read; its owner is the node.
        is_whole: a file that is not in `values` does not exist.
    """
    below: dict[str, dict[str, str]] = defaultdict(dict)
    linked: dict[str, dict[str, str]] = defaultdict(dict)
    for source, target in ((values, below), (links, linked)):
        for path, value in source.items():
            if path.startswith(PCI + "/"):
                address, _, name = path[len(PCI) + 1 :].partition("/")
                if name:
                    target[address][name] = value
    chars = _char_nodes(values)
    found = []
    for address in sorted({*below, *linked}):
        if not PciAddress.is_one(address):
            continue
        if not below[address].get("class", "0x02").startswith("0x02"):
            continue
        attributes = Attributes(
            document=document,
            folder=f"{PCI}/{address}",
            values=below[address],
            is_whole=is_whole,
        )
        found.append(
            _function(
                PciAddress(text=address), attributes=attributes, links=linked[address], chars=chars
            )
        )
    return tuple(found)


def _function(
    address: PciAddress,
    *,
    attributes: Attributes,
    links: Mapping[str, str],
    chars: Mapping[str, tuple[str, ...]],
) -> Function:
    names = {*attributes.values, *links}
    virtfns = (
        (int(name[6:]), PciAddress(text=target))
        for name, target in links.items()
        if name.startswith("virtfn") and name[6:].isdecimal() and PciAddress.is_one(target)
    )
    physfn = links.get("physfn", "")
    return Function(
        node=attributes.document.owner,
        address=address,
        attributes=attributes,
        driver=links.get("driver"),
        physfn=PciAddress(text=physfn) if PciAddress.is_one(physfn) else None,
        virtfns=tuple(sorted(virtfns)),
        netdevs=tuple(
            NetDevice(name=name, attributes=_within(attributes, f"net/{name}"))
            for name in _children(names, "net")
        ),
        rdma=tuple(
            RdmaDevice(
                name=name,
                attributes=_within(attributes, f"infiniband/{name}"),
                char_nodes=chars.get(name, ()),
            )
            for name in _children(names, "infiniband")
        ),
    )


def _children(names: Iterable[str], folder: str) -> list[str]:
    return sorted(
        {parts[1] for name in names if (parts := name.split("/"))[0] == folder and len(parts) > 1}
    )


def _within(attributes: Attributes, folder: str) -> Attributes:
    return Attributes(
        document=attributes.document,
        folder=f"{attributes.folder}/{folder}",
        values={
            name[len(folder) + 1 :]: value
            for name, value in attributes.values.items()
            if name.startswith(folder + "/")
        },
        is_whole=attributes.is_whole,
    )


def _char_nodes(values: Mapping[str, str]) -> Mapping[str, tuple[str, ...]]:
    """Find uverbs, umad and issm nodes by the RDMA device that their `ibdev` names."""
    found: dict[str, list[str]] = defaultdict(list)
    for path, value in values.items():
        parts = path.split("/")
        if len(parts) == 5 and parts[2] in _CHAR_CLASSES and parts[4] == "ibdev":
            found[value].append(parts[3])
    return {name: tuple(sorted(nodes)) for name, nodes in found.items()}
