"""What a VF has against what it shall have, and both in words."""

from collections.abc import Sequence

from podwire.model.evidence import Known, Unknown
from podwire.model.guids import Guid
from podwire.plan.machine import Vf
from podwire.plan.step import VfLink


def differs(vf: Vf, guid: Guid | None) -> bool:
    """Whether a GUID that was read is another one; what nobody could read is left alone.

    Both are always set together, so a zero beside the right one says that the port's table was
    not filled, and is no reason to take a VF away.
    """
    answers = [a.value for a in (vf.node_guid, vf.port_guid) if isinstance(a, Known)]
    seen = [value for value in answers if value is not None]
    if guid is None or not seen:
        return False
    given = [value for value in seen if value.is_set]
    return any(value != guid for value in given) if given else True


def policy_of(vf: Vf) -> str | None:
    """Give the policy that was read; None where it could not be."""
    return None if isinstance(vf.policy, Unknown) else vf.policy.value


def is_policy_wrong(vf: Vf, wanted: str | None) -> bool:
    """Whether it is another one than wanted; unread, its port's state has to speak for it.

    Without a wish `up` is as good as `follow`.
    """
    seen = policy_of(vf)
    if seen is None:
        return vf.is_down and wanted != "down"
    return seen != wanted if wanted is not None else seen == "down"


def shown_guids(vf: Vf) -> str:
    """Write the GUIDs that the running VF has."""
    seen = (a.value for a in (vf.node_guid, vf.port_guid) if isinstance(a, Known) and a.value)
    return " and ".join(dict.fromkeys(guid.octets for guid in seen)) or "unknown"


def link_words(link: VfLink) -> str:
    """Write what a message sets."""
    words = [f"vf {link.vf}"]
    if link.guid is not None:
        words.append(f"node and port GUID {link.guid.octets}")
    if link.policy is not None:
        words.append(f"state {link.policy}")
    return ", ".join(words)


def old_words(vf: Vf | None, link: VfLink) -> str | None:
    """Write what was there before a message, as far as it is known."""
    if vf is None:
        return None
    words = [shown_guids(vf)] if link.guid is not None else []
    seen = policy_of(vf)
    words += [seen] if link.policy is not None and seen else []
    return ", ".join(words) or None


def unread_words(vfs: Sequence[Vf]) -> str:
    """Say whose policy could not be read, and why."""
    first = vfs[0]
    reason = first.policy.reason if isinstance(first.policy, Unknown) else "it is not shown"
    return (
        f"link policy of {len(vfs)} VFs was not read ({reason}); their ports are left as they are"
    )


def policy_reason(vf: Vf) -> str:
    """Say why a policy is set."""
    seen = policy_of(vf)
    if seen is None:
        return "its port is down under a PF that is up, and its policy could not be read"
    return f"its policy is {seen}"
