"""What a node's GPUs are to the toolkit: a GPU that is split stands for its MIG devices."""

from collections.abc import Iterable

from podwire.facts.node import Card
from podwire.model.addresses import GpuUuid


def whole_or_parts(card: Card) -> tuple[GpuUuid, ...]:
    """Give what `all` means of one GPU."""
    return tuple(mig.uuid for mig in card.migs) or (card.uuid,)


def every_uuid(cards: Iterable[Card]) -> tuple[GpuUuid, ...]:
    """List GPUs, each with its MIG devices behind it."""
    return tuple(uuid for card in cards for uuid in (card.uuid, *(mig.uuid for mig in card.migs)))
