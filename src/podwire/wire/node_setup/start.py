"""When a unit that makes VFs starts: before kubelet, after the driver, and what if it fails."""

import msgspec

from podwire.model.evidence import Answer, Known, Place, Unknown
from podwire.peers.shell.records import Started
from podwire.peers.systemd_unit.records import Line
from podwire.wire.node_setup.items import What
from podwire.wire.node_setup.order import KUBELETS
from podwire.wire.node_setup.setups import FOLDER, Setup

_GATES = ("sriov", "podwire", "infiniband")


class Start(msgspec.Struct, frozen=True):
    """How a unit stands to kubelet's. `after` is the unit's own line of that name."""

    kubelet: str
    is_ordered: Answer[bool]
    is_held: Answer[bool]
    waits_for_driver: bool
    before: Line | None
    after: Line | None
    install: Line | None

    def place(self, setup: Setup) -> Place:
        """Give the line that decides: the order, else what installs the unit, else the file."""
        line = self.before or self.install or self.after
        return Place(document=setup.unit.document) if line is None else line.place


def start_of(setup: Setup) -> Start:
    """Read the order of the two units."""
    unit, order = setup.unit, setup.order
    kubelet = _kubelet(setup)
    ordered = order.is_before(unit.name, kubelet)
    is_sure = ordered or kubelet in order.units or not order.reaches_target(unit.name)
    held = (
        unit.name == kubelet
        or order.requiring(kubelet, unit.name) is not None
        or _is_gated(setup, kubelet)
    )
    after = unit.listed("Unit", "After")
    installs = unit.listed("Install", "WantedBy")
    return Start(
        kubelet=kubelet,
        is_ordered=Known(value=ordered, assumes=() if ordered else _unseen(setup, kubelet))
        if is_sure
        else _not_in_sight(setup, kubelet),
        is_held=Known(value=held, assumes=() if held else _unseen(setup, kubelet)),
        waits_for_driver=order.waits_for_driver(unit) or _waits(setup),
        before=unit.naming("Unit", "Before", kubelet),
        after=after[0] if after else None,
        install=installs[0] if installs else None,
    )


def _kubelet(setup: Setup) -> str:
    """Find out what runs kubelet here; kubelet.service where nothing tells."""
    unit, order = setup.unit, setup.order
    named = (*unit.names("Unit", "Before"), *unit.names("Install", "RequiredBy"))
    candidates = [name for name in KUBELETS if name in named or name in order.units]
    return candidates[0] if candidates else KUBELETS[0]


def _is_gated(setup: Setup, kubelet: str) -> bool:
    """Whether kubelet's own unit looks at VFs before it starts."""
    own = setup.order.units.get(kubelet)
    lines = () if own is None else own.listed("Service", "ExecStartPre")
    return any(word in line.value for line in lines for word in _GATES)


def _waits(setup: Setup) -> bool:
    """Whether the script itself waits for devices, or loads the driver."""
    if setup.of(What.WAIT):
        return True
    for each in setup.commands:
        for done in each.meant:
            act = done.act
            if isinstance(act, Started) and act.argv[0].rpartition("/")[2] == "modprobe":
                return True
    first = next((i for i in setup.items if i.what in {What.COUNT, What.SETTLE}), None)
    return first is not None and first.what is What.SETTLE


def _unseen(setup: Setup, kubelet: str) -> tuple[str, ...]:
    if setup.order.is_listed:
        return ()
    return (f"no unit or drop-in of {kubelet} beyond those given names {setup.name}",)


def _not_in_sight(setup: Setup, kubelet: str) -> Unknown:
    return Unknown(
        reason=f"whether {kubelet} on {setup.node} waits for {setup.name}: its unit was not read",
        give=f"nodes/{setup.node}/usr/lib/{FOLDER}/{kubelet} and its .d folder in a bundle",
        fact="kubelet's unit",
    )
