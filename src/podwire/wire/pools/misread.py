"""Keys that a device plugin ignores: what they were meant as, and what that changes on nodes."""

import difflib
from collections.abc import Callable, Iterable, Iterator

import msgspec

from podwire.model.evidence import Known, Path, Unknown
from podwire.model.names import Ref, ResourceName
from podwire.peers.go_json import NotJson, Object, Value, at, parse, written
from podwire.peers.sriovdp.fates import Filled, PoolFill
from podwire.peers.sriovdp.keys import ENTRY_KEYS, SELECTOR_KEYS
from podwire.peers.sriovdp.records import Entry, Level, UnknownKey
from podwire.wire.joined.fills import fill_on
from podwire.wire.joined.plugins import Plugin, Pool
from podwire.wire.picture import Picture

_PASSED_ON = {"isRdma", "needVhostNet"}  # They give a container devices, and may not narrow.
_REMARKS = ("_", "/", "#", "$", "comment", "description", "note")


class Misread(msgspec.Struct, frozen=True, gc=False):
    """One ignored key.

    `meant` is the known key, empty where it resembles none; `level` says where that belongs,
    `is_moved` that the key itself stands elsewhere.
    """

    key: str
    path: Path
    meant: str = ""
    level: Level = Level.SELECTOR
    is_moved: bool = False
    other_types: tuple[str, ...] = ()

    @property
    def narrows(self) -> bool:
        """It was to choose functions."""
        return self.level is Level.SELECTOR and bool(self.meant or self.other_types)


class Change(msgspec.Struct, frozen=True, gc=False):
    """What reading the keys as meant changes on a node: functions now, and then.

    `starved` are the other pools that get some only then.
    """

    node: str
    now: int
    then: int
    starved: tuple[ResourceName, ...]

    @property
    def is_any(self) -> bool:
        """It changes anything."""
        return self.now != self.then or bool(self.starved)


class MisreadPool(msgspec.Struct, frozen=True):
    """A pool with ignored keys.

    `changes` are of the nodes where the model knows; `name` is what it would be called then.
    """

    pool: Pool
    keys: tuple[Misread, ...]
    name: str
    changes: tuple[Change, ...]
    assumes: tuple[str, ...] = ()

    @property
    def ref(self) -> Ref:
        """The pool."""
        return self.pool.ref

    @property
    def other_name(self) -> ResourceName | None:
        """What the pool would be called, where that differs."""
        return None if self.name == self.pool.entry.name else ResourceName.maybe(self.name)

    @property
    def effects(self) -> tuple[Change, ...]:
        """The nodes on which reading the keys as meant changes anything."""
        return tuple(change for change in self.changes if change.is_any)

    @property
    def matters(self) -> bool:
        """A key was meant that names the pool, passes devices on, or chooses other functions."""
        chooses = any(key.narrows for key in self.keys)
        passes = any(key.meant in _PASSED_ON for key in self.keys)
        is_felt = bool(self.effects) or not self.changes
        return self.other_name is not None or passes or (chooses and is_felt)


def misread_pools(picture: Picture) -> tuple[MisreadPool, ...]:
    """Find the pools with ignored keys, and compare with the file as it was meant."""
    return tuple(found for plugin in picture.plugins for found in _misread(plugin, picture))


def _misread(plugin: Plugin, picture: Picture) -> Iterator[MisreadPool]:
    pools = picture.pools_by_plugin.get(plugin.key, ())
    keys = {pool.entry.index: tuple(_keys_of(pool.entry)) for pool in pools}
    if not any(keys.values()):
        return
    meant = _corrected(plugin, (k for found in keys.values() for k in found))
    fills = list(_fills(plugin, meant, picture)) if meant else []
    assumes = tuple(dict.fromkeys(a for fill in fills for a in fill.assumes))
    for pool in pools:
        if keys[pool.entry.index]:
            yield MisreadPool(
                pool=pool,
                keys=keys[pool.entry.index],
                name=_name(meant, pool),
                changes=tuple(_changes(fills, pool)),
                assumes=assumes if fills else (),
            )


def _keys_of(entry: Entry) -> Iterator[Misread]:
    for key in entry.unknown:
        yield from _judged(key, level=Level.ENTRY, entry=entry)
    for selector in entry.selectors:
        for key in selector.unknown:
            yield from _judged(key, level=Level.SELECTOR, entry=entry)


def _judged(key: UnknownKey, *, level: Level, entry: Entry) -> Iterator[Misread]:
    if key.key.casefold().startswith(_REMARKS):
        return
    known = SELECTOR_KEYS.get(entry.device_type, ())
    elsewhere = known if level is Level.ENTRY else ENTRY_KEYS
    other = Level.SELECTOR if level is Level.ENTRY else Level.ENTRY
    exact = _near(key.key, elsewhere, cutoff=1.0)
    if exact:
        yield Misread(key=key.key, path=key.path, meant=exact, level=other, is_moved=True)
    elif level is Level.SELECTOR and key.device_types:
        yield Misread(key=key.key, path=key.path, other_types=key.device_types)
    else:
        here, there = key.nearest or "", _near(key.key, elsewhere, cutoff=0.75)
        is_moved = bool(there) and _likeness(key.key, there) > _likeness(key.key, here)
        yield Misread(
            key=key.key,
            path=key.path,
            meant=there if is_moved else here,
            level=other if is_moved else level,
            is_moved=is_moved,
        )


