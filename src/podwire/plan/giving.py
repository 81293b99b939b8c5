"""GUIDs for the VFs of the chosen PFs: what the map has, else what the spec's source gives."""

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from podwire.model.addresses import PciAddress
from podwire.model.guids import Guid
from podwire.plan.guid_map import (
    PATH,
    Fit,
    GuidMap,
    Slot,
    clone_words,
    collisions,
    fit,
)
from podwire.plan.guids import GuidError, GuidFile, derived, free_of, pool
from podwire.plan.machine import Machine, Pf
from podwire.plan.step import Repair
from podwire.plan.wish import Wish


class Books(msgspec.Struct, frozen=True):
    """What is written about GUIDs: this machine's map, others' with their names, the file."""

    own: GuidMap | None = None
    others: tuple[tuple[str, GuidMap], ...] = ()
    file: GuidFile | None = None


class Given(msgspec.Struct, frozen=True):
    """GUIDs by PF in the order of VFs, the new map where it differs, and what stood in the way."""

    guids: Mapping[PciAddress, Sequence[Guid]] = {}
    map: GuidMap | None = None
    gate: tuple[Repair, ...] = ()
    refused: Mapping[PciAddress, str] = {}
    notes: tuple[str, ...] = ()


def give(pfs: Iterable[Pf], wish: Wish, machine: Machine, *, books: Books) -> Given:
    """Give every VF of the InfiniBand PFs its GUID."""
    own = books.own or GuidMap(machine=machine.identity)
    whose = fit(own, machine)
    if whose is Fit.FOREIGN:
        fix = f"another machine's disk was copied: remove /{PATH} here, and its VFs get their own"
        return Given(gate=(Repair(text=clone_words(own, machine), fix=fix),))
    giver = _Giver(own, wish, books)
    for pf in pfs:
        if pf.is_infiniband:
            giver.pf(pf)
    found = GuidMap(machine=machine.identity, slots=dict(sorted(giver.slots.items())))
    doubled = collisions((*found.given(), *_of_pfs(machine)), books.others)
    fix = f"see each place; an old slot is given up by removing it from /{PATH}"
    return Given(
        guids=giver.guids,
        map=found if found.slots and found != books.own else None,
        gate=tuple(Repair(text=text, fix=fix) for text in doubled),
        refused=giver.refused,
        notes=tuple(giver.notes),
    )


def _of_pfs(machine: Machine) -> Iterable[tuple[Guid, str]]:
    return ((pf.guid, f"PF {pf.name}") for pf in machine.pfs if pf.guid is not None)


class _Giver:
    def __init__(self, own: GuidMap, wish: Wish, books: Books) -> None:
        self.slots = dict(own.slots)
        self.guids: dict[PciAddress, Sequence[Guid]] = {}
        self.refused: dict[PciAddress, str] = {}
        self.notes: list[str] = []
        self._wish = wish
        self._books = books
        self._taken = {guid for guid, _ in own.given()}
        for _, other in books.others:
            self._taken |= {guid for guid, _ in other.given()}

    def pf(self, pf: Pf) -> None:
        slot = self.slots.get(str(pf.address))
        is_filed = self._books.file is not None
        # A file is a statement about each VF; what it says now counts, also against the map.
        kept = tuple(map(Guid.parse, slot.guids)) if slot and not is_filed else ()
        wanted = pf.count if self._wish.count is None else self._wish.count
        if kept and slot and pf.guid is not None and slot.pf != str(pf.guid):
            self.notes.append(
                f"PF {pf.name} has GUID {pf.guid}, its slot had {slot.pf}: a replaced card; "
                "its VFs keep the slot's GUIDs"
            )
        try:
            new = self._new(pf, have=len(kept), want=wanted)
        except GuidError as error:
            self.refused[pf.address] = str(error)
            return
        every = (*kept, *new)
        self._taken.update(new)
        self.guids[pf.address] = every[:wanted]
        if every:
            self.slots[str(pf.address)] = Slot(
                pf=str(pf.guid or ""), guids=tuple(guid.octets for guid in every)
            )

    def _new(self, pf: Pf, *, have: int, want: int) -> tuple[Guid, ...]:
        """Make GUIDs for VFs `have` to `want - 1`."""
        source = self._wish.fabric.guids
        if have >= want:
            return ()
        if source == "derived":
            if pf.guid is None:
                raise GuidError("the PF's own GUID could not be read: no RDMA device")
            return tuple(derived(pf.guid, vf=vf) for vf in range(have, want))
        if source.pool is not None:
            free = free_of(pool(source.pool.first, source.pool.last), taken=self._taken)
            found = tuple(guid for guid, _ in zip(free, range(have, want), strict=False))
            if len(found) < want - have:
                raise GuidError(
                    f"{want - have} GUIDs are wanted and the pool {source.pool.first} to "
                    f"{source.pool.last} has {len(found)} left"
                )
            return found
        return self._filed(pf, have=have, want=want)

    def _filed(self, pf: Pf, *, have: int, want: int) -> tuple[Guid, ...]:
        file = self._books.file
        if file is None:
            raise GuidError("guids names neither derived, pool nor file")
        found = file.of(pf.address, guid=pf.guid)
        if len(found) < want:
            raise GuidError(f"{file.name} has {len(found)} GUIDs for {pf.name}, {want} are wanted")
        return tuple(found[vf] for vf in range(have, want))
