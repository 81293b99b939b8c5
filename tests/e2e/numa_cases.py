"""Rule cases about NUMA nodes as pods for the nodes of these tests, which are like the cases'."""

from collections.abc import Iterator

import yaml

from tests.e2e.api import Object
from tests.e2e.case_objects import Told, objects_of, told
from tests.e2e.case_tiers import Tier, tier_of
from tests.e2e.numa_pods import Setting, Try
from tests.rule_cases import cases


def numa_cases() -> Iterator[tuple[Told, Setting, Try]]:
    """Give each case's pod with the setting of each node that the finding is about."""
    for case in cases("fires"):
        for each in told(case):
            if tier_of(each) is Tier.NUMA:
                attempt = Try(each.id.lower(), *_asks(each))
                yield from ((each, setting, attempt) for setting in _settings(each))


def _settings(each: Told) -> Iterator[Setting]:
    for ref in each.subjects:
        file = each.case.folder / "nodes" / ref.name / "kubelet-config.yaml"
        if ref.kind == "Node" and file.exists():
            config = yaml.safe_load(file.read_text())
            yield Setting(config["topologyManagerPolicy"], config["topologyManagerScope"])


def _asks(each: Told) -> tuple[tuple[dict[str, int], ...], tuple[dict[str, int], ...]]:
    name = next(ref.name for ref in each.subjects if ref.kind == "Pod")
    pod = next(
        o
        for o in objects_of(each.case.folder)
        if o.get("kind") == "Pod" and o["metadata"]["name"] == name
    )
    return _amounts(pod, "containers"), _amounts(pod, "initContainers")


def _amounts(pod: Object, kind: str) -> tuple[dict[str, int], ...]:
    return tuple(
        {
            resource: int(count)
            for resource, count in container.get("resources", {}).get("limits", {}).items()
            if "/" in resource
        }
        for container in pod["spec"].get(kind, ())
    )
