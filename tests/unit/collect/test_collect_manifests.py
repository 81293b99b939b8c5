"""Manifests: single files and folders, YAML and JSON."""

import json

import pytest
from tests.fakes.collected import facts_of, facts_of_file

from podwire.facts.node import TextFile
from podwire.model.evidence import Document, Origin

POD = """\
apiVersion: v1
kind: Pod
metadata:
  name: worker-0
  namespace: train
spec:
  containers:
  - name: main
    image: images.example.com/trainer:v1
"""
NAD = """\
apiVersion: k8s.cni.cncf.io/v1
kind: NetworkAttachmentDefinition
metadata: {name: ib-net}
spec:
  config: '{"type": "ib-sriov"}'
"""


def test_every_document_of_a_file_is_read_with_its_number() -> None:
    facts = facts_of_file(f"{POD}---\n{NAD}")
    (pod,), (network,) = facts.pods.items, facts.networks.items
    assert pod.document == Document(name="given.yaml", part=0)
    assert network.document == Document(name="given.yaml", part=1)
    assert (facts.looked_at.documents, facts.looked_at.objects) == (2, 2)


@pytest.mark.parametrize("name", ["given.yaml", "given.json"])
def test_json_with_dashes_between_is_yaml(name: str) -> None:
    pods = [json.dumps({"kind": "Pod", "metadata": {"name": name}}) for name in "abc"]
    facts = facts_of_file("\n---\n".join(pods), typed=name)
    assert [item.document.part for item in facts.pods.items] == [0, 1, 2]
    assert facts.faults == ()


def test_an_object_without_namespace_is_in_the_one_that_was_asked_for() -> None:
    facts = facts_of({"nad.yaml": NAD, "pod.yaml": POD}, namespace="lab")
    assert str(facts.networks.items[0].ref) == "NetworkAttachmentDefinition lab/ib-net"
    assert str(facts.pods.items[0].ref) == "Pod train/worker-0"


def test_two_objects_without_metadata_do_not_share_a_namespace() -> None:
    first = facts_of({"a.yaml": "kind: ConfigMap"}, namespace="one")
    second = facts_of({"a.yaml": "kind: Pod"}, namespace="two")
    assert first.config_maps.items[0].metadata.namespace == "one"
    assert second.pods.items[0].metadata.namespace == "two"


def test_a_node_has_no_namespace_whatever_the_file_says() -> None:
    facts = facts_of_file("{kind: Node, metadata: {name: gpu-a, namespace: x}}")
    assert ("", "gpu-a") in facts.nodes.by_name


def test_items_of_a_list_have_their_place_in_it() -> None:
    listed = {"kind": "List", "apiVersion": "v1", "items": [{"kind": "Pod", "metadata": {}}]}
    (pod,) = facts_of_file(json.dumps(listed)).pods.items
    assert pod.base == ("items", 0)
    assert pod.place("metadata", "name").steps == ("items", 0, "metadata", "name")


def test_items_of_a_typed_list_need_no_kind() -> None:
    listed = {"kind": "PodList", "items": [{"metadata": {"name": "a"}}]}
    assert facts_of_file(json.dumps(listed)).pods.items[0].metadata.name == "a"
    assert facts_of_file(f"# yaml\n{json.dumps(listed)}").pods.items[0].metadata.name == "a"


def test_a_json_array_of_objects_is_read() -> None:
    facts = facts_of_file('[{"kind": "Pod", "metadata": {"name": "a"}}, {"kind": "Other"}]')
    assert [p.base for p in facts.pods.items] == [(0,)]


def test_null_means_not_given() -> None:
    text = "{kind: Pod, metadata: {name: a, labels: null, annotations: {x: null}}, spec: null}"
    (pod,) = facts_of_file(text).pods.items
    assert pod.metadata.labels == {}
    assert pod.metadata.annotations == {}


def test_kinds_that_podwire_does_not_read_are_counted_only() -> None:
    facts = facts_of_file("{apiVersion: v1, kind: Secret, metadata: {name: a}}")
    assert facts.looked_at.objects == 1
    assert facts.unread == ()
    assert facts.faults == ()


