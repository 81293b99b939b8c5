"""The fields of a CDI spec and what each may hold, by the library's version.

Source: tags.cncf.io/container-device-interface specs-go/config.go v0.8.0, v1.0.0, v1.1.1.
"""

import enum
from collections.abc import Mapping
from typing import TypeAlias

import msgspec

from podwire.peers.cdi.libraries import Library


class Scalar(enum.Enum):
    """What a single value is in Go: its name there, and the numbers it holds."""

    STRING = "string"
    BOOL = "bool"
    INT = "int"
    INT64 = "int64"
    UINT32 = "uint32"
    MODE = "fs.FileMode"

    @property
    def zero(self) -> str | bool | int:
        """What an empty one is."""
        if self is Scalar.STRING:
            return ""
        return False if self is Scalar.BOOL else 0

    @property
    def bounds(self) -> tuple[int, int]:
        """The least and the most that fits."""
        return (0, 2**32 - 1) if self in {Scalar.UINT32, Scalar.MODE} else (-(2**63), 2**63 - 1)


class Strings(msgspec.Struct, frozen=True):
    """A mapping from text to text."""


class Items(msgspec.Struct, frozen=True):
    """A list; with `may_be_nil` an empty item stays in it, as a pointer to nothing."""

    of: "Type"
    may_be_nil: bool = False


class Record(msgspec.Struct, frozen=True):
    """A struct by its name in Go, with its fields."""

    name: str
    fields: Mapping[str, "Type"]
    is_pointer: bool = False


Type: TypeAlias = Scalar | Strings | Items | Record

_TEXTS = Items(of=Scalar.STRING)
_NODE = Record(
    name="specs.DeviceNode",
    fields={
        "path": Scalar.STRING,
        "hostPath": Scalar.STRING,
        "type": Scalar.STRING,
        "major": Scalar.INT64,
        "minor": Scalar.INT64,
        "fileMode": Scalar.MODE,
        "permissions": Scalar.STRING,
        "uid": Scalar.UINT32,
        "gid": Scalar.UINT32,
    },
)
_MOUNT = Record(
    name="specs.Mount",
    fields={
        "hostPath": Scalar.STRING,
        "containerPath": Scalar.STRING,
        "options": _TEXTS,
        "type": Scalar.STRING,
    },
)
_HOOK = Record(
    name="specs.Hook",
    fields={
        "hookName": Scalar.STRING,
        "path": Scalar.STRING,
        "args": _TEXTS,
        "env": _TEXTS,
        "timeout": Scalar.INT,
    },
)
_NET_DEVICE = Record(
    name="specs.LinuxNetDevice",
    fields={"hostInterfaceName": Scalar.STRING, "name": Scalar.STRING},
)
_RDT: Mapping[str, Type] = {
    "closID": Scalar.STRING,
    "l3CacheSchema": Scalar.STRING,
    "memBwSchema": Scalar.STRING,
}
_OLD_RDT: Mapping[str, Type] = {**_RDT, "enableCMT": Scalar.BOOL, "enableMBM": Scalar.BOOL}
_NEW_RDT: Mapping[str, Type] = {**_RDT, "schemata": _TEXTS, "enableMonitoring": Scalar.BOOL}


def spec_of(library: Library) -> Record:
    """Give the record that the library reads a spec into."""
    has_1_1 = "1.1.0" in library.specs
    rdt = _NEW_RDT if has_1_1 else _OLD_RDT
    edits: dict[str, Type] = {
        "env": _TEXTS,
        "deviceNodes": Items(of=_NODE, may_be_nil=True),
        "hooks": Items(of=_HOOK, may_be_nil=True),
        "mounts": Items(of=_MOUNT, may_be_nil=True),
        "intelRdt": Record(name="specs.IntelRdt", fields=rdt, is_pointer=True),
        "additionalGids": Items(of=Scalar.UINT32),
    }
    if has_1_1:
        edits["netDevices"] = Items(of=_NET_DEVICE, may_be_nil=True)
    container_edits = Record(name="specs.ContainerEdits", fields=edits)
    device: dict[str, Type] = {
        "name": Scalar.STRING,
        "annotations": Strings(),
        "containerEdits": container_edits,
    }
    return Record(
        name="specs.Spec",
        fields={
            "cdiVersion": Scalar.STRING,
            "kind": Scalar.STRING,
            "annotations": Strings(),
            "devices": Items(of=Record(name="specs.Device", fields=device)),
            "containerEdits": container_edits,
        },
    )
