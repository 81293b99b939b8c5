"""What acts of a script mean for VFs: counts, GUIDs, link policies, binds, waits."""

import enum
import re
from collections.abc import Iterable, Iterator
from itertools import pairwise

import msgspec

from podwire.peers.shell.records import HOLE, Gap, Loop, Started, Wrote
from podwire.wire.node_setup.scripts import Done

_DEVICE = re.compile(
    r"/sys/(?:class/(?P<kind>infiniband|net)/(?P<name>[^/]*)/device"
    r"|bus/pci/devices/(?P<address>[^/]*))/+(?P<rest>.+)"
)
_OF_VF = re.compile(r"sriov/(?P<vf>[^/]*)/(?P<attribute>[\w-]+)\Z")
_REBINDS = ("/bind", "/unbind", "/drivers_probe", "/driver_override", "/new_id")
# Files of sriov/<n>/: MLNX_OFED and DOCA-OFED have these three, the kernel none.
OFED_GUIDS = frozenset({"node", "port"})
OFED_POLICY = "policy"
MEANT_GUIDS = frozenset({"node_guid", "port_guid", "node-guid", "port-guid", "guid"})
_STATES = frozenset({"auto", "enable", "disable"})
# Programs that set up nothing of a VF.
_HARMLESS = re.compile(
    r"udevadm|sleep|wait|modprobe|rmmod|ip|ls|cat|grep|awk|sed|tr|cut|head|tail|wc|sort|uniq|find"
    r"|basename|dirname|readlink|realpath|date|logger|systemd-cat|lspci|lsmod|modinfo|ibstat"
    r"|ibdev2netdev|ibv_devices|mkdir|touch|chmod|chown|rm|ln|test|\[|true|false|mlxconfig"
    r"|mstconfig|uname|hostname|systemctl|tee|expr|cd|pwd|ethtool|sysctl|dmesg|journalctl|mktemp"
    r"|stat|exit|kill|seq"
)


class What(enum.Enum):
    """What an item does."""

    COUNT = "a number of VFs"
    AUTOPROBE = "sriov_drivers_autoprobe"
    GUID = "a GUID"
    POLICY = "a link policy"
    BIND = "bind or unbind"
    SETTLE = "udevadm settle"
    WAIT = "a loop that waits"
    OTHER = "a program that nobody followed"


class Item(msgspec.Struct, frozen=True, gc=False):
    """One act as far as it is about VFs.

    `pf` is the PF as the script names it (`infiniband`, `mlx5_0`); a hole in it is no name.
    `attribute` is the file's name, or the word of `ip link`.
    """

    what: What
    done: Done
    pf: tuple[str, str] | None = None
    vf: str = ""
    attribute: str = ""
    value: str = ""

    @property
    def is_certain(self) -> bool:
        """Whether it happens on every machine."""
        act = self.done.act
        return isinstance(act, Wrote | Started) and act.is_certain

    @property
    def is_conditional(self) -> bool:
        """Whether it is written under a condition that only the machine can decide."""
        return isinstance(self.done.act, Wrote) and self.done.act.is_conditional


def items_of(done: Iterable[Done]) -> Iterator[Item]:
    """Give what is about VFs, in order, and what may be."""
    for each in done:
        act = each.act
        if isinstance(act, Wrote):
            yield from _written(act, each)
        elif isinstance(act, Started):
            yield from _started(act, each)
        elif isinstance(act, Loop):
            yield Item(what=What.WAIT, done=each, value=act.condition)
        else:
            yield Item(what=What.OTHER, done=each, value=_gap(act))


def _gap(act: Gap) -> str:
    return f"the construct {act.construct}"


def _written(act: Wrote, done: Done) -> Iterator[Item]:
    path, value = act.path, act.value.strip()
    if path.endswith(_REBINDS):
        yield Item(what=What.BIND, done=done, attribute=path.rpartition("/")[2], value=value)
        return
    match = _DEVICE.match(path)
    rest = path.rpartition("/")[2] if match is None else match["rest"]
    pf = None if match is None else _pf(match)
    if rest == "sriov_numvfs":
        yield Item(what=What.COUNT, done=done, pf=pf, attribute=rest, value=value)
    elif rest == "sriov_drivers_autoprobe":
        yield Item(what=What.AUTOPROBE, done=done, pf=pf, attribute=rest, value=value)
    elif found := _OF_VF.search(path):
        yield from _of_vf(found, pf, done, value)
    elif HOLE in rest:
        yield Item(what=What.OTHER, done=done, value=f"a write to {path.replace(HOLE, '...')}")


def _of_vf(
    found: re.Match[str], pf: tuple[str, str] | None, done: Done, value: str
) -> Iterator[Item]:
    name = found["attribute"]
    what = What.POLICY if name == OFED_POLICY else What.GUID
    if what is What.POLICY or name in OFED_GUIDS | MEANT_GUIDS:
        yield Item(what=what, done=done, pf=pf, vf=found["vf"], attribute=name, value=value)


def _pf(match: re.Match[str]) -> tuple[str, str]:
    if match["kind"] is None:
        return "pci", match["address"]
    return match["kind"], match["name"]


def _started(act: Started, done: Done) -> Iterator[Item]:
    program = act.argv[0].rpartition("/")[2] if act.argv else ""
    if program == "ip":
        yield from _ip_link(act.argv, done)
    elif program == "udevadm" and "settle" in act.argv:
        yield Item(what=What.SETTLE, done=done)
    elif program == "udevadm" and "wait" in act.argv:
        yield Item(what=What.WAIT, done=done, value=" ".join(act.argv))
    elif not _HARMLESS.fullmatch(program):
        yield Item(what=What.OTHER, done=done, value=f"the program {act.argv[0]}")


def _ip_link(argv: tuple[str, ...], done: Done) -> Iterator[Item]:
    """Read `ip link set [dev] PF vf N WORD VALUE ...`."""
    words = [word for word in argv[1:] if word != "dev"]
    if "vf" not in words or "set" not in words[: words.index("vf")]:
        return
    at = words.index("vf")
    pf, vf = ("net", words[at - 1]), words[at + 1] if at + 1 < len(words) else ""
    rest = words[at + 2 :]
    for word, value in pairwise(rest):
        if word in {"node_guid", "port_guid"}:
            yield Item(what=What.GUID, done=done, pf=pf, vf=vf, attribute=word, value=value)
        elif word == "state" and (value in _STATES or HOLE in value):
            yield Item(what=What.POLICY, done=done, pf=pf, vf=vf, attribute=word, value=value)