def test_a_folder_is_read_at_any_depth_and_named_as_typed() -> None:
    facts = facts_of({"base/net/nad.yaml": NAD, "README.md": "hello"}, typed="./deploy")
    assert facts.networks.items[0].document.name == "deploy/base/net/nad.yaml"
    assert [d.name for d in facts.unread] == ["deploy/README.md"]


def test_hidden_files_are_no_manifests() -> None:
    facts = facts_of({".git/x.yaml": NAD, "a.yaml": POD})
    assert facts.networks.items == ()


def test_yaml_that_is_no_object_is_unread() -> None:
    facts = facts_of({"values.yaml": "image: {tag: v1, tag: v2}", "empty.yaml": ""})
    assert [d.name for d in facts.unread] == ["site/empty.yaml", "site/values.yaml"]
    assert facts.faults == ()


def test_a_configuration_of_the_device_plugin_is_kept_as_text() -> None:
    text = '{"resourceList": [{"resourceName": "ib_vf"}]}'
    (file,) = facts_of({"config.json": text}).plugin_files
    assert file.file == TextFile(document=Document(name="site/config.json"), text=text)


def test_podwires_own_spec_is_read_wherever_it_lies() -> None:
    text = "{apiVersion: podwire.io/v1alpha1, kind: Wiring, components: {multus: v4.2.2}}"
    (wiring,) = facts_of_file(text).wirings
    assert wiring.components == {"multus": "v4.2.2"}
    assert wiring.document.origin is Origin.SPEC


def test_everything_wrong_in_a_spec_is_said_with_its_place() -> None:
    text = "{apiVersion: podwire.io/v1alpha1, kind: Wiring, nodes: [{name: a}], pool: []}"
    facts = facts_of_file(text)
    assert facts.wirings == ()
    assert [(f.message, f.place.path) for f in facts.faults] == [
        (
            "the spec cannot be used: .nodes[0].name: name is not known; did you mean names?",
            ("nodes", 0, "name"),
        ),
        ("the spec cannot be used: .pool: pool is not known; did you mean pools?", ("pool",)),
    ]


def test_a_wiring_of_somebody_else_is_not_ours() -> None:
    facts = facts_of_file("{apiVersion: example.com/v1, kind: Wiring}")
    assert (facts.wirings, facts.faults) == ((), ())


# --- what is wrong ----------------------------------------------------------------------


def test_a_wrong_value_costs_the_object_and_is_named() -> None:
    wrong = POD.replace("namespace: train", "namespace: train\n  annotations: {a: true, b: 1}")
    facts = facts_of_file(f"{wrong}---\n{NAD}")
    assert facts.pods.items == ()
    assert len(facts.networks.items) == 1
    start = "Pod train/worker-0 cannot be read: .metadata.annotations"
    assert [f.message for f in facts.faults] == [
        f"{start}.a: expected a string, found true",
        f"{start}.b: expected a string, found the number 1",
    ]
    assert facts.faults[0].place.path == ("metadata", "annotations", "a")
    assert facts.faults[0].place.object == "Pod train/worker-0"


def test_a_key_that_stands_twice_is_reported_and_the_last_counts() -> None:
    facts = facts_of_file(POD.replace("  name: worker-0", "  name: worker-0\n  name: worker-1"))
    assert facts.pods.items[0].metadata.name == "worker-1"
    (fault,) = facts.faults
    assert (fault.slug, fault.place.path) == ("duplicate-key", ("metadata", "name"))


def test_a_key_that_stands_twice_in_json_is_reported() -> None:
    (fault,) = facts_of(
        {"a.json": '{"kind": "Pod", "metadata": {"name": "a", "name": "b"}}'}
    ).faults
    assert fault.slug == "duplicate-key"


def test_text_that_is_no_yaml_costs_its_document_only() -> None:
    facts = facts_of_file(f"{POD}---\nkind: [\n---\n{NAD}")
    assert len(facts.pods.items) == len(facts.networks.items) == 1
    (fault,) = facts.faults
    assert fault.slug == "unreadable-input"
    assert fault.place.document.part == 1
    assert fault.place.line == 12


