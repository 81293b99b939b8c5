"""Cases for containerd: a configuration with imports, made up from a seed."""

import random
from collections.abc import Iterator
from typing import Any, TypeAlias

Case: TypeAlias = dict[str, Any]

MAIN = "etc/containerd/config.toml"

_OLD = '"io.containerd.grpc.v1.cri"'
_NEW = "'io.containerd.cri.v1.runtime'"
_NAMES = ("runc", "nvidia", "nvidia-cdi", "kata.v2")
_DROP_INS = ("conf.d/99-nvidia.toml", "conf.d/10-base.toml", "conf.d/b.tml", "extra.toml")
_IMPORTS: tuple[list[str], ...] = (
    [],
    [],
    ["conf.d/*.toml"],
    ["/etc/containerd/conf.d/*.toml"],
    ["conf.d/*.toml", "extra.toml"],
    ["./conf.d/../extra.toml"],
    ["conf.d/9?-*.toml"],
    ["conf.d/[0-5]*.toml"],
    ["gone/*.toml"],
)
_VALUES: dict[str, tuple[str, ...]] = {
    "runtime_type": ('"io.containerd.runc.v2"', '"io.containerd.kata.v2"', '""'),
    "pod_annotations": ('["cdi.k8s.io/*"]', "[]", '["a", "b"]'),
    "container_annotations": ('["cdi.k8s.io/*", "x"]', "[]"),
    "privileged_without_host_devices": ("true", "false"),
    "snapshotter": ('"overlayfs"',),
}
_BINARIES = (
    "/usr/bin/nvidia-container-runtime",
    "/usr/local/nvidia/toolkit/nvidia-container-runtime.cdi",
    "nvidia-container-runtime.legacy",
    "/usr/bin/runc",
    "",
)


def cases(seed: int) -> Iterator[Case]:
    """Make cases without end, the same for the same seed."""
    chance = random.Random(seed)  # noqa: S311 - cases, not secrets
    while True:
        yield _case(chance)


def _case(chance: random.Random) -> Case:
    imports = chance.choice(_IMPORTS)
    files = {MAIN: _file(chance, imports)}
    names = set(chance.sample(_DROP_INS, chance.choice((0, 1, 2, 3))))
    # `config dump` goes on without a file that is not there; containerd does not start.
    names |= {"extra.toml"} if any("extra" in each for each in imports) else set()
    for name in sorted(names):
        imports = ["extra.toml"] if chance.random() < 0.1 and name == "extra.toml" else []
        files[f"etc/containerd/{name}"] = _file(chance, imports)
    return {"files": files}


def _file(chance: random.Random, imports: list[str]) -> str:
    version = chance.choices(("1", "2", "3", "4", "5", ""), (2, 8, 8, 3, 1, 2))[0]
    lines = [f"version = {version}"] if version else []
    if imports:
        lines.append("imports = [" + ", ".join(f'"{each}"' for each in imports) + "]")
    is_old = version in {"2", "1", ""}
    section = _OLD if is_old != (chance.random() < 0.1) else _NEW
    if version in {"1", ""} and chance.random() < 0.8:
        section = "cri"
    lines += _section(chance, section)
    if chance.random() < 0.15:
        lines += _section(chance, _NEW if section != _NEW else _OLD)
    return "\n".join((*lines, ""))


def _section(chance: random.Random, section: str) -> Iterator[str]:
    above = f"plugins.{section}"
    if chance.random() < 0.5:
        yield f"[{above}]"
        if chance.random() < 0.5:
            yield "  cdi_spec_dirs = " + chance.choice(('["/opt/cdi"]', "[]", '["/a", "/etc/cdi"]'))
        if chance.random() < 0.4:
            yield "  enable_cdi = " + chance.choice(("true", "false"))
    if chance.random() < 0.5:
        yield f"[{above}.containerd]"
        if chance.random() < 0.8:
            yield f'  default_runtime_name = "{chance.choice((*_NAMES, ""))}"'
    for name in chance.sample(_NAMES, chance.choice((0, 1, 1, 2))):
        yield from _runtime(chance, f'{above}.containerd.runtimes."{name}"')


def _runtime(chance: random.Random, table: str) -> Iterator[str]:
    yield f"[{table}]"
    for name in chance.sample(tuple(_VALUES), chance.choice((0, 1, 2, 3))):
        yield f"  {name} = {chance.choice(_VALUES[name])}"
    if chance.random() < 0.7:
        yield f"  [{table}.options]"
        if chance.random() < 0.8:
            yield f'    BinaryName = "{chance.choice(_BINARIES)}"'
        if chance.random() < 0.4:
            yield "    SystemdCgroup = true"
