"""Firmware versions of cards that are alike."""

from collections import defaultdict

import msgspec

from podwire.model.evidence import Known
from podwire.model.names import Ref
from podwire.wire.fabric.pfs import Pf, pfs
from podwire.wire.picture import Picture


class Board(msgspec.Struct, frozen=True):
    """One kind of card by its board id (`MT_0000000838`), with the PFs by firmware."""

    id: str
    versions: dict[str, tuple[Pf, ...]]

    @property
    def ref(self) -> Ref:
        """The PF that stands for those with the rarest firmware."""
        return self.odd[1][0].ref

    @property
    def usual(self) -> str:
        """The version that most of them have; of several the newest."""
        return max(self.versions, key=lambda v: (len(self.versions[v]), _order(v)))

    @property
    def odd(self) -> tuple[str, tuple[Pf, ...]]:
        """The version that fewest have, with its PFs; of several the oldest."""
        version = min(self.versions, key=lambda v: (len(self.versions[v]), _order(v)))
        return version, self.versions[version]


def _order(version: str) -> tuple[int, ...]:
    """Order versions by their numbers: `28.43.1014`."""
    return tuple(int(part) for part in version.split(".") if part.isdecimal())


def boards(picture: Picture) -> tuple[Board, ...]:
    """Group the PFs whose board and firmware were read."""
    found: dict[str, dict[str, list[Pf]]] = defaultdict(lambda: defaultdict(list))
    for pf in pfs(picture):
        firmware = pf.firmware
        board = _board(pf)
        if board and isinstance(firmware, Known) and firmware.value:
            found[board][firmware.value.strip()].append(pf)
    return tuple(
        Board(id=board, versions={v: tuple(found[board][v]) for v in sorted(found[board])})
        for board in sorted(found)
    )


def _board(pf: Pf) -> str:
    devices = pf.function.rdma
    return devices[0].attributes.values.get("board_id", "").strip() if devices else ""
