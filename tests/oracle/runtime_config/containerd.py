"""Ask containerd how it reads a configuration.

2.x says so itself (`containerd config dump`); for 1.7 `main.go` asks its packages.
"""

import json
import os
import subprocess
import tempfile
import tomllib
from collections.abc import Callable
from pathlib import Path

from tests.oracle.kubelet import CACHE
from tests.oracle.runtime_config.cases import MAIN, Case

PROGRAM = CACHE / "bin" / "containerd"
VERSION = "2.4.2"
OLD_VERSION = "1.7.28"

_SECTION = "io.containerd.cri.v1.runtime"
_KEPT = (
    "runtime_type",
    "pod_annotations",
    "container_annotations",
    "privileged_without_host_devices",
)


def build_old() -> Path:
    """Build the program for 1.7; Go does nothing when it is up to date."""
    target = CACHE / f"containerd-config-{OLD_VERSION}"
    command = ["nice", "-n", "10", "go", "build", "-buildvcs=false", "-o", str(target), "."]
    environment = {**os.environ, "GOFLAGS": "-mod=readonly"}
    subprocess.run(  # noqa: S603 - our own arguments
        command, cwd=Path(__file__).parent, check=True, env=environment
    )
    return target


def answer(case: Case, *, program: Path = PROGRAM) -> Case:
    """Give what containerd 2.x starts with; empty where it does not start."""
    said = _asked(case, lambda main: [program, "-c", main, "config", "dump"])
    return _kept(tomllib.loads(said)["plugins"][_SECTION]) if said else {}


def old_answer(case: Case, *, program: Path) -> Case:
    """Give what containerd 1.7 starts with; empty where it does not start."""
    said = _asked(case, lambda main: [program, main])
    found: Case = json.loads(said) if said else {}
    return found


def _asked(case: Case, command: Callable[[str], list[Path | str]]) -> str:
    with tempfile.TemporaryDirectory() as root:
        for name, text in case["files"].items():
            path = Path(root, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            # Its folder lies elsewhere here; folders of CDI specs keep their names.
            path.write_text(text.replace('"/etc/containerd/', f'"{root}/etc/containerd/'))
        done = subprocess.run(  # noqa: S603 - our own build
            command(str(Path(root, MAIN))), capture_output=True, text=True, check=False
        )
    return "" if done.returncode else done.stdout


def _kept(section: Case) -> Case:
    runtimes = section["containerd"]["runtimes"]
    return {
        "default": section["containerd"]["default_runtime_name"],
        "spec_dirs": section["cdi_spec_dirs"],
        "cdi": section.get("enable_cdi", True),
        "runtimes": {
            name: {
                "binary": runtime.get("options", {}).get("BinaryName", ""),
                **{key: runtime[key] for key in _KEPT},
            }
            for name, runtime in sorted(runtimes.items())
        },
    }
