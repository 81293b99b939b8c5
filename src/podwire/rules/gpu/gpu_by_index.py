"""A device plugin is given its GPUs by number.

What you see
    After a boot, a driver reload or a change of cards the node offers
    another GPU than before, perhaps the one that was to be kept.

Why
    nvidia-smi numbers GPUs in the order in which the driver finds them.
    Only the UUID and the PCI address belong to the card.

Fix
    Write the UUID, from nvidia-smi -L.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from podwire.findings.model import Evidence, Finding, Fix, Joint, Rule, Severity
from podwire.findings.patches import replace_value
from podwire.model.evidence import Known
from podwire.wire.picture import Picture

if TYPE_CHECKING:
    from podwire.wire.gpu.records import PluginOnNode
    from podwire.wire.gpu.registrants import Registrant


def check(plugin: "Registrant", picture: Picture) -> Iterator[Finding]:
    """Look for numbers in the plugin's own variable."""
    found = plugin.own_list
    if found is None or not found.numbers or plugin.template is None or picture.gpus is None:
        return
    here = [each for each in picture.gpus.plugins.on_nodes if each.plugin is plugin]
    nodes = ", ".join(each.node for each in here[:3])
    uuids = _uuids(here, found.devices, picture)
    path = (*plugin.template.path, *found.place.path[len(plugin.template.path) :], "value")
    yield Finding(
        severity=Severity.WARNING,
        message=f"{plugin.ref} is given GPUs by number ({found.text}), and a number may belong to "
        f"another card after the next boot{f' of {nodes}' if nodes else ''}",
        evidence=(Evidence(at=found.place, saw=f"NVIDIA_VISIBLE_DEVICES={found.text}"),),
        sees="one day the node offers another GPU than before, without a word",
        fix=(
            Fix(
                text=f"write the UUID: {uuids or 'nvidia-smi -L prints it'}",
                breaks="MIG devices get new UUIDs when they are made again",
                patch=replace_value(plugin.template.of.ref, path, uuids) if uuids else None,
            ),
        ),
        also=tuple(each.object.ref for each in here if each.object is not None),
    )


def _uuids(here: "list[PluginOnNode]", devices: tuple[str, ...], picture: Picture) -> str:
    """Translate the numbers, where the plugin is for one node whose cards are known."""
    cards = picture.gpus.plugins.cards(here[0].node) if picture.gpus and len(here) == 1 else None
    if not isinstance(cards, Known):
        return ""
    by_number = {str(card.index): str(card.uuid) for card in cards.value}
    uuids = [by_number.get(device, device) for device in devices]
    return "" if any(device.isdecimal() for device in uuids) else ",".join(uuids)


RULE = Rule(
    id="PW502",
    slug="gpu-by-index",
    title="Device plugin is given GPUs by number",
    since="0.1",
    joint=Joint.SEEN,
    refs=("nvidia-container-toolkit v1.20.2 internal/config/image/cuda_image.go",),
    over=lambda picture: picture.gpus.plugins.registrants if picture.gpus else (),
    check=check,
)
