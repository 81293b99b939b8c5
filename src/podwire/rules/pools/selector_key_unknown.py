"""A pool's configuration has a key that the device plugin ignores.

What you see
    Nothing complains. The pool has functions of ports that were not meant
    for it, and a pool further down in the file has none, so that no node
    has its resource.

Why
    The file is read into fixed fields, whatever the case of the keys, and
    other keys are left out without a word. A selector key that is misspelt
    or stands beside selectors does not choose: the pool is wider than it
    reads. Pools are filled in the order of the file, and the first that
    fits a function keeps it.

Fix
    Spell the key as the plugin knows it, at the level where it belongs,
    then restart the plugin's pods.
"""

from collections.abc import Iterator

from podwire.findings.misread_keys import effect, the_key, where
from podwire.findings.model import Evidence, Finding, Fix, Joint, Rule, Severity, Symptom
from podwire.findings.starved import of_lost, starving
from podwire.model.names import Ref
from podwire.wire.picture import Picture
from podwire.wire.pools.config_text import written_at
from podwire.wire.pools.misread import Change, Misread, MisreadPool, misread_pools
from podwire.wire.pools.on_nodes import waiting
from podwire.wire.pools.plugin_state import workload_of


def check(misread: MisreadPool, picture: Picture) -> Iterator[Finding]:
    """Say what an ignored key was meant as, and what ignoring it does to the pools."""
    pool, keys, effects = misread.pool, misread.keys, misread.effects
    yield Finding(
        severity=Severity.ERROR if misread.matters else Severity.WARNING,
        message=f"pool {pool.entry.name}: the device plugin ignores "
        f"{the_key(keys[0])}{f' and {len(keys) - 1} more' if len(keys) > 1 else ''}"
        f"{effect(misread)}",
        evidence=(
            *(Evidence(at=pool.text.place_at(k.path), saw=_written(k, misread)) for k in keys),
            *(e for change in effects[:1] for e in _on_node(change, misread, picture)),
        ),
        sees="nothing complains"
        + ("; the pool has functions that were not meant for it" if effects else "")
        + ("; no node has the resource of a pool that got none" if _starved(effects) else ""),
        fix=tuple(Fix(text=_fix(key)) for key in keys),
        assumes=misread.assumes if effects else (),
        also=(*workload_of(pool.plugin), *_others(misread)),
        group=f"{pool.plugin.ref} {' '.join(key.key for key in keys)}",
        explains=tuple(_explained(misread, picture)),
    )


def _written(key: Misread, misread: MisreadPool) -> str:
    return f"{key.key}: {written_at(misread.pool.text.text, key.path)}"


def _on_node(change: Change, misread: MisreadPool, picture: Picture) -> Iterator[Evidence]:
    node = picture.node(change.node)
    capacity = node.status.capacity if node else None
    for name in (misread.pool.resource, *change.starved[:1]):
        if node is not None and capacity is not None:
            count = capacity.get(str(name), "none")
            yield Evidence(at=node.place("status", "capacity", str(name)), saw=str(count))


def _fix(key: Misread) -> str:
    if not key.meant:
        return f"take {key.key} out"
    return f"write it as {key.meant}, {where(key)}; then restart the plugin's pods"


def _starved(effects: tuple[Change, ...]) -> bool:
    return any(change.starved for change in effects)


def _others(misread: MisreadPool) -> Iterator[Ref]:
    names = dict.fromkeys(r for change in misread.effects for r in change.starved)
    yield from (misread.pool.text.owner.at(str(name)) for name in names)


def _explained(misread: MisreadPool, picture: Picture) -> Iterator[Symptom]:
    owner = misread.pool.text.owner
    yield Symptom(slug="pool-without-rdma", of=misread.ref)
    for change in misread.effects:
        mine = (misread.pool.resource,) if not change.now and misread.pool.resource else ()
        for name in (*change.starved, *mine):
            yield Symptom(slug="pool-empty", of=owner.at(str(name)).at(change.node))
            yield from starving(waiting(name, picture, node=change.node), name)
    if misread.other_name is not None:
        yield from of_lost(misread.other_name, picture)


RULE = Rule(
    id="PW704",
    slug="selector-key-unknown",
    title="Device plugin ignores a key of a pool",
    since="0.1",
    joint=Joint.POOL,
    refs=(
        "sriov-network-device-plugin v3.11.0 pkg/types/types.go",
        "sriov-network-device-plugin v3.11.0 cmd/sriovdp/manager.go readConfig",
    ),
    over=misread_pools,
    check=check,
)
