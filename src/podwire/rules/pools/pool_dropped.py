"""The device plugin drops a pool because it cannot read its selectors.

What you see
    The plugin runs and its other pools are there. No node has this one, and
    nothing but a warning in the plugin's log says so.

Why
    The selectors of an entry are an object or a list of objects, and the
    keys that choose functions take lists of strings, also for one value.
    Where something else stands, the plugin leaves the entry out and goes on
    with the others; where none is left it ends.

Fix
    Write the value in the form that the key takes, then restart the
    plugin's pods.
"""

from collections.abc import Iterator

from podwire.findings.model import Evidence, Finding, Fix, Joint, Rule, Severity
from podwire.findings.starved import of_lost
from podwire.peers.sriovdp.keys import FLAG_KEYS, LIST_KEYS
from podwire.peers.sriovdp.records import ConfigFault, Effect, FaultKind
from podwire.wire.joined.plugins import Pool
from podwire.wire.picture import Picture
from podwire.wire.pools.config_text import written_at
from podwire.wire.pools.on_nodes import named
from podwire.wire.pools.plugin_state import faults_in, faults_of, is_on_a_node, workload_of


def check(pool: Pool, picture: Picture) -> Iterator[Finding]:
    """Look for selectors that cost this pool."""
    faults = faults_in(pool, Effect.POOL_DROPPED)
    if not faults:
        return
    resource = named(pool)
    is_lasting = pool.plugin.is_applied and is_on_a_node(resource, picture)
    fatal = {f.kind for f in faults_of(pool.plugin, Effect.PLUGIN_ENDS)}
    yield Finding(
        severity=Severity.WARNING if is_lasting else Severity.ERROR,
        message=f"the device plugin drops pool {resource}"
        + (" at its next start" if is_lasting else "")
        + f": {_says(faults[0], pool)}"
        + ("" if fatal else "; it goes on with the others")
        + ("; no entry is left, and it ends" if FaultKind.NOTHING_LEFT in fatal else ""),
        evidence=tuple(
            Evidence(at=pool.text.place_at(f.path), saw=_value(f, pool)) for f in faults[:3]
        ),
        sees=f"no node has {resource}, pods that request it stay Pending; the plugin only logs: "
        f"{faults[0].says}",
        fix=(Fix(text=f"write {_form(faults[0])}, then restart the plugin's pods"),),
        also=tuple(workload_of(pool.plugin)),
        explains=tuple(of_lost(resource, picture)),
    )


def _key(fault: ConfigFault) -> str:
    keys = {key.casefold(): key for key in (*LIST_KEYS, *FLAG_KEYS, "vdpaType")}
    return keys.get(str(fault.path[-1]).casefold(), "selectors")


def _value(fault: ConfigFault, pool: Pool) -> str:
    return written_at(pool.text.text, fault.path) or "nothing"


def _says(fault: ConfigFault, pool: Pool) -> str:
    return f"{_key(fault)} is {_value(fault, pool)}, not {_form(fault)}"


def _form(fault: ConfigFault) -> str:
    key = _key(fault)
    if key in LIST_KEYS:
        return 'a list of strings such as ["..."]'
    if key in FLAG_KEYS:
        return "true or false, without quotes"
    return "a string" if key == "vdpaType" else "an object, or a list of objects that has any"


RULE = Rule(
    id="PW703",
    slug="pool-dropped",
    title="Device plugin drops a pool whose selectors it cannot read",
    since="0.1",
    joint=Joint.POOL,
    refs=(
        "sriov-network-device-plugin v3.11.0 cmd/sriovdp/manager.go readConfig",
        "sriov-network-device-plugin v3.11.0 pkg/factory/factory.go parseObjectOrSlice",
    ),
    over=lambda picture: picture.pools,
    check=check,
)
