"""GUIDs and link states of VFs over rtnetlink, with pyroute2.

pyroute2 takes 0.15 to 0.35 s to import, so it is imported where a message is due: Ethernet PFs
never need it, nor does a machine with OFED's files.
"""

import errno
import os
import socket
from collections.abc import Mapping
from typing import Any

from podwire.adapters.errnos import code_of
from podwire.adapters.within import StillRunning, within
from podwire.model.evidence import Answer, Known, Unknown
from podwire.model.guids import Guid
from podwire.ports.writing import TIMED_OUT, WriteFault

# include/uapi/linux/if_link.h IFLA_VF_LINK_STATE_*
_STATES = {"follow": 0, "up": 1, "down": 2}
_RTEXT_FILTER_VF = 1


class Rtnetlink:
    """The PF's net device in podwire's own network namespace."""

    def set_vf(
        self, netdev: str, *, vf: int, guid: Guid | None, policy: str | None, limit_s: float
    ) -> None:
        """Send one RTM_SETLINK and wait for the kernel's answer."""
        spec = vf_spec(vf, guid=guid, policy=policy)
        words = [f"GUID {guid.octets}"] if guid else []
        said = f"VF {vf}: " + ", ".join([*words, f"state {policy}"] if policy else words)
        try:
            index = _index(netdev)
            within(limit_s, lambda: _set(index, spec))
        except StillRunning:
            raise WriteFault(netdev, said, code=TIMED_OUT, detail=f"after {limit_s:g} s") from None
        except OSError as error:
            number, text = error.errno or 0, error.strerror or str(error)
            raise WriteFault(netdev, said, code=code_of(number), detail=text) from None

    def policies(self, netdev: str) -> Answer[Mapping[int, str]]:
        """Ask for all VFs of one device; EMSGSIZE where they do not fit into one message.

        Kernels before 6.15 and its backports (23f00807619d) answer so from 16 InfiniBand VFs.
        """
        from pyroute2 import IPRoute  # noqa: PLC0415 - see above
        from pyroute2.netlink.exceptions import NetlinkError  # noqa: PLC0415 - as above

        try:
            index = _index(netdev)
            with IPRoute() as route:
                links = route.link("get", index=index, ext_mask=_RTEXT_FILTER_VF)
        except NetlinkError as error:
            code = code_of(error.code)
            return Unknown(
                reason=f"the kernel answers {code} when asked for the VFs of {netdev}",
                give="a kernel with 23f00807619d (6.15), or OFED's policy files",
                fact="link policies of VFs",
            )
        except OSError as error:
            return Unknown(reason=f"{netdev}: {error.strerror}", fact="link policies of VFs")
        return Known(value=policies_in(links[0]))


def vf_spec(vf: int, *, guid: Guid | None, policy: str | None) -> dict[str, Any]:
    """Say it as pyroute2's link requests want it."""
    spec: dict[str, Any] = {"vf": vf}
    if guid is not None:
        spec |= {"ib_node_guid": guid.octets, "ib_port_guid": guid.octets}
    if policy is not None:
        spec["link_state"] = _STATES[policy]
    return spec


def policies_in(link: Any) -> dict[int, str]:  # noqa: ANN401 - pyroute2 has no types
    """Read link states out of an answer."""
    words = {number: word for word, number in _STATES.items()}
    found = {}
    for _, info in (link.get_attr("IFLA_VFINFO_LIST") or {"attrs": ()})["attrs"]:
        state = info.get_attr("IFLA_VF_LINK_STATE")
        if state is not None and state["link_state"] in words:
            found[state["vf"]] = words[state["link_state"]]
    return found


def _index(netdev: str) -> int:
    try:
        return socket.if_nametoindex(netdev)
    except OSError as error:  # Python gives it no number.
        raise OSError(errno.ENODEV, str(error)) from None


def _set(index: int, spec: Mapping[str, Any]) -> None:
    from pyroute2 import IPRoute  # noqa: PLC0415 - see above
    from pyroute2.netlink.exceptions import NetlinkError  # noqa: PLC0415 - as above
    from pyroute2.netlink.rtnl import RTM_SETLINK  # noqa: PLC0415 - as above

    try:
        with IPRoute() as route:
            # By itself it would send RTM_NEWLINK, which looks the link up by more than its index.
            route.link("set", command_map={"set": (RTM_SETLINK, "req")}, index=index, vf={**spec})
    except NetlinkError as error:
        raise OSError(error.code, os.strerror(error.code)) from None
