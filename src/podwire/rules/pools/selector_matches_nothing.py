"""A selector asks for a value that no function can have, whatever the node.

What you see
    The pool is empty, or lacks a part, on every node. A known-good
    configuration looks the same at a glance.

Why
    The plugin compares texts as a whole. There are no wildcards; ids are
    four lower-case hex digits, of the function itself, so a VF's and not
    its PF's; a driver is the one that the PCI function is bound to, and
    mlx5_ib, which the plugin's README shows, never is; addresses are
    written in full; after # stand indexes and rising ranges. Of several
    items for one PF only the first counts. A pool of whole ports, by the
    PF's id alone, is right where its networks take PFs, as host-device does.

Fix
    Write the value as sysfs has it. Where a part is lost to a second item,
    put its indexes into the first.
"""

from collections.abc import Iterator

from podwire.findings.model import Evidence, Finding, Fix, Joint, Rule, Severity, Symptom
from podwire.findings.starved import starving
from podwire.model.names import ResourceName
from podwire.peers.sriovdp.never import Flaw, Flawed, flaws_of, is_dead
from podwire.wire.joined.plugins import Pool
from podwire.wire.networks.nads import needs_vfs
from podwire.wire.picture import Picture
from podwire.wire.pools.config_text import short
from podwire.wire.pools.on_nodes import named, waiting
from podwire.wire.pools.plugin_state import is_on_a_node, workload_of


def check(pool: Pool, picture: Picture) -> Iterator[Finding]:
    """Look for values that match nothing, and whether anything is left beside them."""
    if not pool.entry.is_kept:
        return
    resource, flaws = named(pool), flaws_of(pool.entry)
    if not flaws:
        return
    dead, lasting = is_dead(pool.entry, flaws), is_on_a_node(resource, picture)
    if not dead and (lasting or not needs_vfs(resource, picture)):
        flaws = tuple(f for f in flaws if f.flaw is not Flaw.PF_ID)  # It is for whole ports.
    if not flaws:
        return
    first = flaws[0]
    pods = waiting(resource, picture)
    yield Finding(
        severity=Severity.ERROR if dead and not lasting else Severity.WARNING,
        message=f"pool {resource}: {_says(first)}"
        + (f", and {len(flaws) - 1} more values match nothing" if len(flaws) > 1 else "")
        + _effect(first, is_pool=dead, is_lasting=lasting),
        evidence=tuple(
            Evidence(at=pool.text.place_at(flawed.path), saw=flawed.value) for flawed in flaws[:3]
        ),
        sees=_sees(resource, first, is_dead=dead, picture=picture),
        fix=tuple(dict.fromkeys(Fix(text=_fix(flawed)) for flawed in flaws[:3])),
        also=(*workload_of(pool.plugin), *(pod.ref for pod in pods if dead)),
        group=f"{pool.plugin.ref} {first.key} {first.flaw.name}",
        explains=tuple(_explained(pool, picture)) if dead else (),
    )


def _says(flawed: Flawed) -> str:
    if flawed.flaw is Flaw.PF_ID:
        vf = f", its VFs are {flawed.instead}"
        return f"devices {flawed.value} is the id of a PF{vf}: no VF has it"
    lost = "matches nothing" if flawed.is_lost else "matches less than it says"
    if flawed.flaw is Flaw.REPEATED:
        lost = "adds nothing"
    return f"{flawed.key} {short(flawed.value)} {lost}: {flawed.flaw.value}"


def _effect(first: Flawed, *, is_pool: bool, is_lasting: bool) -> str:
    if is_pool:
        return "; the pool is empty" + (" after the plugin's next start" if is_lasting else "")
    return "; it takes PFs without VFs only" if first.flaw is Flaw.PF_ID else ""


def _sees(resource: ResourceName, first: Flawed, *, is_dead: bool, picture: Picture) -> str:
    if is_dead:
        return f"no node has {resource}; pods that request it stay Pending"
    if first.flaw is Flaw.PF_ID:
        types = " and ".join(needs_vfs(resource, picture))
        return f"no node with VFs has {resource}; {types}, which takes its devices, refuses a PF"
    return f"{resource} has fewer functions than the file reads"


def _fix(flawed: Flawed) -> str:
    if flawed.instead:
        return f"write {flawed.instead} in {flawed.key}, then restart the plugin's pods"
    if flawed.flaw is Flaw.WILDCARD:
        return f"list every name in {flawed.key}, then restart the plugin's pods"
    return f"correct {flawed.value} in {flawed.key}, then restart the plugin's pods"


def _explained(pool: Pool, picture: Picture) -> Iterator[Symptom]:
    yield from starving(waiting(named(pool), picture), named(pool))
    yield from (Symptom(slug="pool-empty", of=pool.ref.at(node)) for node in picture.node_names)


RULE = Rule(
    id="PW706",
    slug="selector-matches-nothing",
    title="Selector asks for a value that no function can have",
    since="0.1",
    joint=Joint.POOL,
    refs=(
        "sriov-network-device-plugin v3.11.0 pkg/resources/deviceSelectors.go",
        "linux v6.12 drivers/net/ethernet/mellanox/mlx5/core/main.c mlx5_core_pci_table",
    ),
    over=lambda picture: picture.pools,
    check=check,
)
