"""The GPUs of this machine, out of /proc and sysfs: no library and no tool is needed.

Source: the driver's files as an H200 with driver 580.159.04 shows them.
"""

from collections.abc import Container, Iterator

from podwire.facts.hardware import ShownGpu
from podwire.facts.node import PCI
from podwire.model.addresses import PciAddress
from podwire.node.reading import names_in, text_of, word_of
from podwire.ports.hostfs import HostFs

_GPUS = "proc/driver/nvidia/gpus"


def gpus_of(files: HostFs, *, reserved: Container[str] | None = None) -> tuple[ShownGpu, ...]:
    """List them in the order of their PCI addresses, which is how the driver counts.

    Args:
        files: the machine's root.
        reserved: UUIDs that the spec keeps for the host; None: there is no spec.
    """
    return tuple(
        _gpu(index, address, files, reserved=reserved)
        for index, address in enumerate(sorted(filter(PciAddress.is_one, names_in(files, _GPUS))))
    )


def _gpu(index: int, address: str, files: HostFs, *, reserved: Container[str] | None) -> ShownGpu:
    values = dict(_values(text_of(files, f"{_GPUS}/{address}/information") or ""))
    uuid = values.get("GPU UUID", "")
    return ShownGpu(
        index=index,
        uuid=uuid,
        address=address,
        minor=values.get("Device Minor"),
        model=values.get("Model"),
        numa_node=word_of(files, f"{PCI}/{address}/numa_node") or None,
        is_reserved=None if reserved is None else uuid in reserved,
    )


def _values(text: str) -> Iterator[tuple[str, str]]:
    for line in text.splitlines():
        name, colon, value = line.partition(":")
        if colon:
            yield name.strip(), value.strip()
