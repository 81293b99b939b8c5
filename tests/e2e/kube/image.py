"""Makes a container image of one static busybox, as an archive that containerd imports."""

import hashlib
import io
import json
import platform
import sys
import tarfile
from pathlib import Path

_ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
_APPLETS = ("cat", "env", "ip", "sh", "sleep")


def _archive(files: dict[str, bytes], links: dict[str, str]) -> bytes:
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w") as archive:
        for name, data in files.items():
            entry = tarfile.TarInfo(name)
            entry.mode, entry.size = 0o755, len(data)
            archive.addfile(entry, io.BytesIO(data))
        for name, target in links.items():
            entry = tarfile.TarInfo(name)
            entry.type, entry.linkname = tarfile.SYMTYPE, target
            archive.addfile(entry)
    return raw.getvalue()


def image(name: str, busybox: bytes) -> bytes:
    """Sleeps unless told otherwise, so that it serves as the pause image too."""
    layer = _archive({"bin/busybox": busybox}, {f"bin/{name}": "busybox" for name in _APPLETS})
    digest = hashlib.sha256(layer).hexdigest()
    config = {
        "architecture": _ARCHITECTURES[platform.machine()],
        "os": "linux",
        "config": {
            "Entrypoint": ["/bin/busybox"],
            "Cmd": ["sleep", "2147483647"],
            "Env": ["PATH=/bin"],
        },
        "rootfs": {"type": "layers", "diff_ids": [f"sha256:{digest}"]},
    }
    manifest = [{"Config": "config.json", "RepoTags": [name], "Layers": [f"{digest}/layer.tar"]}]
    files = {
        "config.json": json.dumps(config).encode(),
        f"{digest}/layer.tar": layer,
        "manifest.json": json.dumps(manifest).encode(),
    }
    return _archive(files, {})


if __name__ == "__main__":
    out, name, busybox = sys.argv[1:]
    Path(out).write_bytes(image(name, Path(busybox).read_bytes()))
