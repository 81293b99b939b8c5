"""Which unit of a node starts before which, and which does not start without which.

Only what stands in unit files counts, and what systemd adds to every unit (systemd.unit(5),
bootup(7)). kubelet's own unit may not be in sight.
"""

from collections.abc import Iterator, Mapping

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
)
_DEVICE = ".device"


class Order(msgspec.Struct, frozen=True):
    """The units of a node that were read, by name; drop-ins of a unit make one too.

    `is_listed`: every unit of /etc is among them.
    """

    units: Mapping[str, Unit]
    requires: Mapping[str, tuple[str, ...]] = {}
    is_listed: bool = False

    def is_before(self, first: str, second: str) -> bool:
        """Say whether the second waits for the first, by itself or through others."""
        seen: set[str] = set()
        ahead = [first]
        while ahead:
            name = ahead.pop()
            if name == second:
                return True
            if name not in seen:
                seen.add(name)
                ahead.extend(self._following(name))
        return False

    def reaches_target(self, first: str) -> bool:
        """Say whether anything may wait for it through a target of the boot."""
        return any(
            self.is_before(first, target)
            for each in _TARGETS.items()
            for target in (each[0], *each[1])
        )

    def _following(self, name: str) -> Iterator[str]:
        yield from _TARGETS.get(name, ())
        if (unit := self.units.get(name)) is not None:
            yield from unit.names("Unit", "Before")
        for other in self.units.values():
            if name in other.names("Unit", "After"):
                yield other.name
            is_default = other.is_on("Unit", "DefaultDependencies", default=True)
            if name == _DEFAULT and is_default and other.name.endswith(".service"):
                yield other.name

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


def waits_for_driver(unit: Unit) -> bool:
    """Say whether a unit comes after something that waits for the cards."""
    return any(
        name in _DRIVER_UNITS or name.endswith(_DEVICE) for name in unit.names("Unit", "After")
    )
