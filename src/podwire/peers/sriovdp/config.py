"""Read the plugin's configuration file as the plugin reads it, and say what it will refuse.

Sources: cmd/sriovdp/manager.go (readConfig, validConfigs), cmd/sriovdp/main.go,
pkg/factory/factory.go (GetDeviceFilter, parseObjectOrSlice), pkg/utils/utils.go
(ValidResourceName), pkg/netdevice/netDeviceProvider.go (ValidConfig).
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

import msgspec

from podwire.model.evidence import Answer, Known, Path, any_of
from podwire.model.names import ResourceName
from podwire.model.versions import Table, Version, by_version
from podwire.peers.go_json import Fields, Kind, NotJson, Object, Value, fields_of, parse
from podwire.peers.sriovdp.keys import (
    ENTRY_KEYS,
    NET_DEVICE,
    SELECTOR_KEYS,
    TOP_KEYS,
    unknown_keys,
)
from podwire.peers.sriovdp.records import (
    Config,
    ConfigFault,
    Effect,
    Entry,
    FaultKind,
    Selector,
)
from podwire.peers.sriovdp.selector_list import read_selectors

_NAME: Final = re.compile(r"[a-zA-Z0-9_-]+")
_YES: Final = Known(value=True)

_TOP: Final[Mapping[str, Kind]] = dict.fromkeys(TOP_KEYS, Kind.RAW)
_ENTRY: Final[Mapping[str, Kind]] = {
    "resourceName": Kind.STRING,
    "resourcePrefix": Kind.STRING,
    "deviceType": Kind.STRING,
    "excludeTopology": Kind.BOOL,
    "selectors": Kind.RAW,
    "additionalInfo": Kind.TEXT_MAPS,
}

# ValidResourceName: letters, digits and underscores; the hyphen came with #481.
_HYPHEN_REFUSED: Final[Table[bool]] = Table(
    component="sriov-network-device-plugin",
    newest="v3.11.0",
    rows=(("v3.0.0", True), ("v3.6.0", False)),
)

_UNPARSED: Final = (
    "error getting resources from file error unmarshalling raw bytes ... "
    "please make sure the config is in json format"
)
_NIL: Final = "panic: runtime error: invalid memory address or nil pointer dereference"


def accepts_hyphen_since() -> str:
    """Name the first version that takes a hyphen in a resource name."""
    return next(since for since, is_refused in _HYPHEN_REFUSED.rows if not is_refused)


def read_config(text: str, *, default_prefix: str, version: Answer[Version]) -> Config:
    """Read a file; `default_prefix` is the plugin's --resource-prefix.

    Every fault is listed, though the plugin stops at the first that ends it. An entry that
    the plugin drops or cannot read stays among the entries, with `is_kept` false.
    """
    try:
        top = parse(text)
    except NotJson as error:
        fault = _fault(FaultKind.NOT_JSON, path=(), says=_UNPARSED)
        return _ended(msgspec.structs.replace(fault, reason=str(error), at=error.at))
    if not (top is None or isinstance(top, Object)):
        return _ended(_fault(FaultKind.WRONG_TYPE, path=(), says=_UNPARSED))
    fields = fields_of(top or Object(), _TOP)
    listed = fields.value("resourceList")
    base: Path = (fields.written("resourceList"),)
    if not (listed is None or isinstance(listed, list)):
        return _ended(_fault(FaultKind.WRONG_TYPE, path=base, says=_UNPARSED))
    read = [
        _read_entry(value, index=index, path=(*base, index), default_prefix=default_prefix)
        for index, value in enumerate(listed or ())
    ]
    entries = tuple(_named(entry, version=version) for entry, _ in read)
    faults = (
        *(fault for _, found in read for fault in found),
        *_refusals(entries, version=version),
    )
    if not any(entry.is_kept for entry in entries) and not _ends(faults):
        says = "no resource configuration; exiting"
        faults = (*faults, _fault(FaultKind.NOTHING_LEFT, path=base, says=says))
    return Config(
        entries=entries,
        faults=faults,
        is_fatal=any_of(fault.certain for fault in _ends(faults)),
        unknown=unknown_keys(fields.ignored, path=(), keys=TOP_KEYS),
    )


def without_file(config: Config) -> Config:
    """Say what becomes of a configuration that does not stand where the plugin reads it."""
    says = "error getting resources from file error reading file ...: no such file or directory"
    fault = _fault(FaultKind.NO_FILE, path=(), says=says)
    return msgspec.structs.replace(config, faults=(fault,), is_fatal=_YES)


def _ended(fault: ConfigFault) -> Config:
    return Config(entries=(), faults=(fault,), is_fatal=_YES)


def _ends(faults: Iterable[ConfigFault]) -> tuple[ConfigFault, ...]:
    return tuple(fault for fault in faults if fault.effect is Effect.PLUGIN_ENDS)


def _fault(kind: FaultKind, *, path: Path, says: str, certain: Answer[bool] = _YES) -> ConfigFault:
    return ConfigFault(kind=kind, path=path, effect=Effect.PLUGIN_ENDS, says=says, certain=certain)


def _read_entry(
    value: Value, *, index: int, path: Path, default_prefix: str
) -> tuple[Entry, tuple[ConfigFault, ...]]:
    fields = fields_of(value if isinstance(value, Object) else Object(), _ENTRY)
    device_type = fields.text("deviceType") or NET_DEVICE
    entry = Entry(
        index=index,
        path=path,
        resource_name=fields.text("resourceName"),
        prefix=fields.text("resourcePrefix") or default_prefix,
        resource=None,
        device_type=device_type,
        selectors=(),
        exclude_topology=fields.flag("excludeTopology"),
        is_kept=False,
        written=tuple((key, member.written) for key, member in fields.known.items()),
        unknown=unknown_keys(fields.ignored, path=path, keys=ENTRY_KEYS),
    )
    wrong = tuple(
        _fault(FaultKind.WRONG_TYPE, path=where, says=_UNPARSED)
        for where in _wrong_types(value, fields=fields, path=path)
    )
    if wrong:
        return entry, wrong
    if device_type not in SELECTOR_KEYS:
        says = f'error getting resources from file unsupported deviceType:  "{device_type}"'
        where = entry.at("deviceType")
        return entry, (_fault(FaultKind.BAD_DEVICE_TYPE, path=where, says=says),)
    return _with_selectors(entry, fields=fields)


def _wrong_types(value: Value, *, fields: Fields, path: Path) -> Iterator[Path]:
    """Find what does not fit ResourceConfig: Unmarshal of the whole file then fails."""
    if not (value is None or isinstance(value, Object)):
        yield path
    yield from dict.fromkeys((*path, misfit.key) for misfit in fields.misfits)


def _with_selectors(entry: Entry, *, fields: Fields) -> tuple[Entry, tuple[ConfigFault, ...]]:
    path = entry.at("selectors")
    value = fields.value("selectors")
    if value is None:  # The parser reads through a nil pointer: the README calls it optional.
        return entry, (_fault(FaultKind.SELECTORS_MISSING, path=path, says=_NIL),)
    selectors, wrong = read_selectors(value, path=path, device_type=entry.device_type)
    if wrong:
        says = "unable to get SelectorObj from selectors list:'...' for deviceType: "
        return msgspec.structs.replace(entry, selectors=selectors), tuple(
            ConfigFault(
                kind=FaultKind.SELECTORS_UNREADABLE,
                path=where,
                effect=Effect.POOL_DROPPED,
                says=f"{says}{entry.device_type} error: ...",
                certain=_YES,
            )
            for where in wrong
        )
    kept = msgspec.structs.replace(entry, selectors=selectors, is_kept=True)
    nulls = () if not isinstance(value, list) else (i for i, v in enumerate(value) if v is None)
    return kept, tuple(
        _fault(FaultKind.SELECTORS_MISSING, path=(*path, index), says=_NIL) for index in nulls
    )


def _named(entry: Entry, *, version: Answer[Version]) -> Entry:
    refused = _is_refused(entry.resource_name, version=version)
    if isinstance(refused, Known) and refused.value:
        return entry
    name = ResourceName(prefix=entry.prefix, name=entry.resource_name)
    return msgspec.structs.replace(entry, resource=name)


def _is_refused(name: str, *, version: Answer[Version]) -> Answer[bool]:
    if not _NAME.fullmatch(name):
        return _YES
    return by_version(version, _HYPHEN_REFUSED) if "-" in name else Known(value=False)


def _refusals(entries: tuple[Entry, ...], *, version: Answer[Version]) -> Iterator[ConfigFault]:
    """Find what validConfigs refuses; it sees only the entries that were kept."""
    seen: set[str] = set()
    for entry in entries:
        if not entry.is_kept:
            continue
        path = entry.at("resourceName")
        refused = _is_refused(entry.resource_name, version=version)
        if not (isinstance(refused, Known) and not refused.value):
            says = f'resource name "{entry.resource_name}" contains invalid characters'
            yield _fault(FaultKind.BAD_NAME, path=path, says=says, certain=refused)
        if entry.name in seen:
            says = f'resource name "{entry.name}" already exists'
            yield _fault(FaultKind.DUPLICATE_NAME, path=path, says=says)
        seen.add(entry.name)
        yield from (_contradiction(selector) for selector in _contradictory(entry))


def _contradictory(entry: Entry) -> Iterator[Selector]:
    if entry.device_type == NET_DEVICE:
        yield from (s for s in entry.selectors if s.is_rdma and s.vdpa_type)


def _contradiction(selector: Selector) -> ConfigFault:
    says = "invalid config: VdpaType and IsRdma are mutually exclusive options"
    return _fault(FaultKind.RDMA_AND_VDPA, path=selector.at("vdpaType"), says=says)
