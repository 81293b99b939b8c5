"""A kernel with SR-IOV PFs that keeps the rules of facts about mlx5 and igb, and can be cut.

What it enforces: ERANGE above the total, EBUSY from one count to another, count 0 destroys all
VFs, ENODEV for a bind while autoprobe is 0, GUIDs that take effect at the probe only, numbers of
RDMA and net devices that go up with every probe, EOPNOTSUPP for GUIDs of an Ethernet PF, and
EMSGSIZE when 16 InfiniBand VFs are read (linux drivers/pci/iov.c, drivers/pci/pci-driver.c,
net/core/rtnetlink.c, drivers/infiniband/hw/mlx5/ib_virt.c).
"""

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import BinaryIO

from tests.fakes.cards import ZERO, FakePf, FakeVf
from tests.fakes.hostfs import Content
from tests.fakes.kernel_files import PCI, IndexedFs, Seen, tree_of

from podwire.model.evidence import Answer, Known, Unknown
from podwire.model.guids import Guid
from podwire.ports.hostfs import Entry, ReadFault
from podwire.ports.machine import Holding
from podwire.ports.writing import LockHeld, WriteFault


class Killed(BaseException):
    """The process is gone at this very write."""


class FakeKernel:
    """Files, writes, netlink, udev, locks and a clock of one machine."""

    def __init__(self, *pfs: FakePf, files: Mapping[str, Content] | None = None) -> None:
        self.pfs = {pf.address: pf for pf in pfs}
        self.own: dict[str, Content] = {
            "etc/machine-id": "3f2a91c0\n",
            "sys/class/dmi/id/product_uuid": "11-22\n",
            "proc/sys/kernel/random/boot_id": "boot-1\n",
            "proc/sys/kernel/osrelease": "6.12.0\n",
            "proc/modules": "mlx5_core 1 0 - Live 0x0\n",
            "sys/bus/pci/drivers/mlx5_core/unbind": "",
            "sys/bus/pci/drivers/igb/unbind": "",
            "sys/bus/pci/drivers/igbvf/unbind": "",
            "sys/bus/pci/drivers/vfio-pci/unbind": "",
            **(files or {}),
        }
        self.log: tuple[str, ...] = ()
        self.held: tuple[Holding, ...] = ()
        self.sees_all = True
        self.running: frozenset[str] = frozenset()
        self.done: list[str] = []
        self.locked: list[str] = []
        self.busy_locks: dict[str, str] = {}
        self.cut: tuple[int, bool] | None = None  # which change, and whether it takes place
        self.refuse: Callable[[str], str | None] = lambda _: None
        self.time = 0.0
        self.is_subnet_served = True
        self.stop_after: int | None = None
        self.names_after = 0.0
        self.has_vf_module = True  # False: udev loads it when it settles
        self.loads_vf_module = True
        self.added_again: list[str] = []
        self._changes = 0
        self._device = 0
        self._lock = threading.RLock()
        self._fs: IndexedFs | None = None
        self._empty: frozenset[str] = frozenset()

    # What tests do to it.

    def bound(self, pf: str, count: int, *, guids: Mapping[int, Guid] | None = None) -> None:
        """Make VFs as another program would have: bound at once."""
        card = self.pfs[pf]
        card.kept = {n: (guid, "follow") for n, guid in (guids or {}).items()}
        self._count(card, str(count))
        self._fs = None

    def reboot(self) -> None:
        """Lose what a kernel loses."""
        self.own["proc/sys/kernel/random/boot_id"] = "boot-2\n"
        for pf in self.pfs.values():
            pf.count, pf.vfs, pf.kept = 0, [], {}
            pf.autoprobe = None if pf.autoprobe is None else "1"
        self._fs = None

    def move_away(self, pf: str, vf: int) -> None:
        """Put a VF's net device into a pod's namespace."""
        self.pfs[pf].vfs[vf].netns = True
        self._fs = None

    def files(self) -> Mapping[str, Content]:
        """Give every file as it is now."""
        return self._files().files

    # HostFs.

    def entries(self, path: str = "") -> tuple[Entry, ...]:
        fs = self._files()
        return () if fs._follow(path) in self._empty else fs.entries(path)

    def is_dir(self, path: str = "") -> bool:
        fs = self._files()
        return fs.is_dir(path) or fs._follow(path) in self._empty

    def exists(self, path: str = "") -> bool:
        return self._files().exists(path)

    def readlink(self, path: str) -> str:
        return self._files().readlink(path)

    def size(self, path: str = "") -> int:
        return self._files().size(path)

    def open(self, path: str = "") -> BinaryIO:
        return self._files().open(path)

    def read(self, path: str = "", *, limit: int) -> bytes:
        return self._files().read(path, limit=limit)

    def troubles(self) -> tuple[ReadFault, ...]:
        return ()

    # HostWriter.

    def write(self, path: str, value: str, *, limit_s: float) -> None:
        del limit_s
        with self._change(f"{value} > {path}"):
            real = self._files()._follow(path)
            code = self.refuse(f"{value} > {path}") or self._attribute(real, value)
            if code:
                raise WriteFault(path, value, code=code)

    def replace(self, path: str, data: bytes) -> None:
        with self._change(f"replace {path}"):
            self.own[path] = data

    def remove(self, path: str) -> None:
        if path in self.own:
            with self._change(f"remove {path}"):
                self.own.pop(path)

    # VfLinks.

    def set_vf(
        self, netdev: str, *, vf: int, guid: Guid | None, policy: str | None, limit_s: float
    ) -> None:
        del limit_s
        said = f"link {netdev} vf {vf} {guid.octets if guid else '-'} {policy or '-'}"
        with self._change(said):
            pf = next((p for p in self.pfs.values() if p.netdev == netdev), None)
            code = self.refuse(said)
            if code is None and (pf is None or vf >= len(pf.vfs)):
                code = "ENODEV"
            if code is None and pf is not None and not pf.is_ib:
                code = "EOPNOTSUPP"
            if code is not None:
                raise WriteFault(netdev, said, code=code)
            assert pf is not None
            self._give(pf, vf, guid=guid, policy=policy)

    def policies(self, netdev: str) -> Answer[Mapping[int, str]]:
        pf = next(p for p in self.pfs.values() if p.netdev == netdev)
        if len(pf.vfs) >= 16:
            return Unknown(reason="the kernel answers EMSGSIZE")
        return Known(value={vf.index: vf.policy for vf in pf.vfs})

    # Udev, Clock, Processes, KernelLog, Locks.

    def settle(self, *, limit_s: float) -> bool:
        del limit_s
        self.has_vf_module = self.has_vf_module or self.loads_vf_module
        return True

    def add_again(self, device: str) -> None:
        self.added_again.append(device)

    def monotonic(self) -> float:
        return self.time

    def wait(self, seconds: float) -> None:
        self.time += seconds
        self._fs = None

    def holdings(self) -> tuple[Holding, ...]:
        return self.held

    def are_all_seen(self) -> bool:
        return self.sees_all

    def pods(self) -> frozenset[str]:
        return self.running

    def lines(self) -> tuple[str, ...]:
        return self.log

    @contextmanager
    def hold(self, path: str, *, limit_s: float) -> Iterator[None]:
        del limit_s
        if path in self.busy_locks:
            raise LockHeld(path, self.busy_locks[path])
        self.locked.append(path)
        yield

    def is_stopped(self) -> bool:
        return self.stop_after is not None and self._changes >= self.stop_after

    # The rules.

    @contextmanager
    def _change(self, what: str) -> Iterator[None]:
        with self._lock:
            number, self._changes = self._changes, self._changes + 1
            if self.cut == (number, False):
                raise Killed
            self._fs = None
            yield
            self._fs = None
            self.done.append(what)
            if self.cut == (number, True):
                raise Killed

    def _attribute(self, path: str, value: str) -> str | None:
        if path == "sys/bus/pci/drivers_probe":
            return self._probe(value)
        if path.endswith("/unbind"):
            return self._unbind(value)
        address, *rest = path.removeprefix(PCI + "/").split("/")
        if rest[-1] == "mtu":
            return self._mtu(address, int(value))
        pf = self.pfs.get(address)
        return "ENOENT" if pf is None else self._of_pf(pf, rest, value)

    def _of_pf(self, pf: FakePf, rest: list[str], value: str) -> str | None:
        if rest[0] == "sriov_numvfs":
            return self._count(pf, value)
        if rest[0] == "sriov_drivers_autoprobe" and pf.autoprobe is not None:
            pf.autoprobe = value
            return None
        if rest[0] == "sriov" and pf.has_ofed:
            return self._ofed(pf, int(rest[1]), rest[2], value)
        return "ENOENT"

    def _count(self, pf: FakePf, value: str) -> str | None:
        count = int(value)
        if pf.driver is None:
            return "ENOENT"
        if count > pf.total:
            return "ERANGE"
        if count == pf.count:
            return None
        if count and pf.count:
            return "EBUSY"
        pf.count = count
        bus = pf.address.rpartition(":")[0]
        pf.vfs = [FakeVf(n, f"{bus}:{(n + 1) // 8:02x}.{(n + 1) % 8}") for n in range(count)]
        for vf in pf.vfs:
            vf.given, vf.policy = pf.kept.get(vf.index, (ZERO, "down"))
            if pf.autoprobe != "0":
                self._bind(pf, vf)
        return None

    def _find(self, address: str) -> tuple[FakePf, FakeVf] | None:
        found = ((pf, vf) for pf in self.pfs.values() for vf in pf.vfs if vf.address == address)
        return next(found, None)

    def _probe(self, address: str) -> str | None:
        found = self._find(address)
        if found is None:
            return "ENODEV"
        pf, vf = found
        if vf.driver is not None:
            return None
        if pf.autoprobe == "0":
            return "ENODEV"
        if not self.has_vf_module:
            return None  # drivers_probe says nothing of a VF that no driver wants.
        self._bind(pf, vf)
        return None

    def _bind(self, pf: FakePf, vf: FakeVf) -> None:
        vf.driver, vf.live = ("mlx5_core" if pf.is_ib else "igbvf"), vf.given
        self._device += 1
        vf.netdev, vf.rdma = f"ib{self._device}", f"mlx5_{self._device}"
        vf.mtu, vf.netns = 2044 if pf.is_ib else 1500, False
        vf.born = self.time + self.names_after

    def _unbind(self, address: str) -> str | None:
        found = self._find(address)
        if found is None or found[1].driver is None:
            return "ENODEV"
        found[1].driver = None
        return None

    def _mtu(self, address: str, value: int) -> str | None:
        found = self._find(address)
        if found is None:
            return "ENODEV"
        if found[0].is_ib and value > found[0].link_mtu - 4:
            return "EINVAL"
        found[1].mtu = value
        return None

    def _ofed(self, pf: FakePf, n: int, name: str, value: str) -> str | None:
        if n >= len(pf.vfs):
            return "ENOENT"
        if name == "policy":
            self._give(pf, n, guid=None, policy=value.lower())
        else:
            self._give(pf, n, guid=Guid.parse(value), policy=None)
        return None

    def _give(self, pf: FakePf, n: int, *, guid: Guid | None, policy: str | None) -> None:
        vf = pf.vfs[n]
        vf.given, vf.policy = guid or vf.given, policy or vf.policy
        pf.kept[n] = (vf.given, vf.policy)

    def _files(self) -> IndexedFs:
        with self._lock:
            if self._fs is None:
                seen = Seen(now=self.time, is_served=self.is_subnet_served)
                self._fs, self._empty = tree_of(self.pfs.values(), self.own, seen=seen)
            return self._fs
