"""Build the programs of one version, and what stands in for a driver."""

import hashlib
import os
import subprocess
from pathlib import Path

HERE = Path(__file__).parent
CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "podwire-kube" / "toolkit"
VERSIONS = tuple(sorted(path.name for path in (HERE / "modules").iterdir()))

PLAIN = "nvidia-container-runtime"
HOOK = "nvidia-container-runtime-hook"
FORCED = (f"{PLAIN}.cdi", f"{PLAIN}.legacy")
# go-nvml binds every function of NVML, also those that its header calls deprecated.
_QUIET = {**os.environ, "CGO_CFLAGS": "-O2 -Wno-deprecated-declarations"}
_MODULE = "github.com/NVIDIA/nvidia-container-toolkit/cmd"
_DRIVER = "570.00"
_LIBRARIES = ("libnvidia-ml.so", "libcuda.so")
_NODES = ("nvidiactl", "nvidia-uvm", "nvidia-uvm-tools")
# Of the low-level runtime nothing is wanted, of nvidia-container-cli what it is told.
STAND_INS = {
    "runc": "#!/bin/sh\nexit 0\n",
    "cli": '#!/bin/sh\nprintf "%s\\n" "$@" > "${0%/*}/cli.txt"\n',
}
_MOST_GPUS = 8
_NULL = os.makedev(1, 3)


def _key(*files: Path) -> str:
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:16]


def build(version: str) -> Path:
    """Build a version's programs, once for each go.sum."""
    module = HERE / "modules" / version
    target = CACHE / f"{version}-{_key(module / 'go.mod', module / 'go.sum')}"
    for name in (PLAIN, HOOK, *FORCED):
        if not (target / name).exists():
            command = ["nice", "-n", "10", "go", "build", "-buildvcs=false", "-trimpath"]
            command += ["-ldflags=-s -w", "-o", str(target / name), f"{_MODULE}/{name}"]
            subprocess.run(command, cwd=module, env=_QUIET, check=True)  # noqa: S603 - our own
    return target


def driver_root() -> Path:
    """Make a folder that looks like a machine with the driver: libraries and device nodes.

    The nodes are all /dev/null by number, so that nothing can come of them.
    """
    source = HERE / "nvml.c"
    target = CACHE / f"driver-{_key(source, Path(__file__))}"
    if target.exists():
        return target
    making = target.with_suffix(".making")
    libraries = making / "usr" / "lib64"
    libraries.mkdir(parents=True, exist_ok=True)
    for name in _LIBRARIES:
        file = libraries / f"{name}.{_DRIVER}"
        command = ["cc", "-O2", "-shared", "-fPIC", f"-Wl,-soname,{name}.1", "-o", str(file)]
        subprocess.run([*command, str(source)], check=True)  # noqa: S603 - our own arguments
        (libraries / f"{name}.1").symlink_to(file.name)
    _make_nodes(making / "dev")
    return making.rename(target)


def _make_nodes(folder: Path) -> None:
    named = (f"nvidia{index}" for index in range(_MOST_GPUS))
    below = ("nvidia-caps-imex-channels/channel0", "nvidia-caps-imex-channels/channel1")
    infiniband = ("infiniband/uverbs0", "infiniband/rdma_cm")
    for name in (*_NODES, *named, *below, *infiniband):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        os.mknod(path, 0o20666, _NULL)


def stand_in(name: str) -> Path:
    """Write a program that stands in for another, once."""
    text = STAND_INS[name]
    target = CACHE / f"{name}-{hashlib.sha256(text.encode()).hexdigest()[:16]}"
    if not target.exists():
        making = target.with_suffix(f".{os.getpid()}")
        making.write_text(text)
        making.chmod(0o755)
        making.rename(target)
    return target
