"""Which file applies to a device, and which name that gives.

Source: systemd v252 src/shared/net-condition.c net_match_config, src/udev/net/link-config.c
link_get_config and link_generate_new_name.
"""

from collections.abc import Iterator, Sequence

import msgspec

from podwire.model.evidence import Answer, Known, Unknown, all_of
from podwire.peers.systemd_link.globs import matches
from podwire.peers.systemd_link.names import refusal_of
from podwire.peers.systemd_link.records import (
    OF_THE_MACHINE,
    Condition,
    LinkDevice,
    LinkFile,
)

_PROPERTY_OF = {
    "database": "ID_NET_NAME_FROM_DATABASE",
    "onboard": "ID_NET_NAME_ONBOARD",
    "slot": "ID_NET_NAME_SLOT",
    "path": "ID_NET_NAME_PATH",
    "mac": "ID_NET_NAME_MAC",
}


class Named(msgspec.Struct, frozen=True, gc=False):
    """What udev makes of a device: `name` is None where it leaves the one it has.

    `by` is the policy that decided, `Name`, or empty where nothing gave a name.
    """

    name: str | None
    by: str = ""


def sorted_links(links: Sequence[LinkFile]) -> tuple[LinkFile, ...]:
    """Put files into the order in which udev asks them, whatever folder they lie in."""
    return tuple(sorted(links, key=lambda link: link.name.encode()))


def holds(condition: Condition, device: LinkDevice) -> Answer[bool]:
    """Say whether one [Match] key fits a device."""
    if condition.key in OF_THE_MACHINE:
        return _unknown(f"whether {condition.key}={condition.patterns[0]} is true", device)
    if condition.key == "Property":
        return all_of(_property(pattern, device) for pattern in condition.patterns)
    if condition.key == "OriginalName" and condition.patterns == ("*",):
        return Known(value=True)  # Every net device has a name.
    if condition.key not in device.facts:
        return _unknown(f"{condition.key}", device)
    value = device.facts[condition.key]
    if condition.key.endswith("MACAddress"):
        wanted = {_address(pattern) for pattern in condition.patterns}
        return Known(value=value is not None and _address(value) in wanted)
    return _patterns(condition.patterns, value, device)


def fits(link: LinkFile, device: LinkDevice) -> Answer[bool]:
    """Say whether every key of [Match] fits."""
    if not link.has_match:
        return Known(value=False)
    return all_of(holds(condition, device) for condition in link.conditions)


def applied(links: Sequence[LinkFile], device: LinkDevice) -> Answer[LinkFile | None]:
    """Give the first file that fits; Unknown where an earlier one may."""
    for link in sorted_links(links):
        answer = fits(link, device)
        if isinstance(answer, Unknown):
            return answer
        if answer.value:
            return Known(value=link)
    return Known(value=None)


def named(link: LinkFile, device: LinkDevice) -> Answer[Named]:
    """Say which name a device gets from the file that applies; `net.ifnames=0` is not set."""
    for policy in link.policies or ():
        found = _by_policy(policy, device)
        if isinstance(found, Unknown) or found.value is not None:
            return found if isinstance(found, Unknown) else _given(found.value)
    if link.given_name is not None:
        return Known(value=Named(name=link.given_name.value, by="Name"))
    return Known(value=Named(name=None))


def _given(found: Named | None) -> Known[Named]:
    return Known(value=found or Named(name=None))


def _by_policy(policy: str, device: LinkDevice) -> Answer[Named | None]:
    """Ask one policy: a name, or to leave the device alone; None: the next one's turn."""
    if policy in {"keep", "kernel"}:
        if device.naming is None:
            return _unknown("how it came by its name (name_assign_type)", device)
        is_kept = (
            device.naming.is_of_users if policy == "keep" else device.naming.name == "PREDICTABLE"
        )
        return Known(value=Named(name=None, by=policy) if is_kept else None)
    key = _PROPERTY_OF[policy]
    if key not in device.properties:
        return _unknown(f"the udev property {key}", device)
    name = device.properties[key]
    is_usable = bool(name) and refusal_of(name or "") is None
    return Known(value=Named(name=name, by=policy) if is_usable else None)


def _patterns(patterns: Sequence[str], value: str | None, device: LinkDevice) -> Answer[bool]:
    """Apply a list: one that fits decides, behind `!` against it; only negated ones: true."""
    is_any_positive = False
    does_fit = False
    for pattern in patterns:
        is_negated = pattern.startswith("!")
        is_any_positive |= not is_negated
        found = False if value is None else matches(pattern.removeprefix("!"), value)
        if found is None:
            return _unknown(f"whether {value} fits {pattern}", device)
        if found and is_negated:
            return Known(value=False)
        does_fit |= found
    return Known(value=does_fit or not is_any_positive)


def _property(pattern: str, device: LinkDevice) -> Answer[bool]:
    is_negated = pattern.startswith("!")
    key, _, wanted = pattern.removeprefix("!").partition("=")
    if (key, wanted) in _NEVER:
        return Known(value=is_negated)
    if key not in device.properties:
        return _unknown(f"the udev property {key}", device)
    value = device.properties[key]
    found = False if value is None else matches(wanted, value)
    if found is None:
        return _unknown(f"whether {value} fits {wanted}", device)
    return Known(value=found is not is_negated)


# What the kernel says in DEVTYPE of net devices (SET_NETDEV_DEVTYPE in linux v6.1): bond,
# bridge, dsa, gadget, geneve, hsr, ppp, vlan, vxlan, wlan, wwan and the like, nothing of VFs.
_NEVER = frozenset({("DEVTYPE", "vf"), ("DEVTYPE", "pf"), ("DEVTYPE", "sriov")})


_NO_SIGNS = str.maketrans("", "", ":-.")


def never_true(condition: Condition) -> Iterator[str]:
    """Give the patterns of [Match] that no device of any machine satisfies."""
    if condition.key == "Property":
        for pattern in condition.patterns:
            key, _, wanted = pattern.partition("=")
            if (key, wanted) in _NEVER:
                yield pattern


def _address(text: str) -> str:
    """Spell a hardware address in one way: `02:00:00:00:00:01`, with dashes, `0200.0000.0001`."""
    return text.lower().translate(_NO_SIGNS)


def _unknown(what: str, device: LinkDevice) -> Unknown:
    return Unknown(
        reason=f"{what} of {device.name} is not known",
        give=f"udevadm info /sys/class/net/{device.name}",
        fact=f"{what} of a net device",
    )
