"""PCI device ids of Mellanox and NVIDIA network cards, vendor 15b3, lower-case hex.

Sources: linux drivers/net/ethernet/mellanox/mlx5/core/main.c mlx5_core_pci_table for the ids;
sriov-network-operator v1.6.0 supported-nic-ids ConfigMap and pci.ids for which VF belongs to
which PF. From ConnectX-6 Dx on the VFs share one id, 101e, which says nothing about the card's
generation: ask the PF. Where no source names the VF, it is left out.
"""

from collections.abc import Mapping
from typing import Final

from podwire.facts.node import Function

MELLANOX: Final = "15b3"
SHARED_VF: Final = "101e"

_CARDS: Final[tuple[tuple[str, str, str | None], ...]] = (
    ("Connect-IB", "1011", "1012"),
    ("ConnectX-4", "1013", "1014"),
    ("ConnectX-4 Lx", "1015", "1016"),
    ("ConnectX-5", "1017", "1018"),
    ("ConnectX-5 Ex", "1019", "101a"),
    ("ConnectX-6", "101b", "101c"),
    ("ConnectX-6 Dx", "101d", SHARED_VF),
    ("ConnectX-6 Lx", "101f", SHARED_VF),
    ("ConnectX-7", "1021", SHARED_VF),
    ("ConnectX-8", "1023", SHARED_VF),
    ("ConnectX-9", "1025", SHARED_VF),
    ("ConnectX-10", "1027", None),
    ("BlueField", "a2d2", "a2d3"),
    ("BlueField-2", "a2d6", SHARED_VF),
    ("BlueField-3", "a2dc", SHARED_VF),
    ("BlueField-3 Lx", "a2d9", None),
    ("BlueField-4", "a2df", None),
)

_VF_OF: Final[Mapping[str, str]] = {pf: vf for _, pf, vf in _CARDS if vf is not None}
_NAMES: Final[Mapping[str, str]] = {
    **{vf: f"{name} VF" for name, _, vf in _CARDS if vf not in {None, SHARED_VF}},
    **{pf: name for name, pf, _ in _CARDS},
    SHARED_VF: "mlx5 Gen VF",
}

PF_IDS: Final[tuple[str, ...]] = tuple(pf for _, pf, _ in _CARDS)
VF_IDS: Final[tuple[str, ...]] = tuple(sorted(set(_VF_OF.values())))


def card_name(device_id: str) -> str | None:
    """Name the card of a PF or VF id: `ConnectX-7`, `ConnectX-6 VF`, `mlx5 Gen VF`."""
    return _NAMES.get(device_id)


def vf_id_of(pf_id: str) -> str | None:
    """Give the id that the VFs of a PF have; None for a VF's id, an unknown or unverified one."""
    return _VF_OF.get(pf_id)


def can_have_vfs(function: Function) -> bool:
    """Tell whether a function could have VFs: it says so, or its card is known for it."""
    if function.is_vf:
        return False
    total = function.attributes.values.get("sriov_totalvfs", "").strip()
    return total not in {"", "0"} or function.device_id in PF_IDS
