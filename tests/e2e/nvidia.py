"""NVIDIA's own container runtime on a node: two made-up GPUs, its configuration, CDI specs."""

import json
from pathlib import Path

import msgspec

from tests.e2e.node import Node
from tests.oracle.toolkit.programs import PLAIN, build, driver_root
from tests.oracle.toolkit.specs import MANAGEMENT, PLUGIN, uuid

VERSION = "1.20.2"
_ACCEPT = "accept-nvidia-visible-devices"
UUIDS = (uuid(0), uuid(1))
_RUNTIMES = '[plugins."io.containerd.grpc.v1.cri".containerd.runtimes'


class Toolkit(msgspec.Struct, frozen=True):
    """What config.toml says beside what a run needs."""

    mode: str = "auto"
    kind: str = "nvidia.com/gpu"
    accepts_variable: bool = True
    accepts_mounts: bool = False


AS_OPERATOR = Toolkit(mode="cdi", kind=MANAGEMENT)


def lay(node: Node, *, runc: Path) -> None:
    """Write the runtime as a handler of containerd's, before the node starts.

    containerd starts a script that says where configuration and made-up driver are.
    """
    folder = _folder(node)
    folder.mkdir(parents=True)
    (folder / "nvidia-cdi-hook").write_text("#!/bin/sh\nexit 0\n")
    program = build(VERSION) / PLAIN
    script = f'#!/bin/sh\nXDG_CONFIG_HOME={folder}/config PODWIRE_GPUS=2 exec {program} "$@"\n'
    (folder / PLAIN).write_text(script)
    for name in ("nvidia-cdi-hook", PLAIN):
        (folder / name).chmod(0o755)
    (folder / "runc").symlink_to(runc)
    more = (
        f'  {_RUNTIMES}.nvidia]\n    runtime_type = "io.containerd.runc.v2"\n'
        '    container_annotations = ["cdi.k8s.io/*"]\n'
        f'  {_RUNTIMES}.nvidia.options]\n    BinaryName = "{folder / PLAIN}"\n'
    )
    (node.folder / "containerd.more").write_text(more)
    configure(node, Toolkit())


def configure(node: Node, toolkit: Toolkit) -> None:
    """Write config.toml; the runtime reads it for each container."""
    file = _folder(node) / "config/nvidia-container-runtime/config.toml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(config(node, toolkit))


def config(node: Node, toolkit: Toolkit) -> str:
    """Give config.toml as text."""
    folder = _folder(node)
    known = {True: "true", False: "false"}
    return "\n".join(
        (
            f"{_ACCEPT}-envvar-when-unprivileged = {known[toolkit.accepts_variable]}",
            f"{_ACCEPT}-as-volume-mounts = {known[toolkit.accepts_mounts]}",
            "[nvidia-container-cli]",
            f'root = "{driver_root()}"',
            "[nvidia-container-runtime]",
            f'debug = "{folder}/log"',
            f'runtimes = ["{folder}/runc"]',
            f'mode = "{toolkit.mode}"',
            "[nvidia-container-runtime.modes.cdi]",
            f'spec-dirs = ["{node.folder}/cdi"]',
            f'default-kind = "{toolkit.kind}"',
            "[nvidia-ctk]",
            f'path = "{folder}/nvidia-cdi-hook"',
            "",
        )
    )


def management_spec(node: Node) -> None:
    """Write what the operator's toolkit writes: the device `all`, for its own containers."""
    _write(node, "management.nvidia.com-gpu.json", MANAGEMENT, "all")


def plugins_spec(node: Node) -> None:
    """Write what a device plugin with a CDI strategy writes."""
    _write(node, "k8s.device-plugin.nvidia.com-gpu.json", PLUGIN, *UUIDS)


def _write(node: Node, file: str, kind: str, *names: str) -> None:
    every = [{"path": "/dev/nvidia0"}, {"path": "/dev/nvidia1"}]
    by_name = {"all": every, **{name: [every[n]] for n, name in enumerate(UUIDS)}}
    devices = [
        {
            "name": name,
            "containerEdits": {
                "deviceNodes": [
                    {**each, "hostPath": f"{driver_root()}{each['path']}"} for each in by_name[name]
                ]
            },
        }
        for name in names
    ]
    folder = node.folder / "cdi"
    folder.mkdir(exist_ok=True)
    spec = {"cdiVersion": "0.5.0", "kind": kind, "devices": devices}
    (folder / file).write_text(json.dumps(spec))


def clear_specs(node: Node) -> None:
    """Take all specs away."""
    for file in (node.folder / "cdi").glob("*.json"):
        file.unlink()


def _folder(node: Node) -> Path:
    return node.folder / "nvidia"


def write_facts(node: Node, folder: Path, toolkit: Toolkit) -> None:
    """Write a bundle's files of the node, as they would lie on a machine, and the version."""
    version = f"components: {{nvidia-container-toolkit: v{VERSION}}}\n"
    texts = {
        "images.json": json.dumps({"lab.local/busybox:1": {"Env": ["PATH=/bin"]}}),
        "toolkit/config.toml": config(node, toolkit).replace(f"{node.folder}/cdi", "/var/run/cdi"),
        "etc/containerd/config.toml": _containerd(),
        "nvidia-smi-L.txt": "".join(
            f"GPU {n}: NVIDIA H200 (UUID: {name})\n" for n, name in enumerate(UUIDS)
        ),
    }
    specs = sorted((node.folder / "cdi").glob("*.json"))
    texts |= {f"var/run/cdi/{file.name}": file.read_text() for file in specs}
    texts["var/run/cdi/LISTING.txt"] = "".join(f"{file.name}\n" for file in specs)
    texts["etc/cdi/LISTING.txt"] = ""
    named = {f"nodes/{node.name}/{name}": text for name, text in texts.items()}
    named["spec/wiring.yaml"] = f"apiVersion: podwire.io/v1alpha1\nkind: Wiring\n{version}"
    for name, text in named.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def _containerd() -> str:
    return (
        'version = 2\n[plugins."io.containerd.grpc.v1.cri"]\n  enable_cdi = true\n'
        f'  {_RUNTIMES}.runc]\n    runtime_type = "io.containerd.runc.v2"\n'
        f'  {_RUNTIMES}.nvidia]\n    runtime_type = "io.containerd.runc.v2"\n'
        '    container_annotations = ["cdi.k8s.io/*"]\n'
        f"  {_RUNTIMES}.nvidia.options]\n"
        '    BinaryName = "/usr/local/nvidia/toolkit/nvidia-container-runtime"\n'
    )
