"""Which unit of a node starts before which, and which does not start without which.

Only what stands in unit files counts, and what systemd adds to every unit (systemd.unit(5),
bootup(7)). kubelet's own unit may not be in sight.
"""

from collections.abc import Mapping

import msgspec

from podwire.peers.systemd_unit.records import Line, Unit

KUBELETS = (
    "kubelet.service",
    "k3s.service",
    "k3s-agent.service",
    "rke2-server.service",
    "rke2-agent.service",
    "k0sworker.service",
    "snap.microk8s.daemon-kubelite.service",
)
_REQUIRING = ("Requires", "Requisite", "BindsTo")
# Before -> after, of targets that every machine has.
_TARGETS: Mapping[str, tuple[str, ...]] = {
    "local-fs.target": ("sysinit.target",),
    "sysinit.target": ("basic.target",),
    "network-pre.target": ("network.target",),
    "network.target": ("network-online.target",),
}
_ALL_TARGETS = frozenset(_TARGETS) | {name for names in _TARGETS.values() for name in names}
_DEFAULT = "basic.target"  # which services come after, unless they say otherwise
# What makes a unit wait for the cards' driver or devices.
_DRIVER_UNITS = (
    "openibd.service",
    "openibd",
    "mst.service",
    "systemd-udev-settle.service",
    "rdma-hw.target",
    "rdma-load-modules@infiniband.service",
    "rdma-load-modules@rdma.service",
    "systemd-modules-load.service",
    "network-online.target",  # What configures the network may wait for these cards.
)
_DEVICE = ".device"


class Order(msgspec.Struct, frozen=True):
    """The units of a node that were read, by name; drop-ins of a unit make one too.

    `following` has what starts right after each. `is_listed`: every unit of /etc is among
    them.
    """

    units: Mapping[str, Unit]
    following: Mapping[str, frozenset[str]]
    requires: Mapping[str, tuple[str, ...]] = {}
    is_listed: bool = False

    def is_before(self, first: str, second: str) -> bool:
        """Say whether the second waits for the first, by itself or through others."""
        return second in self.after(first)

    def reaches_target(self, first: str) -> bool:
        """Say whether anything may wait for it through a target of the boot."""
        return not _ALL_TARGETS.isdisjoint(self.after(first))

    def after(self, first: str) -> frozenset[str]:
        """Give the unit and all that wait for it, by themselves or through others."""
        seen: set[str] = set()
        ahead = [first]
        while ahead:
            name = ahead.pop()
            if name not in seen:
                seen.add(name)
                ahead.extend(self.following.get(name, ()))
        return frozenset(seen)

    def requiring(self, kubelet: str, wanted: str) -> Line | str | None:
        """Say what keeps kubelet from starting without a unit: a line, or a link's folder."""
        unit, own = self.units.get(wanted), self.units.get(kubelet)
        if own is not None:
            for key in _REQUIRING:
                if line := own.naming("Unit", key, wanted):
                    return line
        if unit is not None and (line := unit.naming("Install", "RequiredBy", kubelet)):
            return line
        folder = f"{kubelet}.requires"
        return f"/etc/systemd/system/{folder}" if wanted in self.requires.get(folder, ()) else None

    def waits_for_driver(self, unit: Unit) -> bool:
        """Say whether a unit comes after something that waits for the cards, or may.

        An instance of a template is started by whoever knows its device, udev for example.
        """
        seen: set[str] = set()
        ahead = [*unit.names("Unit", "After")]
        while ahead:
            name = ahead.pop()
            if name in _DRIVER_UNITS or name.endswith(_DEVICE):
                return True
            if name not in seen and (other := self.units.get(name)) is not None:
                ahead.extend(other.names("Unit", "After"))
            seen.add(name)
        return "@" in unit.name


def following(units: Mapping[str, Unit]) -> Mapping[str, frozenset[str]]:
    """Say for each unit and target what starts right after it."""
    found: dict[str, set[str]] = {name: set(after) for name, after in _TARGETS.items()}
    for unit in units.values():
        found.setdefault(unit.name, set()).update(unit.names("Unit", "Before"))
        for name in unit.names("Unit", "After"):
            found.setdefault(name, set()).add(unit.name)
        is_default = unit.is_on("Unit", "DefaultDependencies", default=True)
        if is_default and unit.name.endswith(".service"):
            found.setdefault(_DEFAULT, set()).add(unit.name)
    return {name: frozenset(after) for name, after in found.items()}
