"""The CDI specs of rows, by what they are; their devices leave marks in a container."""

import json

NVIDIA = "nvidia.com/gpu"
MANAGEMENT = "management.nvidia.com/gpu"
PLUGIN = "k8s.device-plugin.nvidia.com/gpu"


def uuid(index: int) -> str:
    """What the stand-in for NVML calls a GPU."""
    return f"GPU-0000000{index:x}-aaaa-bbbb-cccc-dddddddddddd"


def spec(kind: str, *devices: str) -> str:
    """Write a CDI spec whose devices can be told apart in the container's variables."""
    written = [
        {"name": name, "containerEdits": {"env": [f"GOT {kind}#{name}=1"]}} for name in devices
    ]
    shared = {"env": ["NVIDIA_VISIBLE_DEVICES=void"]}
    tree = {"cdiVersion": "0.5.0", "kind": kind, "devices": written, "containerEdits": shared}
    return json.dumps(tree)


SPECS: dict[str, dict[str, str]] = {
    "none": {},
    "by index": {"cdi/nvidia.json": spec(NVIDIA, "0", "1", "all")},
    "by uuid": {"cdi/plugin.json": spec(PLUGIN, uuid(0), uuid(1))},
    "management": {"cdi/management.json": spec(MANAGEMENT, "all")},
    "all kinds": {
        "cdi/nvidia.json": spec(NVIDIA, "0", "1", uuid(0), uuid(1), "all", "none"),
        "cdi/plugin.json": spec(PLUGIN, uuid(0), uuid(1)),
        "cdi/management.json": spec(MANAGEMENT, "all"),
    },
    "two folders": {
        "cdi/nvidia.json": spec(NVIDIA, "0"),
        "run/nvidia.json": spec(NVIDIA, "1", "all"),
    },
    "generated kind": {"cdi/own.json": spec("runtime.nvidia.com/gpu", "7", "all")},
    "conflict": {"cdi/a.json": spec(NVIDIA, "0", "1"), "cdi/b.json": spec(NVIDIA, "0")},
}


def texts(named: str | dict[str, str]) -> dict[str, str]:
    """Give a row's specs by file; recorded rows of a real driver have theirs in full."""
    return SPECS[named] if isinstance(named, str) else named
