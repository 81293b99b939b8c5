"""What a rule's case consists of, made fit to stand beside the others in one real cluster.

Each case gets namespaces and resource names of its own, and pods whose image can be had. On a
real node also what has nothing to do with networks and devices is left out of pods: volumes,
accounts, classes and requirements that only the case's own machines meet.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import yaml

from podwire.findings.model import Finding
from podwire.model.names import Ref
from podwire.wire.picture import Picture
from tests.e2e.api import Object
from tests.e2e.scenarios import NETWORKS
from tests.rule_cases import Case, said

IMAGE = "lab.local/busybox:1"
RESOURCE_NAME = "k8s.v1.cni.cncf.io/resourceName"
# Objects that fault and pods are made of; what makes device plugins is not in force here.
_APPLIED = {
    *("Namespace", "NetworkAttachmentDefinition", "Pod"),
    *("Deployment", "StatefulSet", "DaemonSet", "Job", "CronJob"),
}
_OF_PODS = {  # the fields of a pod's spec that are kept on a real node
    *("containers", "initContainers", "hostNetwork", "restartPolicy"),
}
_OF_CONTAINERS = {"name", "resources", "restartPolicy", "securityContext"}


class Told(msgspec.Struct, frozen=True):
    """One finding of the case's own rule, and about what."""

    id: str
    case: Case
    finding: Finding
    subjects: tuple[Ref, ...]


def told(case: Case) -> Iterator[Told]:
    """Give what the case's rule says about it."""
    found = [judged for judged in said(case.folder).report.findings if judged.rule is case.rule]
    for number, judged in enumerate(found, start=1):
        yield Told(
            id=case.id if number == 1 else f"{case.id}-{number}",
            case=case,
            finding=judged.finding,
            subjects=judged.subjects,
        )


def objects_of(folder: Path) -> list[Object]:
    """Read the Kubernetes objects of a case, Lists taken apart."""
    found: list[Object] = []
    files = [*folder.rglob("manifests/**/*.yaml"), *folder.rglob("cluster/*.json")]
    for file in sorted(files):
        for document in yaml.safe_load_all(file.read_text()):
            if isinstance(document, dict):
                found += document.get("items", [document])
    return found


class Stage:
    """A case's objects under names of their own."""

    def __init__(self, case: Case, number: int) -> None:
        self.case = case
        self.mark = f"c{number}"
        self._raw = objects_of(case.folder)
        self._namespaces = {
            *(o["metadata"].get("namespace", "default") for o in self._raw if _is_applied(o)),
            *(o["metadata"]["name"] for o in self._raw if o.get("kind") == "Namespace"),
        }

    @property
    def namespaces(self) -> list[str]:
        return sorted(f"{self.mark}-{name}" for name in self._namespaces)

    @property
    def probes(self) -> str:
        """Name the namespace for pods that the case itself does not have."""
        return f"{self.mark}-probe"

    def made(self) -> set[str]:
        """Name what its pools make, as it is named here."""
        picture = Picture(said(self.case.folder).facts)
        pools = {str(pool.entry.resource) for pool in picture.pools if pool.entry.resource}
        return {self.renamed(name) for name in pools}

    def resources(self) -> set[str]:
        """Name what its pods ask for as well."""
        asked = {name for spec in self._specs() for name in _asked(spec)}
        return self.made() | {self.renamed(name) for name in asked if _is_domain(name)}

    def ref(self, of: Ref) -> str:
        """Give namespace and name that an object of the case has here."""
        return f"{self.mark}-{of.namespace}/{of.name}"

    def renamed(self, text: str) -> str:
        """Put the names that hold here into what podwire says of the case."""
        for name in self._namespaces:
            text = re.sub(rf"(?<![\w.-]){re.escape(name)}(?=[/)])", f"{self.mark}-{name}", text)
        return re.sub(
            r"(?<![\w./-])((?:[a-z0-9-]+\.)+[a-z]+/[A-Za-z]\w*)",
            lambda found: found[1] if "cncf.io" in found[1] else f"{self.mark}.{found[1]}",
            text,
        )

    def objects(self, *, on_a_node: bool) -> list[Object]:
        """Give what is applied, in an order that the API server takes."""
        chosen = [self._own(o, on_a_node=on_a_node) for o in self._raw if _is_applied(o)]
        rest = [_started(o) for o in chosen if o["kind"] != "Namespace"]
        return sorted(rest, key=lambda o: o["kind"] != "NetworkAttachmentDefinition")

    def nodes(self) -> list[Object]:
        """Give the case's nodes with the resource names that hold here."""
        return [_node(o, self) for o in self._raw if o.get("kind") == "Node"]

    def _specs(self) -> Iterator[Object]:
        for wanted in self._raw:
            if _is_applied(wanted):
                yield from (spec for spec in [_pod_spec(wanted)] if spec)

    def _own(self, wanted: Object, *, on_a_node: bool) -> Object:
        copy: Object = json.loads(json.dumps(wanted))
        meta = copy["metadata"]
        kept = {"name", "labels", "annotations"}
        copy = {k: v for k, v in copy.items() if k in {"apiVersion", "kind", "spec"}}
        copy["metadata"] = {k: v for k, v in meta.items() if k in kept}
        if copy["kind"] != "Namespace":
            copy["metadata"]["namespace"] = f"{self.mark}-{meta.get('namespace', 'default')}"
        for annotations in _annotations(copy):
            self._rename_annotations(annotations)
        if copy["kind"] == "NetworkAttachmentDefinition" and "config" in copy.get("spec", {}):
            copy["spec"]["config"] = _with_quick_addresses(copy["spec"]["config"])
        spec = _pod_spec(copy)
        if spec is not None:
            self._fit(spec, on_a_node=on_a_node)
        if copy["kind"] in {"Deployment", "StatefulSet", "DaemonSet"}:
            _complete(copy)
        return copy

    def _rename_annotations(self, annotations: dict[str, str]) -> None:
        for key, value in annotations.items():
            if key == RESOURCE_NAME:
                annotations[key] = self.renamed(value)
            elif key.startswith(NETWORKS[:-1]):
                annotations[key] = self._renamed_networks(value)

    def _renamed_networks(self, value: str) -> str:
        """Rename the namespaces of a networks annotation in either form."""
        for name in self._namespaces:
            own = f"{self.mark}-{name}"
            value = re.sub(rf"(?<![\w.-]){name}/", f"{own}/", value)
            value = re.sub(rf"(\"namespace\"\s*:\s*\"){name}\"", rf'\g<1>{own}"', value)
        return value

    def _fit(self, spec: Object, *, on_a_node: bool) -> None:
        for field in list(spec):
            if on_a_node and field not in _OF_PODS:
                del spec[field]
        for kind in ("initContainers", "containers"):
            for container in spec.get(kind, ()):
                for field in list(container):
                    if field not in _OF_CONTAINERS:
                        del container[field]
                container["image"] = IMAGE
                container["args"] = ["env"] if kind[0] == "i" else ["sleep", "86400"]
                self._fit_resources(container.get("resources", {}))

    def _fit_resources(self, resources: Object) -> None:
        for part in ("requests", "limits"):
            amounts = {k: str(v) for k, v in resources.get(part, {}).items()}
            kept = {k: v for k, v in amounts.items() if k not in {"cpu", "memory"}}
            if part in resources:
                resources[part] = {self.renamed(k): v for k, v in kept.items()}
        resources.pop("claims", None)


