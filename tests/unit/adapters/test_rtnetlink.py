"""What is sent for a VF's GUID, compared with the kernel's structures, and real answers."""

import ctypes
import shutil
import subprocess
import sys

import pytest
from pyroute2.iproute.linux import get_arguments_processor
from pyroute2.netlink.rtnl.ifinfmsg import ifinfmsg

from podwire.adapters.rtnetlink import Rtnetlink, policies_in, vf_spec
from podwire.model.evidence import Known, Unknown
from podwire.model.guids import Guid
from podwire.ports.writing import WriteFault

GUID = Guid.parse("e2:a0:88:c2:05:ab:cd:ee")
# include/uapi/linux/if_link.h
VFINFO_LIST, VF_INFO, LINK_STATE, NODE_GUID, PORT_GUID = 22, 1, 5, 10, 11


class IflaVfGuid(ctypes.Structure):
    """struct ifla_vf_guid { __u32 vf; __u64 guid; }, with C's padding."""

    _fields_ = (("vf", ctypes.c_uint32), ("guid", ctypes.c_uint64))


class IflaVfLinkState(ctypes.Structure):
    """struct ifla_vf_link_state { __u32 vf; __u32 link_state; }."""

    _fields_ = (("vf", ctypes.c_uint32), ("link_state", ctypes.c_uint32))


def message(index: int, spec: dict[str, object]) -> bytes:
    """Encode what pyroute2's `link("set", ...)` sends (netlink/nlsocket.py NetlinkRequest)."""
    request = get_arguments_processor("link", "set", {"index": index, "vf": spec})
    found = ifinfmsg()
    found["index"] = request.get_value("index", default=0, mode="field")
    found["attrs"] = [
        (ifinfmsg.name2nla(key), value)
        for key, value in request.items()
        if found.valid_nla(ifinfmsg.name2nla(key))
    ]
    found.encode()
    return bytes(found.data)


def attributes(data: bytes) -> list[tuple[int, bytes]]:
    """Walk through netlink attributes: length, type, payload, padded to four."""
    found = []
    while data:
        length, kind = int.from_bytes(data[:2], "little"), int.from_bytes(data[2:4], "little")
        found.append((kind, data[4:length]))
        data = data[(length + 3) & ~3 :]
    return found


def sent(**more: object) -> list[tuple[int, bytes]]:
    """Give the attributes of the one VF in a message, after its headers."""
    data = message(7, vf_spec(5, **more))  # type: ignore[arg-type]  # of vf_spec
    assert int.from_bytes(data[20:24], "little") == 7  # nlmsghdr 16, ifi_index at 4 of ifinfomsg
    ((outer, nested),) = attributes(data[32:])
    ((inner, payload),) = attributes(nested)
    assert (outer, inner) == (VFINFO_LIST, VF_INFO)
    return attributes(payload)


@pytest.mark.parametrize("kind", [NODE_GUID, PORT_GUID])
def test_a_guid_begins_with_the_kernels_own_bytes(kind: int) -> None:
    payload = dict(sent(guid=GUID, policy=None))[kind]
    wanted = bytes(IflaVfGuid(vf=5, guid=GUID.number))
    assert payload[: len(wanted)] == wanted
    # pyroute2 sends 20 octets more; the kernel's policy asks for at least the structure.
    assert not any(payload[len(wanted) :])


@pytest.mark.parametrize(("policy", "state"), [("follow", 0), ("up", 1), ("down", 2)])
def test_a_link_state_is_the_kernels_own_bytes(policy: str, state: int) -> None:
    assert sent(guid=None, policy=policy) == [
        (LINK_STATE, bytes(IflaVfLinkState(vf=5, link_state=state)))
    ]


def test_one_message_holds_both_guids_and_the_state() -> None:
    assert {kind for kind, _ in sent(guid=GUID, policy="follow")} == {
        NODE_GUID,
        PORT_GUID,
        LINK_STATE,
    }


def test_policies_are_read_out_of_an_answer() -> None:
    specs = [vf_spec(n, guid=GUID, policy=policy) for n, policy in enumerate(("follow", "down"))]
    found = ifinfmsg(message(7, specs))  # type: ignore[arg-type]  # one or more
    found.decode()
    assert policies_in(found) == {0: "follow", 1: "down"}


def test_a_device_without_vfs_has_no_policies() -> None:
    found = ifinfmsg()
    assert policies_in(found) == {}


ASK = """
from podwire.adapters.rtnetlink import Rtnetlink
from podwire.model.guids import Guid
from podwire.ports.writing import WriteFault
links = Rtnetlink()
for netdev in ("lo", "absent0"):
    try:
        links.set_vf(netdev, vf=0, guid=Guid(number=0xE2), policy="follow", limit_s=10)
    except WriteFault as fault:
        print(netdev, fault.code)
print(links.policies("lo").value)
"""


def test_the_real_kernel_takes_the_message_and_refuses_it_for_a_device_without_vfs() -> None:
    unshare = shutil.which("unshare")
    if unshare is None:
        pytest.skip("unshare (util-linux) is not installed")
    done = subprocess.run(  # noqa: S603 - our own program
        [unshare, "--user", "--map-root-user", "--net", sys.executable, "-c", ASK],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    if "unshare failed" in done.stderr:
        pytest.skip(f"no namespace can be made here: {done.stderr.strip()}")
    assert done.stdout == "lo EOPNOTSUPP\nabsent0 ENODEV\n{}\n", done.stderr


def test_a_device_that_is_not_there_is_no_device() -> None:
    with pytest.raises(WriteFault, match=r"VF 0: state up to absent0: ENODEV"):
        Rtnetlink().set_vf("absent0", vf=0, guid=None, policy="up", limit_s=5)


def test_policies_of_a_device_that_is_not_there_are_unknown() -> None:
    assert isinstance(Rtnetlink().policies("absent0"), Unknown)


def test_the_loopback_device_has_no_policies() -> None:
    assert Rtnetlink().policies("lo") == Known(value={})
