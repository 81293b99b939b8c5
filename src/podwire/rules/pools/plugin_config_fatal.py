"""The device plugin ends at its configuration, and every pool of it is gone.

What you see
    The plugin's pod restarts again and again. No node has any of its
    resources, and pods that request one stay Pending.

Why
    The plugin reads its file once, at its start, and ends when the file is
    missing or no JSON, when a value is of another type, when deviceType is
    none of netDevice, accelerator and auxNetDevice (the operator's netdevice
    and vfio-pci are none), when two pools have one name, when isRdma and
    vdpaType stand together, when an entry has no selectors, or when no
    entry is left. One wrong entry costs all pools.

Fix
    Correct the place that is named, then restart the plugin's pods: it does
    not read the file again.
"""

from collections import defaultdict
from collections.abc import Iterator

from podwire.findings.model import Evidence, Finding, Fix, Joint, Rule, Severity
from podwire.findings.starved import of_ended
from podwire.peers.sriovdp.records import Config, ConfigFault, Effect, FaultKind
from podwire.wire.joined.plugins import Plugin, Text
from podwire.wire.picture import Picture
from podwire.wire.pools.config_text import written_at
from podwire.wire.pools.on_nodes import outlived
from podwire.wire.pools.plugin_state import all_of_it, faults_of, when, workload_of

_FIXES = {
    FaultKind.NO_FILE: "write the configuration under the key that the plugin reads, ",
    FaultKind.NOT_JSON: "write the file as JSON: no comments, no comma after the last item",
    FaultKind.WRONG_TYPE: "write a value of the type that the key takes",
    FaultKind.BAD_DEVICE_TYPE: "set deviceType to netDevice, or leave it out; select a driver "
    "such as vfio-pci by drivers",
    FaultKind.DUPLICATE_NAME: "give the pools different names, or put their selectors into one "
    "entry as a list",
    FaultKind.RDMA_AND_VDPA: "take out isRdma or vdpaType",
    FaultKind.SELECTORS_MISSING: "write selectors; an empty object takes every network function",
    FaultKind.NOTHING_LEFT: "write entries below the key resourceList",
}


def check(plugin: Plugin, picture: Picture) -> Iterator[Finding]:
    """Look for faults that end the plugin; names that it refuses have a rule of their own."""
    text, config = plugin.text.need().value, plugin.config.need().value
    found: dict[FaultKind, list[ConfigFault]] = defaultdict(list)
    for fault in faults_of(plugin, Effect.PLUGIN_ENDS):
        found[fault.kind].append(fault)
    found.pop(FaultKind.BAD_NAME, None)
    if config.entries or plugin.is_one_of_many or plugin.only_on:
        found.pop(FaultKind.NOTHING_LEFT, None)  # Another rule's; an operator writes empty files.
    lasting = outlived(plugin, picture)
    of = f" of {plugin.only_on}" if plugin.only_on else ""
    for kind, faults in found.items():
        yield Finding(
            severity=Severity.WARNING if lasting else Severity.ERROR,
            message=f"{plugin.ref.full_name}: {_says(faults[0], text, config)}: the device plugin"
            f"{of} ends{when(lasting)} and {all_of_it(plugin, picture)}",
            evidence=(
                *(Evidence(at=text.place_at(f.path), saw=_saw(f, text)) for f in faults[:3]),
                *((Evidence(at=lasting.place, saw=str(lasting.count)),) if lasting else ()),
            ),
            sees=f"the plugin's pods restart and log: {faults[0].says}; "
            f"{plugin.only_on or 'no node'} has {'no' if of else 'a'} resource of it, pods stay "
            "Pending",
            fix=(Fix(text=f"{_FIXES[kind]}{text.missing}; then restart the plugin's pods"),),
            assumes=("a device plugin reads it",) if plugin.is_one_of_many else (),
            also=tuple(workload_of(plugin)),
            explains=tuple(of_ended(plugin, picture)),
        )


def _saw(fault: ConfigFault, text: Text) -> str:
    if fault.kind is FaultKind.NO_FILE:
        return f"no {text.missing}"
    if fault.kind is FaultKind.NOT_JSON:
        return _where(fault, text)
    return written_at(text.text, fault.path) or fault.kind.value


def _where(fault: ConfigFault, text: Text) -> str:
    line = text.text.count("\n", 0, fault.at) + 1
    column = fault.at - text.text.rfind("\n", 0, fault.at)
    return f"line {line}, column {column}: {fault.reason}"


def _says(fault: ConfigFault, text: Text, config: Config) -> str:
    value = written_at(text.text, fault.path)
    key = str(fault.path[-1]) if fault.path else "the file"
    ignored = ", ".join(key.key for key in config.unknown)
    says = {
        FaultKind.NO_FILE: f"it has no key {text.missing}, which the device plugin reads",
        FaultKind.NOT_JSON: f"it is not JSON ({_where(fault, text)})",
        FaultKind.WRONG_TYPE: f"{key} is {value}, a value of another type",
        FaultKind.BAD_DEVICE_TYPE: f"deviceType {value} is none that the device plugin knows",
        FaultKind.DUPLICATE_NAME: f"two entries are named {value}",
        FaultKind.RDMA_AND_VDPA: "isRdma and vdpaType exclude one another",
        FaultKind.SELECTORS_MISSING: "an entry has no selectors",
        FaultKind.NOTHING_LEFT: "resourceList has no entry"
        + (f", and {ignored} is no key that it knows" if ignored else ""),
    }
    return says.get(fault.kind, fault.kind.value)


RULE = Rule(
    id="PW702",
    slug="plugin-config-fatal",
    title="Device plugin ends at its configuration",
    since="0.1",
    joint=Joint.POOL,
    refs=(
        "sriov-network-device-plugin v3.11.0 cmd/sriovdp/main.go, cmd/sriovdp/manager.go",
        "sriov-network-device-plugin v3.11.0 pkg/factory/factory.go GetDeviceFilter",
    ),
    over=lambda picture: picture.plugins,
    check=check,
)
