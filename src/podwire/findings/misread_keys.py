"""The words for keys that a device plugin ignores, and for what that does."""

from podwire.peers.sriovdp.records import Level
from podwire.wire.pools.config_text import short
from podwire.wire.pools.misread import Change, Misread, MisreadPool


def the_key(key: Misread) -> str:
    """Name an ignored key, and what it was meant as."""
    name = short(key.key)
    if key.is_moved and key.meant.casefold() == key.key.casefold():
        return f"the key {name} where it stands (it belongs {where(key)})"
    if key.meant:
        return f"the unknown key {name} (the key is {key.meant}, {where(key)})"
    if key.other_types:
        return f"the key {name}, which is for {', '.join(key.other_types)} only"
    return f"the unknown key {name}"


def where(key: Misread) -> str:
    """Say where the known key belongs."""
    return "in selectors" if key.level is Level.SELECTOR else "beside selectors"


def effect(misread: MisreadPool) -> str:
    """Say what ignoring the keys does, as the end of a sentence; empty where nothing shows."""
    if misread.other_name is not None:
        return f", so the pool is not called {misread.other_name}"
    if misread.effects:
        return f", so it {_on_node(misread.effects[0])}"
    if any(key.meant == "isRdma" for key in misread.keys):
        return ", so containers get no RDMA device with a function"
    if any(key.narrows for key in misread.keys) and not misread.changes:
        return ": nothing chooses functions by it"
    return ""


def _on_node(change: Change) -> str:
    count = f"takes {change.now} functions instead of {change.then} on {change.node}"
    few = ", ".join(map(str, change.starved[:2]))
    more = f" and {len(change.starved) - 2} more" if len(change.starved) > 2 else ""
    get = "get" if len(change.starved) > 1 else "gets"
    return count + (f", and {few}{more} {get} none there" if change.starved else "")
