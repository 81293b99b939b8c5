"""A pool has a name that the device plugin refuses, and the plugin ends because of it.

What you see
    The plugin's pod restarts again and again, and no node has any of its
    resources: not this pool's, not those of the pools whose names are fine.
    Its log says that a resource name contains invalid characters.

Why
    The plugin checks all names before it makes the first pool and ends at
    one that it does not accept: letters, digits and underscores, and since
    v3.6.0 hyphens. The prefix has a key of its own, so a name with a dot or
    a slash is refused too. The README forbids hyphens to this day; whether
    one is refused depends on the version alone.

Fix
    Rename the pool, and with it the resource in networks and pods; for a
    hyphen, a plugin of v3.6.0 or newer does as well.
"""

from collections.abc import Iterator

from podwire.findings.model import Evidence, Finding, Fix, Joint, Rule, Severity
from podwire.findings.starved import of_ended
from podwire.model.evidence import Known
from podwire.peers.sriovdp.config import accepts_hyphen_since
from podwire.peers.sriovdp.records import Effect, FaultKind
from podwire.wire.joined.plugins import Pool
from podwire.wire.picture import Picture
from podwire.wire.pools.config_text import short
from podwire.wire.pools.on_nodes import named, outlived, waiting
from podwire.wire.pools.plugin_state import all_of_it, faults_in, is_on_a_node, when, workload_of


def check(pool: Pool, picture: Picture) -> Iterator[Finding]:
    """Look for this pool among the names that its plugin refuses."""
    faults = [f for f in faults_in(pool, Effect.PLUGIN_ENDS) if f.kind is FaultKind.BAD_NAME]
    if not faults or is_on_a_node(named(pool), picture):
        return  # What a node has was accepted.
    certain = faults[0].certain.need()
    if not certain.value:
        return
    lasting = outlived(pool.plugin, picture)
    yield Finding(
        severity=Severity.WARNING if lasting else Severity.ERROR,
        message=f"{_refusal(pool)}: the whole plugin ends{when(lasting)} and "
        f"{all_of_it(pool.plugin, picture)}",
        evidence=(
            Evidence(at=pool.place("resourceName"), saw=pool.entry.resource_name or "no name"),
            *(Evidence(at=place, saw=_version(pool)) for place in certain.places[:1]),
            *((Evidence(at=lasting.place, saw=str(lasting.count)),) if lasting else ()),
        ),
        sees=f"the plugin's pods restart and log: {faults[0].says}, then Exiting.. one or more "
        "invalid configuration(s) given; no node has a resource of it, pods stay Pending",
        fix=tuple(_fixes(pool)),
        assumes=certain.assumes,
        also=(*workload_of(pool.plugin), *(p.ref for p in waiting(named(pool), picture))),
        explains=tuple(of_ended(pool.plugin, picture)),
    )


def _refusal(pool: Pool) -> str:
    name = short(pool.entry.resource_name)
    if not name:
        return f"entry {pool.entry.index} of resourceList has no resourceName"
    odd = _odd(pool.entry.resource_name)
    if odd:
        return f"pool name {name} has invalid characters ({odd}) for the device plugin"
    return (
        f"pool name {name} has a hyphen, which device plugin {_version(pool)} refuses "
        f"({accepts_hyphen_since()} and newer accept it)"
    )


def _odd(name: str) -> str:
    plain = {c for c in name if c.isascii() and (c.isalnum() or c in "_-")}
    return " ".join(map(repr, sorted(set(name) - plain)))


def _version(pool: Pool) -> str:
    version = pool.plugin.version
    return str(version.value) if isinstance(version, Known) else ""


def _fixes(pool: Pool) -> Iterator[Fix]:
    prefix, _, name = pool.entry.resource_name.rpartition("/")
    plain = "".join(c if c.isascii() and c.isalnum() else "_" for c in name)
    yield Fix(
        text=f"set resourceName to {plain or 'a name'}"
        + (f" and resourcePrefix to {prefix}" if prefix else "")
        + ", then restart the plugin's pods",
        breaks=f"networks and pods that name {named(pool)} have to follow" if name else "",
    )
    if name and not _odd(pool.entry.resource_name):
        yield Fix(text=f"run device plugin {accepts_hyphen_since()} or newer")


RULE = Rule(
    id="PW701",
    slug="pool-name-refused",
    title="Pool has a name that its device plugin refuses",
    since="0.1",
    joint=Joint.POOL,
    refs=(
        "sriov-network-device-plugin v3.11.0 pkg/utils/utils.go ValidResourceName",
        "sriov-network-device-plugin v3.11.0 cmd/sriovdp/manager.go validConfigs",
    ),
    over=lambda picture: picture.pools,
    check=check,
)
