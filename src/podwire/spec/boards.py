"""Boards whose compute cards lie at known addresses: `fabric.pfs.board`."""

from collections.abc import Mapping

# Compute HCAs by bus (NVIDIA DGX H100 User Guide, table 6; the same in DGX BasePOD).
_DGX_H100 = tuple(f"0000:{bus}:00.0" for bus in ("18", "40", "4f", "5e", "9a", "c0", "ce", "dc"))
BOARDS: Mapping[str, tuple[str, ...]] = {"dgx-h100": _DGX_H100, "dgx-h200": _DGX_H100}
