"""Small sysfs trees for the device plugin's model, written as the kernel shows them."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from podwire.facts.node import PCI, Function
from podwire.facts.sysfs_tree import functions_of
from podwire.model.addresses import PciAddress
from podwire.model.evidence import Answer, Document, Known, Origin, Unknown
from podwire.model.versions import Version
from podwire.peers.sriovdp.config import read_config
from podwire.peers.sriovdp.fates import Filled, PoolFill
from podwire.peers.sriovdp.fill import fill
from podwire.peers.sriovdp.records import Config

NO_VERSION = Unknown(reason="the plugin's version is not in sight", give="kubectl get pods")
NODE = Document(name="nodes/n1/sysfs.txt", origin=Origin.NODE, owner="n1")


def version(text: str | None) -> Answer[Version]:
    return NO_VERSION if text is None else Known(value=Version.parse(text))


class Tree:
    """Collects PFs, VFs and single attributes."""

    def __init__(self, *, is_whole: bool = False) -> None:
        self.values: dict[str, str] = {}
        self.links: dict[str, str] = {}
        self.is_whole = is_whole

    def function(
        self,
        address: str,
        *,
        device: str,
        driver: str | None = "mlx5_core",
        net: str | None = None,
        rdma: str | None = None,
        link: str = "32",
    ) -> "Tree":
        self.put(address, vendor="0x15b3", device=f"0x{device}")
        self.values[f"{PCI}/{address}/class"] = "0x020700"
        if driver:
            self.links[f"{PCI}/{address}/driver"] = driver
        if net:
            self.values[f"{PCI}/{address}/net/{net}/type"] = link
        if rdma:
            self.values[f"{PCI}/{address}/infiniband/{rdma}/node_guid"] = "0000:0000:0000:0001"
        return self

    def pf(
        self,
        bus: str = "18",
        *,
        name: str | None = "ibp24s0",
        vfs: int = 4,
        device: str = "1021",
        link: str = "32",
        held: Sequence[int] = (),
        driver: str | None = "mlx5_core",
    ) -> "Tree":
        """Add a PF `0000:BUS:00.0` and its VFs `0000:BUS:00.1...`; of `held` the net device is
        in a pod."""
        pf = f"0000:{bus}:00.0"
        self.function(pf, device=device, net=name, rdma=f"mlx5_{bus}", link=link)
        self.put(pf, sriov_totalvfs="8", sriov_numvfs=str(vfs))
        for i in range(vfs):
            vf = f"0000:{bus}:00.{i + 1}"
            self.links[f"{PCI}/{pf}/virtfn{i}"] = vf
            self.links[f"{PCI}/{vf}/physfn"] = pf
            self.function(
                vf,
                device="101e",
                driver=driver,
                net=f"ib{bus}v{i}" if i not in held else None,
                rdma=f"mlx5_{bus}_{i}",
                link=link,
            )
        return self

    def put(self, address: str, **attributes: str) -> "Tree":
        for name, value in attributes.items():
            self.values[f"{PCI}/{address}/{name}"] = value
        return self

    def drop(self, address: str, *names: str) -> "Tree":
        """Leave attributes, links or folders out: not collected, or not there."""
        for held in (self.values, self.links):
            for path in list(held):
                if any(
                    path == f"{PCI}/{address}/{n}" or path.startswith(f"{PCI}/{address}/{n}/")
                    for n in names
                ):
                    del held[path]
        return self

    @property
    def functions(self) -> tuple[Function, ...]:
        return functions_of(self.values, links=self.links, document=NODE, is_whole=self.is_whole)


def entry(name: str, *selectors: Mapping[str, Any], **more: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON is anything
    return {"resourceName": name, "selectors": list(selectors), **more}


def text_of(*entries: Mapping[str, Any]) -> str:
    return json.dumps({"resourceList": entries})


def config_of(*entries: Mapping[str, Any], of: str | None = "v3.11.0") -> Config:
    return read_config(text_of(*entries), default_prefix="example.com", version=version(of))


def filled(
    tree: Tree,
    *entries: Mapping[str, Any],
    of: str | None = "v3.11.0",
    away: Sequence[str] = (),
    default_routes: Sequence[str] = (),
    mode: str | None = None,
) -> Filled:
    more = {} if mode is None else {"rdma_mode": Known(value=mode)}
    return fill(
        config_of(*entries, of=of),
        functions=tree.functions,
        default_routes=frozenset(default_routes),
        away=frozenset(map(PciAddress.parse, away)),
        version=version(of),
        **more,
    )


def members(pool: PoolFill) -> list[str]:
    """Members of a pool that is known, as text."""
    assert isinstance(pool.members, Known), pool.members
    return [str(address) for address in pool.members.value]


def taken_by(selector: Mapping[str, Any], tree: Tree, *, of: str | None = "v3.11.0") -> list[str]:
    """Members of the only pool, whose only selector this is."""
    return members(filled(tree, entry("p", selector), of=of).pools[0])