def test_text_that_is_no_json_is_said_to_be_none() -> None:
    (fault,) = facts_of({"a.json": '{"kind": "Pod",}'}).faults
    assert (fault.place.line, fault.place.column) == (1, 16)


def test_a_flow_mapping_is_yaml_though_it_begins_like_json() -> None:
    assert facts_of({"a.yaml": "{kind: Pod}"}).faults == ()


def test_a_helm_template_is_said_to_be_one() -> None:
    (fault,) = facts_of_file("kind: Pod\nmetadata:\n  name: {{ .Release.Name }}\n").faults
    assert fault.is_template
    assert "helm template" in fault.cure


def test_a_workload_with_a_wrong_template_is_reported_with_the_place() -> None:
    text = "{kind: Job, metadata: {name: j}, spec: {template: {spec: {containers: [{image: 5}]}}}}"
    (fault,) = facts_of_file(text).faults
    assert fault.message == (
        "Job default/j has no readable pod template: .spec.template.spec.containers[0].image: "
        "expected a string, found the number 5"
    )
    assert fault.place.path == ("spec", "template", "spec", "containers", 0, "image")


@pytest.mark.parametrize(
    "text", ["kind: Pod\nspec: []", "kind: Pod\nmetadata: 5", "kind: Node\nstatus: x"]
)
def test_wrong_shapes_anywhere_are_faults(text: str) -> None:
    facts = facts_of_file(text)
    assert facts.faults
    assert (len(facts.pods.items), len(facts.nodes.items)) == (0, 0)


def test_bytes_that_are_no_utf8_are_reported_and_the_rest_is_read() -> None:
    facts = facts_of_file(POD.encode().replace(b"trainer", b"tr\xffiner"))
    assert len(facts.pods.items) == 1
    assert "0xff" in facts.faults[0].message


def test_an_alias_bomb_is_refused() -> None:
    bomb = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n" + "".join(
        f"a{n}: &a{n} [{','.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 12)
    )
    (fault,) = facts_of_file(f"kind: Pod\n{bomb}").faults
    assert fault.slug == "unreadable-input"


def test_of_many_faults_in_one_document_the_first_are_told() -> None:
    listed = {"kind": "List", "items": [{"kind": "Pod", "spec": 5}] * 300}
    faults = facts_of_file(json.dumps(listed)).faults
    assert len(faults) == 101
    assert faults[-1].message.startswith("more than 100")


def test_an_object_that_was_given_twice_is_kept_where_it_differs() -> None:
    older = POD.replace("trainer:v1", "trainer:v0")
    facts = facts_of({"a.yaml": older, "b.yaml": POD, "c.yaml": POD})
    (twins,) = facts.pods.shadowed
    names = [o.document.name.rpartition("/")[2] for o in (twins.stands, twins.other)]
    assert names == ["c.yaml", "a.yaml"]


def test_what_runs_may_differ_from_what_is_wanted() -> None:
    running = POD.replace("trainer:v1", "trainer:v0").replace("metadata:", "metadata:\n  uid: x")
    assert facts_of({"a.yaml": running, "b.yaml": POD}).pods.shadowed == ()


def test_a_value_that_lacks_quotes_is_to_be_quoted() -> None:
    text = POD.replace("name: worker-0", "generateName: worker-").replace("name: main", "name: n")
    (fault,) = facts_of_file(text).faults
    assert fault.message == (
        "Pod train/worker-* cannot be read: .spec.containers[0].name: "
        "expected a string, found false"
    )
    assert fault.cure.startswith("quote the value")
    (fault,) = facts_of_file(POD.replace("- name: main\n", "- name: []\n")).faults
    assert fault.cure == ""


def test_an_object_without_a_name_is_said_to_have_none() -> None:
    (fault,) = facts_of_file("kind: Pod\nspec: 1\n").faults
    assert fault.message.startswith("Pod (no name) cannot be read: .spec: ")
