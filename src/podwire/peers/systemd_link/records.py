"""A .link file as udev reads it, and a net device as udev meets it."""

import enum
from collections.abc import Mapping

import msgspec

from podwire.model.evidence import Document, Place

# [Match] keys that are of the machine and not of the device.
OF_THE_MACHINE = frozenset(
    {
        "Host", "Virtualization", "KernelCommandLine", "KernelVersion", "Credential",
        "Architecture", "Firmware",
    }
)  # fmt: skip


class Condition(msgspec.Struct, frozen=True, gc=False):
    """The patterns of one [Match] key, all assignments together, as the last reset left them.

    A pattern that was behind `!` begins with it. Each pattern has a place.
    """

    key: str
    patterns: tuple[str, ...]
    places: tuple[Place, ...]


class Refused(msgspec.Struct, frozen=True, gc=False):
    """An assignment that udev drops: why, and what it prints."""

    key: str
    value: str
    place: Place
    reason: str
    says: str


class Setting(msgspec.Struct, frozen=True, gc=False):
    """A value that is in force, and where it stands."""

    value: str
    place: Place


class LinkFile(msgspec.Struct, frozen=True, kw_only=True):
    """One file with its drop-ins.

    `has_match` is False where nothing valid is in [Match]: udev skips the file. `policies`
    is None where NamePolicy is not set.
    """

    name: str
    document: Document
    conditions: tuple[Condition, ...] = ()
    has_match: bool = True
    policies: tuple[str, ...] | None = None
    policies_place: Place | None = None
    given_name: Setting | None = None
    alternative_names: tuple[Setting, ...] = ()
    address_policy: Setting | None = None
    vf_count: Setting | None = None
    refused: tuple[Refused, ...] = ()

    def condition(self, key: str) -> Condition | None:
        """Give the condition of one key."""
        return next((c for c in self.conditions if c.key == key), None)


class Naming(enum.Enum):
    """How a net device came by its name (linux include/uapi/linux/netdevice.h)."""

    ENUM = "1"
    PREDICTABLE = "2"
    USER = "3"
    RENAMED = "4"

    @property
    def is_of_users(self) -> bool:
        """Somebody in user space gave the name: policy `keep` keeps it."""
        return self in {Naming.USER, Naming.RENAMED}


class LinkDevice(msgspec.Struct, frozen=True, gc=False):
    """A net device: what is known of it.

    `facts` has [Match] keys (`Driver`, `Type`, `Kind`, `Path`, `OriginalName`, `MACAddress`,
    `PermanentMACAddress`); `properties` are udev's. A key that is missing is unknown; None
    means that the device has no such thing.
    """

    name: str
    facts: Mapping[str, str | None] = {}
    properties: Mapping[str, str | None] = {}
    naming: Naming | None = None
