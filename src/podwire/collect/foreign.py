"""Objects that make pods and are of no kind that podwire reads: it counts them.

What is in them is not judged; saying so is better than a report that looks complete.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

# Kinds that other groups use too, for something of another form.
_GROUPS: Mapping[str, str] = {
    "Job": "batch",  # Volcano's Job has tasks
    "ClusterPolicy": "nvidia.com",  # Kyverno's has rules
}
_COPIES = frozenset({"ControllerRevision"})  # of what is in sight anyway
_MARKS = (b'"containers"', b'"image"')


class Head(msgspec.Struct, rename="camel"):
    """As much as tells whether podwire reads an object at all."""

    kind: str = ""
    api_version: str = ""


def is_foreign(kind: str, api_version: str) -> bool:
    """Tell a kind of another group from its namesake; without a group it is taken for it."""
    group, written = _GROUPS.get(kind), _group_of(api_version)
    return group is not None and written not in {"", group}


def version_of(tree: Mapping[str, Any]) -> str:
    """Give `apiVersion`; empty where there is none."""
    version = tree.get("apiVersion")
    return version if isinstance(version, str) else ""


def full_kind(kind: str, api_version: str) -> str:
    """Write a kind as kubectl does: `RayJob.ray.io`."""
    group = _group_of(api_version)
    return f"{kind}.{group}" if group else kind


def _group_of(api_version: str) -> str:
    group, slash, _ = api_version.rpartition("/")
    return group if slash else ""


def may_make_pods(raw: bytes) -> bool:
    """Tell fast what cannot make pods."""
    return all(mark in raw for mark in _MARKS)


def makes_pods(tree: Mapping[str, Any]) -> bool:
    """Whether containers with images stand anywhere in it."""
    return tree.get("kind") not in _COPIES and any(map(_is_pod_spec, _mappings(tree)))


def _is_pod_spec(mapping: Mapping[str, Any]) -> bool:
    containers = mapping.get("containers")
    return isinstance(containers, list) and any(
        isinstance(container, dict) and "image" in container for container in containers
    )


def _mappings(tree: object) -> Iterator[Mapping[str, Any]]:
    ahead = [tree]
    while ahead:
        value = ahead.pop()
        if isinstance(value, dict):
            yield value
            ahead.extend(value.values())
        elif isinstance(value, list):
            ahead.extend(value)
