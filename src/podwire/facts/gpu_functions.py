"""GPUs of NVIDIA as PCI functions in sysfs, with their NUMA nodes.

Source: linux include/linux/pci_ids.h (PCI_BASE_CLASS_DISPLAY 03, PCI_VENDOR_ID_NVIDIA 10de).
"""

import re
from collections.abc import Mapping

from podwire.facts.node import NO_GPUS, PCI, GpuFunction
from podwire.model.evidence import Answer, Document, Known, Place, Unknown

_DISPLAY = "0x03"
_NVIDIA = "0x10de"
_NODE = re.compile(r"-1|[0-9]{1,3}")  # -1: of no node
GPU_FILES = ("vendor", "numa_node")


def is_display(pci_class: str) -> bool:
    """Say whether a PCI class is that of a display controller, 3D ones included."""
    return pci_class.strip().startswith(_DISPLAY)


def gpus_of(
    values: Mapping[str, str], *, document: Document, is_whole: bool
) -> Answer[tuple[GpuFunction, ...]]:
    """Gather them; one whose vendor or NUMA node is not known makes all of them unknown."""
    found = []
    for path in sorted(values):
        if not (path.startswith(f"{PCI}/") and path.endswith("/class")):
            continue
        if not is_display(values[path]):
            continue
        folder = path.removesuffix("/class")
        if any(f"{folder}/{name}" not in values for name in GPU_FILES):
            return NO_GPUS
        if values[f"{folder}/vendor"].strip() != _NVIDIA:
            continue
        text = values[f"{folder}/numa_node"].strip()
        if not _NODE.fullmatch(text):
            return Unknown(
                reason=f"{text[:20]!r} in /{folder}/numa_node of {document.owner} is no NUMA node",
                fact=NO_GPUS.fact,
            )
        numa_node = None if text == "-1" else int(text)
        found.append(GpuFunction(address=folder.rpartition("/")[2], numa_node=numa_node))
    if not found and not is_whole:
        return NO_GPUS
    return Known(value=tuple(found), places=(Place(document=document),))