def _with_quick_addresses(config: str) -> str:
    """Take addresses from host-local: whereabouts needs a second or two for each."""
    if '"whereabouts"' not in config:
        return config
    local = '"host-local", "dataDir": "/run/cni-ipam"'
    return config.replace('"whereabouts"', local).replace('"range"', '"subnet"')


def _complete(workload: Object) -> None:
    """Write the selector that cases leave out."""
    meta = workload["spec"]["template"].setdefault("metadata", {})
    labels = meta.setdefault("labels", {}) or {"app": workload["metadata"]["name"]}
    meta["labels"] = labels
    workload["spec"].setdefault("selector", {"matchLabels": labels})


def _started(wanted: Object) -> Object:
    """Make of a CronJob the Job that it would start at its time."""
    if wanted["kind"] != "CronJob":
        return wanted
    spec = wanted["spec"]["jobTemplate"]["spec"]
    return {**wanted, "apiVersion": "batch/v1", "kind": "Job", "spec": spec}


def _is_applied(wanted: Object) -> bool:
    kind, meta = wanted.get("kind"), wanted.get("metadata", {})
    if kind == "DaemonSet":  # else it makes a device plugin's pods
        return any("/" in name for name in _asked(_pod_spec(wanted) or {}))
    return kind in _APPLIED and meta.get("namespace") != "kube-system"


def _annotations(wanted: Object) -> Iterator[dict[str, str]]:
    """Give every mapping of annotations in an object, its pods' included."""
    stack: list[Any] = [wanted]
    while stack:
        tree = stack.pop()
        if isinstance(tree, dict):
            if isinstance(tree.get("annotations"), dict):
                yield tree["annotations"]
            stack += tree.values()


def _pod_spec(wanted: Object) -> Object | None:
    spec: Object = wanted.get("spec", {})
    if wanted["kind"] == "Pod":
        return spec
    if wanted["kind"] == "CronJob":
        spec = spec["jobTemplate"]["spec"]
    found: Object | None = spec.get("template", {}).get("spec")
    return found


def _asked(spec: Object) -> Iterator[str]:
    for kind in ("initContainers", "containers"):
        for container in spec.get(kind, ()):
            for part in ("requests", "limits"):
                yield from container.get("resources", {}).get(part, {})


def _is_domain(name: str) -> bool:
    return "/" in name and name == name.lower() and "kubernetes.io" not in name


def _node(node: Object, stage: Stage) -> Object:
    status = node.get("status", {})
    amounts = {
        part: {stage.renamed(k): v for k, v in status.get(part, {}).items()}
        for part in ("capacity", "allocatable")
    }
    meta = {k: v for k, v in node["metadata"].items() if k in {"name", "labels"}}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": meta,
        "spec": node.get("spec", {}),
        "status": {**amounts, "conditions": status.get("conditions", [])},
    }
