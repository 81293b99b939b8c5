"""Everything that podwire shows as right is accepted by a real API server."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from tests.e2e.api import Object, RefusedError, is_served
from tests.e2e.cluster import Cluster

pytestmark = pytest.mark.e2e

ROOT = Path(__file__).parents[2]
MANIFESTS = sorted(
    path.relative_to(ROOT)
    for shown in ("examples/mended", "src/podwire/rules/*/cases/*/quiet-*")
    for path in ROOT.glob(f"{shown}/manifests/**/*.yaml")
)


def _objects(manifest: Path) -> list[Object]:
    """Read what the server can judge as it stands, or skip and say why it cannot."""
    top = ROOT / Path(*manifest.parts[: manifest.parts.index("manifests") + 1])
    if any(top.rglob("kustomization.yaml")):
        pytest.skip("a part that kustomize has to complete")
    try:
        read = [d for d in yaml.safe_load_all((ROOT / manifest).read_text()) if d is not None]
    except yaml.YAMLError:
        pytest.skip("not for Kubernetes")
    if not all(isinstance(d, dict) and {"kind", "metadata"} <= d.keys() for d in read):
        pytest.skip("no Kubernetes object")
    if any(wanted["kind"] == "LimitRange" for wanted in read):
        pytest.skip("its LimitRange has to be in force, and a trial keeps nothing")
    return read


def _runtime_classes(objects: list[Object]) -> Iterator[Object]:
    for wanted in objects:
        name = wanted.get("spec", {}).get("runtimeClassName")
        if wanted["kind"] == "Pod" and name:
            named = {"metadata": {"name": name}, "handler": name}
            yield {"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", **named}


@pytest.mark.parametrize("manifest", MANIFESTS, ids=str)
def test_a_manifest_is_accepted(manifest: Path, cluster: Cluster) -> None:
    objects = _objects(manifest)
    cluster.apply(_runtime_classes(objects))  # the cases have them as objects of the cluster
    refused = {}
    for wanted in objects:
        if is_served(wanted["kind"]):
            try:
                cluster.trial(wanted)
            except RefusedError as error:
                refused[f"{wanted['kind']} {wanted['metadata']['name']}"] = str(error)
    assert refused == {}
    foreign = sorted({w["kind"] for w in objects if not is_served(w["kind"])})
    if foreign:
        pytest.skip(f"no definition of {', '.join(foreign)} here; the rest is accepted")
