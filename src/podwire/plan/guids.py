"""Which VF gets which GUID. docs/design/0008 has the formula and why nothing collides."""

import sys
from collections.abc import Container, Iterator, Sequence

import msgspec

from podwire.model.addresses import PciAddress
from podwire.model.guids import Guid

# By the two octets in the middle of a PF's GUID. Every mark is local, for one port, and in the
# quadrant of IEEE 802c that administrators use; ib-kubernetes' pool starts with 02.
MARKS = {0x0300: 0xE2, 0xFFFF: 0xD2, 0xFFFE: 0xC2}
MOST_VFS = 127  # mlx5: NUM_OF_VFS per port
_OCTET = 0xFF


class GuidError(ValueError):
    """No GUID can be given: the text says which two values are in the way."""


def derived(pf: Guid, *, vf: int) -> Guid:
    """Make a VF's GUID of its PF's and its number; two that differ in either never collide.

    Raises:
        GuidError: the PF's GUID is none, or has a form for which nothing was proven.
    """
    if not pf.is_set:
        raise GuidError(f"the PF's GUID is {pf}: nobody has given it one")
    if not 0 <= vf < MOST_VFS:
        raise GuidError(f"VF {vf}: GUIDs are derived for VFs 0 to {MOST_VFS - 1}")
    octets = pf.number.to_bytes(8, "big")
    mark = MARKS.get(int.from_bytes(octets[3:5], "big"))
    if mark is None:
        known = ", ".join(f"{filler:04x}" for filler in MARKS)
        raise GuidError(
            f"the PF's GUID {pf} has {octets[3:5].hex()} in the middle, and GUIDs are derived "
            f"where it is {known}: give it a pool or a file"
        )
    made = bytes([mark, *octets[:3], vf, *octets[5:]])
    return Guid(number=int.from_bytes(made, "big"))


class OfPf(msgspec.Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    """One entry of the SR-IOV operator's GUID file; VF n takes the n-th.

    Source: sriov-network-operator d98f27d pkg/host/internal/infiniband/ib_guid_config.go.
    """

    pci_address: str = ""
    pf_guid: str = ""
    guids: tuple[str, ...] = ()
    range_start: str = ""
    range_end: str = ""


class GuidFile(msgspec.Struct, frozen=True):
    """The operator's file, and its name for messages."""

    name: str
    entries: tuple[OfPf, ...] = ()

    @classmethod
    def parse(cls, data: bytes, *, name: str) -> "GuidFile":
        """Read it, and hold it to the operator's rules.

        Raises:
            GuidError: it has another form; the sentence says where.
        """
        try:
            entries = msgspec.json.decode(data, type=tuple[OfPf, ...])
        except msgspec.DecodeError as error:
            raise GuidError(f"{name}: {error}") from None
        for number, entry in enumerate(entries):
            trouble = _trouble(entry)
            if trouble:
                raise GuidError(f"{name}, entry {number + 1}: {trouble}")
        return cls(name=name, entries=entries)

    def of(self, address: PciAddress, *, guid: Guid | None) -> Sequence[Guid]:
        """Give a PF's GUIDs in the order of its VFs; none where the file has no entry."""
        for entry in self.entries:
            by_guid = guid is not None and _pf_guid(entry.pf_guid) == guid
            if entry.pci_address == str(address) or by_guid:
                return _sequence(entry)
        return ()


def _pf_guid(text: str) -> Guid | None:
    """Read a PF's GUID; the operator compares the whole hardware address, 20 octets."""
    return Guid.maybe(text) or Guid.of_hardware_address(text)


def _trouble(entry: OfPf) -> str:
    return _pf_trouble(entry) or _guids_trouble(entry)


def _pf_trouble(entry: OfPf) -> str:
    if bool(entry.pci_address) == bool(entry.pf_guid):
        return "exactly one of pciAddress and pfGuid names the PF"
    if entry.pci_address and not PciAddress.is_one(entry.pci_address):
        return f"{entry.pci_address!r} is no PCI address like 0000:18:00.0"
    if entry.pf_guid and _pf_guid(entry.pf_guid) is None:
        return f"pfGuid {entry.pf_guid!r} is no GUID, and no hardware address that ends with one"
    return ""


def _guids_trouble(entry: OfPf) -> str:
    has_range = bool(entry.range_start or entry.range_end)
    if bool(entry.guids) == has_range:
        return "exactly one of guids, and rangeStart with rangeEnd, gives the GUIDs"
    written = (*entry.guids, *((entry.range_start, entry.range_end) if has_range else ()))
    for text in written:
        found = Guid.maybe(text)
        if found is None or not found.is_set:
            return f"{text!r} is no GUID like e2:a0:88:c2:00:ab:cd:ee"
    if has_range and Guid.parse(entry.range_end) <= Guid.parse(entry.range_start):
        return f"rangeEnd {entry.range_end} has to be more than rangeStart {entry.range_start}"
    return ""


def _sequence(entry: OfPf) -> Sequence[Guid]:
    if entry.guids:
        return tuple(map(Guid.parse, entry.guids))
    return Stretch(Guid.parse(entry.range_start), Guid.parse(entry.range_end))


class Stretch(Sequence[Guid]):
    """All GUIDs from one to another, never written out: a pool may hold 2^56.

    `len` gives at most what Python's sequences may have.
    """

    def __init__(self, first: Guid, last: Guid) -> None:
        self._numbers = range(first.number, last.number + 1)

    def __len__(self) -> int:
        return min(self._numbers.stop - self._numbers.start, sys.maxsize)

    def __getitem__(self, index):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN204 - both forms of Sequence
        found = self._numbers[index]
        return [Guid(number=n) for n in found] if isinstance(index, slice) else Guid(number=found)


def pool(first: str, last: str) -> Stretch:
    """Read a pool's bounds.

    Raises:
        GuidError: a bound is no GUID, or the first comes after the last.
    """
    bounds = []
    for word, text in (("from", first), ("to", last)):
        found = Guid.maybe(text)
        if found is None or not found.is_set:
            raise GuidError(f"guids.pool.{word} is {text!r}: no GUID that a port can have")
        bounds.append(found)
    if bounds[1] < bounds[0]:
        raise GuidError(f"guids.pool.from {first} comes after guids.pool.to {last}")
    return Stretch(bounds[0], bounds[1])


def free_of(stretch: Stretch, *, taken: Container[Guid]) -> Iterator[Guid]:
    """Walk through the GUIDs of a pool that nobody has."""
    return (guid for guid in stretch if guid not in taken)
