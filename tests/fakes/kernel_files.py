"""The fake kernel's sysfs: what its cards look like as files."""

from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec
from tests.fakes.cards import FakePf, FakeVf
from tests.fakes.hostfs import Content, Fails, FakeHostFs, Link

from podwire.model.guids import Guid
from podwire.ports.hostfs import Entry, ReadFault, Trouble

PCI = "sys/bus/pci/devices"


class Seen(msgspec.Struct, frozen=True):
    """The moment, and whether a subnet manager brings VFs' ports up."""

    now: float = 0.0
    is_served: bool = True


class IndexedFs(FakeHostFs):
    """The same tree, with its folders known: a machine has thousands of files."""

    def __init__(self, files: Mapping[str, Content]) -> None:
        super().__init__(files)
        self._names: dict[str, set[str]] = {"": set()}
        for path in files:
            folder, name = path, ""
            while folder:
                folder, _, name = folder.rpartition("/")
                names = self._names.setdefault(folder, set())
                if name in names:
                    break
                names.add(name)

    def entries(self, path: str = "") -> tuple[Entry, ...]:
        folder = self._follow(path)
        if folder not in self._names:
            raise ReadFault(path, Trouble.ABSENT)
        below = f"{folder}/" if folder else ""
        return tuple(
            Entry(
                name=name,
                kind=self._kind(below + name),
                is_link=isinstance(self.files.get(below + name), Link),
            )
            for name in sorted(self._names[folder])
        )

    def _is_folder(self, path: str) -> bool:
        return path in self._names


def tree_of(
    pfs: Iterable[FakePf], own: Mapping[str, Content], *, seen: Seen
) -> tuple[IndexedFs, frozenset[str]]:
    """Give all files, and the folders that are there and empty."""
    files = dict(own)
    empty: set[str] = set()
    for pf in pfs:
        files |= _pf_files(pf, empty, seen)
    files["sys/bus/pci/drivers_probe"] = ""
    return IndexedFs(files), frozenset(empty)


def lay_out(files: Mapping[str, Content], folder: Path) -> Path:
    """Write a fake's files into a real folder, as a copy of a machine."""
    for path, content in files.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, Link):
            place.symlink_to(content.target)
        else:
            assert not isinstance(content, Fails)
            place.write_bytes(content.encode() if isinstance(content, str) else content)
    return folder


def _pf_files(pf: FakePf, empty: set[str], seen: "Seen") -> dict[str, Content]:
    folder = f"{PCI}/{pf.address}"
    files: dict[str, Content] = {
        "class": "0x020700\n" if pf.is_ib else "0x020000\n",
        "vendor": "0x15b3\n" if pf.is_ib else "0x8086\n",
        "device": "0x1021\n" if pf.is_ib else "0x10c9\n",
        "config": "",
        "sriov_totalvfs": f"{pf.total}\n",
        "sriov_numvfs": f"{pf.count}\n",
    }
    if pf.autoprobe is not None:
        files["sriov_drivers_autoprobe"] = f"{pf.autoprobe}\n"
    if pf.driver:
        files["driver"] = Link(f"/sys/bus/pci/drivers/{pf.driver}")
        files |= _rdma(f"mlx5_{pf.address[5:7]}", pf.guid) if pf.is_ib else {}
        if pf.is_moved:
            empty.add(f"{folder}/net")
        elif pf.netdev and pf.has_ipoib:
            files |= _net(pf.netdev, pf.guid, is_ib=pf.is_ib, mtu=4092)
    if pf.has_ofed:
        empty.add(f"{folder}/sriov")
        files |= _ofed_files(pf)
    for vf in pf.vfs:
        files[f"virtfn{vf.index}"] = Link(f"../{vf.address}")
    found = {f"{folder}/{name}": content for name, content in files.items()}
    for vf in pf.vfs:
        found |= _vf_files(pf, vf, empty, seen)
    return found


def _ofed_files(pf: FakePf) -> dict[str, Content]:
    files: dict[str, Content] = {}
    for vf in pf.vfs:
        files[f"sriov/{vf.index}/node"] = vf.given.octets + "\n"
        files[f"sriov/{vf.index}/port"] = vf.given.octets + "\n"
        files[f"sriov/{vf.index}/policy"] = vf.policy.title() + "\n"
    return files


def _vf_files(pf: FakePf, vf: FakeVf, empty: set[str], seen: "Seen") -> dict[str, Content]:
    folder = f"{PCI}/{vf.address}"
    files: dict[str, Content] = {
        "class": "0x020700\n" if pf.is_ib else "0x020000\n",
        "vendor": "0x15b3\n",
        "device": "0x101e\n",
        "config": "",
        "physfn": Link(f"../{pf.address}"),
    }
    if vf.driver == "vfio-pci":
        files["driver"] = Link("/sys/bus/pci/drivers/vfio-pci")
    elif vf.driver:
        files["driver"] = Link(f"/sys/bus/pci/drivers/{vf.driver}")
        files |= (
            _rdma(vf.rdma, vf.live, is_up=seen.is_served and vf.policy != "down")
            if pf.is_ib
            else {}
        )
        if vf.netns:
            empty.add(f"{folder}/net")
        elif seen.now >= vf.born:
            files |= _net(vf.netdev, vf.live, is_ib=pf.is_ib, mtu=vf.mtu)
    return {f"{folder}/{name}": content for name, content in files.items()}


def _rdma(name: str, guid: Guid, *, is_up: bool = True) -> dict[str, Content]:
    folder = f"infiniband/{name}"
    state = "4: ACTIVE" if guid.is_set and is_up else "1: DOWN"
    return {
        f"{folder}/node_guid": f"{guid}\n",
        f"{folder}/ports/1/state": f"{state}\n",
        f"{folder}/ports/1/link_layer": "InfiniBand\n",
        f"{folder}/ports/1/gids/0": f"fe80:0000:0000:0000:{guid}\n",
    }


def _net(name: str, guid: Guid, *, is_ib: bool, mtu: int) -> dict[str, Content]:
    folder = f"net/{name}"
    address = f"00:00:00:67:fe:80:00:00:00:00:00:00:{guid.octets}"
    return {
        f"{folder}/type": "32\n" if is_ib else "1\n",
        f"{folder}/mtu": f"{mtu}\n",
        f"{folder}/address": f"{address if is_ib else '52:54:00:00:00:01'}\n",
    }
