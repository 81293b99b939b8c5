"""PFs and VFs as the fake kernel keeps them."""

from dataclasses import dataclass, field

from podwire.model.guids import Guid

ZERO = Guid(number=0)
CARD = Guid(number=0xA088C20300ABCD00)


@dataclass
class FakeVf:
    index: int
    address: str
    driver: str | None = None
    given: Guid = ZERO
    live: Guid = ZERO
    policy: str = "down"
    netdev: str = ""
    rdma: str = ""
    mtu: int = 2044
    netns: bool = False
    born: float = 0.0


@dataclass
class FakePf:
    address: str
    guid: Guid = CARD
    driver: str | None = "mlx5_core"
    is_ib: bool = True
    total: int = 16
    count: int = 0
    autoprobe: str | None = "1"
    netdev: str | None = "ibp24s0"
    has_ofed: bool = False
    has_ipoib: bool = True
    is_moved: bool = False
    link_mtu: int = 4096
    vfs: list[FakeVf] = field(default_factory=list)
    kept: dict[int, tuple[Guid, str]] = field(default_factory=dict)
