"""A cluster written as `kubectl get -o json` gives it, of any size, one object after another.

kubectl indents; these lists are compact, which leaves more objects to a megabyte.
"""

from collections.abc import Iterable
from pathlib import Path

from bench import cluster

FULL_MB = 665
_FULL_PODS = 100_000
_PODS_ON_A_NODE = 20


def write(folder: Path, *, size_mb: int) -> None:
    """Write a bundle; 665 MB are 5,000 nodes and 100,000 pods, and the rest is in proportion."""
    pods, nodes = _counts(size_mb)
    at = folder / "cluster"
    at.mkdir()
    _write_list(at / "pods.json", cluster.pods(pods, nodes=nodes))
    _write_list(at / "nodes.json", cluster.nodes(nodes))
    _write_list(at / "net-attach-defs.json", cluster.networks())
    _write_list(at / "configmaps.json", cluster.config_maps())


def objects_in(size_mb: int) -> int:
    """Count the objects of a dump."""
    return sum(_counts(size_mb)) + cluster.NAMESPACES + 1


def size_mb_of(folder: Path) -> float:
    """Say how big it came out."""
    return sum(path.stat().st_size for path in folder.rglob("*.json")) / 1e6


def _counts(size_mb: int) -> tuple[int, int]:
    pods = _FULL_PODS * size_mb // FULL_MB
    return pods, pods // _PODS_ON_A_NODE


def _write_list(path: Path, objects: Iterable[str]) -> None:
    with path.open("w") as target:
        target.write('{"apiVersion":"v1","kind":"List","metadata":{"resourceVersion":""},"items":[')
        comma = ""
        for item in objects:
            target.write(comma + item)
            comma = ","
        target.write("]}\n")
