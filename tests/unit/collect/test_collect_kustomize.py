"""Kustomize: a patch is no object, and what it changes is not whole."""

import pytest
from tests.fakes.collected import facts_of, facts_of_file

from podwire.model.evidence import Known, Unknown

BASE = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: app, namespace: train}
spec: {template: {spec: {containers: []}}}
"""
PATCH = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: app}
spec: {replicas: 3}
"""
NAD = """\
apiVersion: k8s.cni.cncf.io/v1
kind: NetworkAttachmentDefinition
metadata: {name: NAME, namespace: train}
spec: {config: '{"type": "ib-sriov"}'}
"""


def deployments(**files: str) -> list[str]:
    facts = facts_of({name.replace("__", "/") + ".yaml": text for name, text in files.items()})
    return [str(item.ref) for item in facts.workloads["Deployment"].items]


@pytest.mark.parametrize(
    "kustomization",
    [
        "patches: [{path: patch.yaml}]",
        "patches: [{path: ./patch.yaml, target: {kind: Deployment}}]",
        "patchesStrategicMerge: [patch.yaml]",
    ],
)
def test_a_patch_and_what_it_changes_are_left_out(kustomization: str) -> None:
    found = deployments(
        base__all=BASE, overlays__a__patch=PATCH, overlays__a__kustomization=kustomization
    )
    assert found == []


@pytest.mark.parametrize(
    "kustomization",
    [
        "patchesJson6902: [{path: ops.yaml, target: {kind: Deployment, name: app}}]",
        'patches: [{patch: "kind: Deployment\\nmetadata: {name: app}\\n"}]',
        "patches: [{path: ops.yaml, target: {kind: Deployment, name: a.*}}]",
    ],
)
def test_a_target_is_left_out(kustomization: str) -> None:
    assert deployments(all=BASE, kustomization=kustomization) == []


@pytest.mark.parametrize(
    "kustomization",
    ["resources: [all.yaml]", "patches: 3", "patches: [{target: {kind: Job}}]", "[]", "patches: {"],
)
def test_whatever_no_patch_changes_is_an_object(kustomization: str) -> None:
    assert deployments(all=BASE, kustomization=kustomization) == ["Deployment train/app"]


def test_a_patch_is_reported_with_the_way_to_render_it() -> None:
    kustomization = "patchesStrategicMerge: [patch.yaml]"
    facts = facts_of({"o/kustomization.yaml": kustomization, "o/patch.yaml": PATCH})
    (fault,) = facts.faults
    assert fault.is_template
    assert "kubectl kustomize" in fault.cure


def test_a_network_that_a_patch_changes_is_not_absent() -> None:
    facts = facts_of(
        {
            "nad.yaml": NAD.replace("NAME", "ib-net"),
            "other.yaml": NAD.replace("NAME", "mgmt"),
            "kustomization.yaml": "patches: [{target: {kind: NetworkAttachmentDefinition, "
            "name: ib-net}}]",
        }
    )
    assert isinstance(facts.network("ib-net", namespace="train"), Unknown)
    assert isinstance(facts.network("gone", namespace="train"), Known)


def answer_beside(maker: str) -> object:
    facts = facts_of_file(f"{NAD.replace('NAME', 'mgmt')}---\n{maker}\n")
    return facts.network("ib-net", namespace="train")


BROKEN = "{\n // c\n"
NAMED = "annotations: {multus.spidernet.io/cr-name: ib-net}"
IN_TRAIN = "spec: {networkNamespace: train}"


@pytest.mark.parametrize(
    "maker",
    [
        f"{{kind: SriovIBNetwork, metadata: {{name: ib-net, namespace: op}}, {IN_TRAIN}}}",
        f"{{kind: MacvlanNetwork, metadata: {{name: ib-net}}, {IN_TRAIN}}}",
        "{kind: ClusterUserDefinedNetwork, metadata: {name: ib-net}}",
        "{kind: SpiderMultusConfig, metadata: {name: ib-net, namespace: train}}",
        f"{{kind: SpiderMultusConfig, metadata: {{name: x, namespace: train, {NAMED}}}}}",
    ],
)
def test_a_network_that_an_operator_makes_is_not_absent(maker: str) -> None:
    assert isinstance(answer_beside(maker), Unknown)


@pytest.mark.parametrize(
    "maker",
    [
        "{kind: SriovIBNetwork, metadata: {name: ib-net, namespace: op}, spec: {}}",
        f"{{kind: SriovIBNetwork, metadata: {{name: other}}, {IN_TRAIN}}}",
        "{kind: HostDeviceNetwork, metadata: {name: ib-net}, spec: {networkNamespace: null}}",
        "{kind: IPoIBNetwork, metadata: {name: ib-net}, spec: 3}",
    ],
)
def test_a_network_of_another_name_or_place_is_absent(maker: str) -> None:
    assert isinstance(answer_beside(maker), Known)


def test_a_list_settles_what_operators_make() -> None:
    maker = '{"kind": "SriovIBNetwork", "metadata": {"name": "ib-net", "namespace": "train"}}'
    facts = facts_of(
        {
            "cluster/net-attach-defs.json": '{"kind": "List", "items": []}',
            "cluster/sriovibnetworks.json": f'{{"kind": "List", "items": [{maker}]}}',
        }
    )
    assert [str(other.ref) for other in facts.others] == ["SriovIBNetwork train/ib-net"]
    answer = facts.network("ib-net", namespace="train")
    assert isinstance(answer, Known)
    assert answer.value is None


@pytest.mark.parametrize("name", ["tsconfig.json", "settings.yaml"])
def test_a_file_beside_manifests_that_is_none_is_unread(name: str) -> None:
    facts = facts_of({name: BROKEN, "pod.yaml": "kind: Pod"})
    assert facts.faults == ()
    assert [document.name for document in facts.unread] == [f"site/{name}"]


def test_a_manifest_that_cannot_be_read_is_a_fault_wherever_it_lies() -> None:
    assert facts_of({"pod.yaml": "kind: Pod\nspec: {\n"}).faults
    assert facts_of_file(BROKEN).faults
