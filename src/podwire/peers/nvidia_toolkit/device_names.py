"""Which GPUs CDI devices are, by their names.

nvidia-ctk and the device plugin name devices by index (`0`, `0:1`), type and index (`gpu0`,
`mig0:1`), UUID, and `all`. Source: pkg/nvcdi/namer.go of nvidia-container-toolkit v1.20.2.
"""

import re
from collections.abc import Iterator
from typing import Final

from podwire.facts.node import Card
from podwire.model.addresses import GpuUuid
from podwire.model.evidence import Answer, Known, Unknown
from podwire.peers.cdi.records import Resolution
from podwire.peers.nvidia_toolkit.cards import every_uuid, whole_or_parts

_INDEX: Final = re.compile(r"(?:gpu|mig)?(\d+)(?::(\d+))?")


def gpus_of(
    resolution: Resolution, cards: Answer[tuple[Card, ...] | None]
) -> Answer[tuple[GpuUuid, ...]]:
    """List the GPUs; Unknown where a name says nothing, or the node's GPUs were not read."""
    if isinstance(cards, Unknown):
        return cards
    given: dict[GpuUuid, None] = {}
    for device in resolution.devices:
        found = tuple(_named(device.device, cards.value or ()))
        if not found and device.device != "none":
            return Unknown(
                reason=f"which GPU {device.name} is does not follow from its name",
                give="nvidia-smi -L",
            )
        given |= dict.fromkeys(found)
    return Known(value=tuple(given))


def _named(name: str, cards: tuple[Card, ...]) -> Iterator[GpuUuid]:
    if name == "all":
        for card in cards:
            yield from whole_or_parts(card)
        return
    yield from (uuid for uuid in every_uuid(cards) if uuid.text == name)
    index = _INDEX.fullmatch(name)
    if index is None:
        return
    for card in cards:
        if card.index == int(index[1]):
            part = index[2]
            yield from (
                (card.uuid,) if part is None else (m.uuid for m in card.migs[int(part) :][:1])
            )
