"""Answers of kubelet's PodResources service, in the spellings that tools write them in."""

from collections.abc import Mapping
from typing import TypeVar

import msgspec

from podwire.documents import json
from podwire.documents.text import Problem
from podwire.facts.node import Allocatable, PodDevices
from podwire.spec.shape import mismatches, without_nulls

T = TypeVar("T")

# gRPC tools write the names of the proto file, protojson and kubectl plugins camel case.
_NAMES: Mapping[str, str] = {
    "podResources": "pod_resources",
    "resourceName": "resource_name",
    "deviceIds": "device_ids",
    "deviceIDs": "device_ids",
    "cpuIds": "cpu_ids",
    "memoryType": "memory_type",
    "cpuIDs": "cpu_ids",
    "id": "ID",
}


class _List(msgspec.Struct):
    """ListPodResourcesResponse."""

    pod_resources: tuple[PodDevices, ...] = ()


def allocatable(text: str) -> Allocatable | Problem:
    """Read `podresources-allocatable.json`: an AllocatableResourcesResponse."""
    return _read(text, Allocatable)


def held(text: str) -> tuple[PodDevices, ...] | Problem:
    """Read `podresources-list.json`."""
    answer = _read(text, _List)
    return answer if isinstance(answer, Problem) else answer.pod_resources


def _read(text: str, record: type[T]) -> T | Problem:
    loaded = json.load(text)
    if loaded.problem is not None:
        return loaded.problem
    tree = without_nulls(_renamed(loaded.value))
    try:
        return msgspec.convert(tree, record, strict=False)  # protojson writes int64 as strings.
    except msgspec.ValidationError as error:
        wrong = next(mismatches(tree, record), None)
        if wrong is None:
            return Problem(message=str(error))
        return Problem(message=wrong.message, path=wrong.path)


def _renamed(tree: object) -> object:
    if isinstance(tree, dict):
        return {_NAMES.get(key, key): _renamed(value) for key, value in tree.items()}
    if isinstance(tree, list):
        return [_renamed(value) for value in tree]
    return tree