def _near(key: str, known: Iterable[str], *, cutoff: float) -> str:
    by_fold = {k.casefold(): k for k in known}
    found = difflib.get_close_matches(key.casefold(), by_fold, n=1, cutoff=cutoff)
    return by_fold[found[0]] if found else ""


def _likeness(one: str, other: str) -> float:
    return difflib.SequenceMatcher(None, one.casefold(), other.casefold()).ratio()


def _corrected(plugin: Plugin, keys: Iterable[Misread]) -> Plugin | None:
    """Give the plugin with its keys as they were meant; None where that cannot be told."""
    if isinstance(plugin.text, Unknown):
        return None
    text = plugin.text.value
    try:
        tree = parse(text.text)
    except NotJson:
        return None
    for key in keys:
        if key.meant:
            tree = _correct(tree, key)
    meant = written(tree)
    return msgspec.structs.replace(
        plugin,
        text=Known(value=msgspec.structs.replace(text, text=meant)),
        config=Known(value=plugin.read(meant, plugin.version)),
    )


def _correct(tree: Value, key: Misread) -> Value:
    """Write a key under its known name, where nothing stands yet."""
    try:
        value = at(tree, key.path)
    except LookupError:
        return tree
    tree = _changed(tree, key.path[:-1], lambda parent: _without(parent, key.key))
    for path in _targets(tree, key):
        tree = _changed(tree, path, lambda target: _with(target, key.meant, value))
    return tree


def _targets(tree: Value, key: Misread) -> tuple[Path, ...]:
    if not key.is_moved:
        return (key.path[:-1],)
    entry = key.path[:2]
    if key.level is Level.ENTRY:
        return (entry,)
    here = at(tree, entry)
    members = here.members if isinstance(here, Object) else ()
    for have, value in members:
        if have.casefold() == "selectors":
            listed = value if isinstance(value, list) else None
            path = (*entry, have)
            return (path,) if listed is None else tuple((*path, i) for i in range(len(listed)))
    return ((*entry, "selectors"),)


def _changed(value: Value, path: Path, change: Callable[[Value], Value]) -> Value:
    """Change what stands at a path; a key that is not there is added as an empty object."""
    if not path:
        return change(value)
    step, rest = path[0], path[1:]
    if isinstance(value, list):
        return [_changed(v, rest, change) if i == step else v for i, v in enumerate(value)]
    if isinstance(value, Object) and isinstance(step, str):
        members = value.members if _has(value, step) else (*value.members, (step, Object()))
        return Object(
            members=tuple((k, _changed(v, rest, change) if k == step else v) for k, v in members)
        )
    return value


def _without(value: Value, key: str) -> Value:
    members = value.members if isinstance(value, Object) else ()
    return Object(members=tuple((k, v) for k, v in members if k != key))


def _with(value: Value, key: str, member: Value) -> Value:
    if not isinstance(value, Object) or _has(value, key):
        return value
    return Object(members=(*value.members, (key, member)))


def _has(value: Object, key: str) -> bool:
    return key.casefold() in {have.casefold() for have, _ in value.members}


class _Fills(msgspec.Struct, frozen=True):
    node: str
    now: Filled
    then: Filled
    assumes: tuple[str, ...]


def _fills(plugin: Plugin, meant: Plugin, picture: Picture) -> Iterator[_Fills]:
    for node in picture.facts.node_files:
        now = picture.fill(plugin, node)
        if isinstance(now, Unknown) or now.value is None or not now.value.pools:
            continue
        then = fill_on(picture.machine(node, plugin), plugin=meant, as_started=True)
        if isinstance(then, Known) and then.value is not None:
            yield _Fills(node=node, now=now.value, then=then.value, assumes=now.assumes)


def _changes(fills: Iterable[_Fills], pool: Pool) -> Iterator[Change]:
    for fill in fills:
        now, then = _counts(fill.now), _counts(fill.then)
        mine = pool.entry.index
        if mine in now and mine in then:
            yield Change(
                node=fill.node,
                now=now[mine],
                then=then[mine],
                starved=tuple(
                    p.entry.resource
                    for p in fill.now.pools
                    if p.entry.resource is not None and p.entry.index != mine
                    if now.get(p.entry.index) == 0 and then.get(p.entry.index)
                ),
            )


def _counts(filled: Filled) -> dict[int, int]:
    known: Iterable[tuple[PoolFill, object]] = ((p, p.members) for p in filled.pools)
    return {p.entry.index: len(m.value) for p, m in known if isinstance(m, Known)}


def _name(meant: Plugin | None, pool: Pool) -> str:
    if meant is None or isinstance(meant.config, Unknown):
        return pool.entry.name
    entries = meant.config.value.entries
    return next((e.name for e in entries if e.index == pool.entry.index), pool.entry.name)
