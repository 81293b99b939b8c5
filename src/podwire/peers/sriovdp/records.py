"""What the plugin's configuration file says, and what is wrong with it, as records."""

import enum

import msgspec

from podwire.model.evidence import Answer, Path
from podwire.model.names import ResourceName


class Level(enum.Enum):
    """Where in the file a key may stand."""

    ENTRY = "resourceList[]"
    SELECTOR = "selectors"


class UnknownKey(msgspec.Struct, frozen=True):
    """A key that the plugin ignores without a word.

    `nearest` is the known key of this level that it resembles, `device_types` are the device
    types whose selectors know exactly this key.
    """

    path: Path
    key: str
    nearest: str | None = None
    device_types: tuple[str, ...] = ()


class FaultKind(enum.Enum):
    """What is wrong with a file or an entry of it."""

    NO_FILE = "no such file"
    NOT_JSON = "not JSON"
    WRONG_TYPE = "value of another type"
    BAD_DEVICE_TYPE = "unsupported deviceType"
    SELECTORS_MISSING = "no selectors"
    SELECTORS_UNREADABLE = "selectors of another form"
    BAD_NAME = "characters that a resource name may not have"
    DUPLICATE_NAME = "resource name used twice"
    RDMA_AND_VDPA = "isRdma and vdpaType together"
    NOTHING_LEFT = "no usable entry"


class Effect(enum.Enum):
    """What the plugin does about a fault."""

    PLUGIN_ENDS = "the plugin ends, with every pool"
    POOL_DROPPED = "the pool is dropped, the others go on"


class ConfigFault(msgspec.Struct, frozen=True):
    """One fault, as if it were the only one: the plugin itself stops at the first that ends it.

    `says` is what its log says, with `...` for what podwire does not repeat. `certain` is
    Unknown where the plugin's version decides and is not known. Of a file that is no JSON
    `reason` has Go's words, and `at` counts the characters before the one that they name.
    """

    kind: FaultKind
    path: Path
    effect: Effect
    says: str
    certain: Answer[bool]
    reason: str = ""
    at: int = 0


class Selector(msgspec.Struct, frozen=True):
    """One selector: every key narrows it, the values of a key widen it, no value: no filter.

    `written` are the keys as the file spells them, by the plugin's spelling.
    """

    index: int
    path: Path
    vendors: tuple[str, ...] = ()
    devices: tuple[str, ...] = ()
    drivers: tuple[str, ...] = ()
    pci_addresses: tuple[str, ...] = ()
    acpi_indexes: tuple[str, ...] = ()
    pf_names: tuple[str, ...] = ()
    root_devices: tuple[str, ...] = ()
    link_types: tuple[str, ...] = ()
    ddp_profiles: tuple[str, ...] = ()
    p_keys: tuple[str, ...] = ()
    aux_types: tuple[str, ...] = ()
    is_rdma: bool = False
    need_vhost_net: bool = False
    vdpa_type: str = ""
    written: tuple[tuple[str, str], ...] = ()
    unknown: tuple[UnknownKey, ...] = ()

    def at(self, key: str) -> Path:
        """Lead to a key by the plugin's spelling (`pfNames`), also where it is absent."""
        return (*self.path, dict(self.written).get(key, key))


class Entry(msgspec.Struct, frozen=True):
    """One member of `resourceList`.

    `resource` is None where the plugin surely refuses the name. `is_kept`: the entry
    passed the reading and takes part in what follows. `written` are the keys as the file
    spells them, by the plugin's spelling.
    """

    index: int
    path: Path
    resource_name: str
    prefix: str
    resource: ResourceName | None
    device_type: str
    selectors: tuple[Selector, ...]
    exclude_topology: bool = False
    is_kept: bool = True
    written: tuple[tuple[str, str], ...] = ()
    unknown: tuple[UnknownKey, ...] = ()

    def at(self, key: str) -> Path:
        """Lead to a key by the plugin's spelling (`resourceName`), also where it is absent."""
        return (*self.path, dict(self.written).get(key, key))

    @property
    def name(self) -> str:
        """`prefix/name`, valid or not."""
        return f"{self.prefix}/{self.resource_name}"


class Config(msgspec.Struct, frozen=True):
    """A configuration file; `is_fatal` says whether the whole plugin ends because of it."""

    entries: tuple[Entry, ...]
    faults: tuple[ConfigFault, ...]
    is_fatal: Answer[bool]
    unknown: tuple[UnknownKey, ...] = ()
