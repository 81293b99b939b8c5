"""Lists of kubectl and of the API server: what they are complete for, and what they cost."""

import json
from typing import Any

import pytest
from tests.fakes.collected import facts_of, facts_of_file
from tests.fakes.hostfs import FakeHostFs

from podwire.collect import manifests
from podwire.collect.collecting import collect
from podwire.collect.given import Input
from podwire.model.evidence import Known, Origin, Unknown


def pod(name: str, namespace: str = "train", **spec: object) -> dict[str, Any]:
    metadata = {"name": name, "namespace": namespace}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


def dump(*items: object, kind: str = "List") -> str:
    """Write a List as kubectl does, kind after items."""
    body = {"apiVersion": "v1", "items": items, "kind": kind, "metadata": {"resourceVersion": ""}}
    return json.dumps(body, indent=4)


@pytest.fixture(params=["tree", "bytes"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Small JSON goes through a tree, big JSON does not; both say the same."""
    if request.param == "bytes":
        monkeypatch.setattr(manifests, "_WRITTEN_BY_HAND", 0)
    return str(request.param)


@pytest.mark.usefixtures("way")
class TestBothWays:
    def test_a_list_is_complete_for_the_namespaces_in_it(self) -> None:
        pods = facts_of_file(dump(pod("a"), pod("b", "lab")), typed="pods.json").pods
        assert pods.listed == {"train", "lab"}
        assert not pods.is_whole
        assert [d.origin for d in pods.lists] == [Origin.CLUSTER]

    def test_a_list_of_nodes_is_complete(self) -> None:
        facts = facts_of_file(dump({"kind": "Node", "metadata": {"name": "gpu-a"}}))
        assert facts.nodes.is_complete()
        assert facts.nodes.find("gpu-b") == Known(
            value=None, places=facts.nodes.find("gpu-b").need().places
        )

    def test_a_kind_that_does_not_occur_stays_unknown(self) -> None:
        assert not facts_of_file(dump(pod("a"))).networks.is_complete("train")

    def test_a_list_in_a_folder_counts_where_kubectl_wrote_it(self) -> None:
        by_hand = json.dumps({"kind": "List", "items": [pod("a")]})
        assert facts_of({"a.json": dump(pod("a"))}).pods.listed == {"train"}
        assert facts_of({"a.json": by_hand}).pods.listed == frozenset()
        assert facts_of_file(by_hand).pods.listed == {"train"}

    def test_manifests_of_a_bundle_are_never_complete(self) -> None:
        facts = facts_of({"manifests/a.json": dump(pod("a"))})
        assert facts.pods.listed == frozenset()
        assert facts.pods.items[0].document.origin is Origin.MANIFEST

    def test_a_kind_of_which_an_item_was_lost_is_not_complete(self) -> None:
        node = {"kind": "Node", "metadata": {"name": "gpu-a"}}
        facts = facts_of_file(dump(pod("a"), pod("b", containers=5), node))
        assert [p.metadata.name for p in facts.pods.items] == ["a"]
        assert facts.pods.listed == frozenset()
        assert facts.nodes.is_complete()
        assert facts.faults[0].message == (
            "Pod train/b cannot be read: .spec.containers: expected a list, found the number 5"
        )
        assert facts.faults[0].place.steps == ("items", 1, "spec", "containers")

    @pytest.mark.parametrize(
        "item", [5, None, "x", [], {}, {"kind": 5}, {"kind": None}, {"kind": ""}]
    )
    def test_items_that_are_no_objects_make_nothing_complete(self, item: object) -> None:
        facts = facts_of_file(dump(pod("a"), item))
        assert len(facts.pods.items) == 1
        assert facts.pods.listed == frozenset()
        assert "items[1]" in facts.faults[0].message

    def test_nulls_and_unknown_kinds_are_no_faults(self) -> None:
        nulls = pod("a") | {"status": None}
        facts = facts_of_file(dump(nulls, {"kind": "Secret", "data": {}}, pod("b", volumes=None)))
        assert len(facts.pods.items) == 2
        assert facts.faults == ()
        assert facts.looked_at.objects == 3

    def test_a_typed_list_of_the_api_server(self) -> None:
        item = {"metadata": {"name": "a", "namespace": "train"}}
        facts = facts_of_file(dump(item, item | {"kind": "Pod"}, kind="PodList"))
        assert len(facts.pods.items) == 1
        assert facts.pods.listed == {"train"}

    def test_a_single_object_is_no_list(self) -> None:
        facts = facts_of_file(json.dumps(pod("a")), typed="pod.json")
        assert facts.pods.listed == frozenset()
        assert facts.pods.items[0].base == ()

    def test_dumps_that_follow_one_another_are_all_read(self) -> None:
        node = {"kind": "Node", "metadata": {"name": "gpu-a"}}
        facts = facts_of_file(f"{dump(pod('a'))}\n{dump(node)}\n", typed="-")
        assert len(facts.pods.items) == len(facts.nodes.items) == 1
        assert facts.nodes.is_complete()
        assert facts.faults == ()

    def test_a_dump_that_ends_early_is_a_fault(self) -> None:
        facts = facts_of_file(dump(pod("a"))[:-10], typed="pods.json")
        assert facts.pods.items == ()
        assert facts.faults

    def test_json_of_another_kind_is_unread(self) -> None:
        for text in ("[1, 2]", '{"a": 1}', '{"items": {}}', "5", '{"kind": 7}'):
            facts = facts_of({"a.json": text})
            assert [d.name for d in facts.unread] == ["site/a.json"], text
            assert facts.faults == ()


class TestCluster:
    def test_a_file_makes_its_kinds_whole(self) -> None:
        facts = facts_of({"cluster/pods.json": dump(pod("a"))})
        assert facts.pods.is_whole
        assert facts.pods.items[0].document == facts.pods.lists[0]

    def test_an_empty_list_makes_the_kind_of_its_file_whole(self) -> None:
        names = ("pods", "net-attach-defs", "daemonsets", "mutatingwebhookconfigurations")
        facts = facts_of({f"cluster/{name}.json": dump() for name in names})
        assert facts.pods.is_whole
        assert facts.networks.is_whole
        assert facts.workloads["DaemonSet"].is_whole
        assert facts.webhooks.is_whole
        assert not facts.nodes.is_whole

    def test_a_file_that_cannot_be_read_makes_nothing_known(self) -> None:
        for text in ("{", dump(pod("a", containers=1)), dump("x")):
            facts = facts_of({"cluster/pods.json": text})
            assert not facts.pods.is_whole
            assert facts.faults

    def test_a_dump_in_yaml_counts_as_well(self) -> None:
        facts = facts_of({"cluster/pods.yaml": "kind: List\nitems: [{kind: Pod}]"})
        assert facts.pods.is_whole

    def test_an_earlier_day_is_kept_out(self) -> None:
        facts = facts_of(
            {"cluster/pods.json": dump(), "cluster/pods.2026-01-31.json": dump(pod("old"))}
        )
        assert facts.pods.items == ()
        assert facts.unread == ()

    def test_invalid_utf8_in_a_dump_costs_a_letter(self) -> None:
        data = dump(pod("a", nodeName="gpu-?")).encode().replace(b"?", b"\xff")
        facts = facts_of({"cluster/pods.json": data})
        assert facts.pods.items[0].spec.node_name == "gpu-\ufffd"
        assert "0xff" in facts.faults[0].message

    def test_a_workload_that_is_nested_without_end_is_refused(self) -> None:
        deep = '{"kind":"Job","metadata":{"name":"j"},"spec":{"template":' + '{"a":' * 400 + "1"
        text = '{"kind":"List","items":[' + deep + "}" * 402 + "]}"
        facts = facts_of({"cluster/jobs.json": text})
        assert facts.workloads["Job"].items == ()
        assert not facts.workloads["Job"].is_whole
        assert "nested deeper" in facts.faults[0].message


def test_a_manifest_replaces_the_clusters_object_but_not_a_pod() -> None:
    config = {"kind": "ConfigMap", "metadata": {"name": "c"}, "data": {"a": "old"}}
    facts = facts_of(
        {
            "cluster/configmaps.json": dump(config),
            "cluster/pods.json": dump(pod("a", nodeName="gpu-a")),
            "manifests/a.json": json.dumps(config | {"data": {"a": "new"}}),
            "manifests/b.json": json.dumps(pod("a")),
        }
    )
    assert [c.data["a"] for c in facts.config_maps.items] == ["new"]
    assert [p.spec.node_name for p in facts.pods.items] == ["gpu-a"]


def test_a_big_dump_is_read_in_one_go_and_given_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(manifests, "SMALL", 10_000)
    monkeypatch.setattr("podwire.collect.buffer._GIVE_BACK", 4096 * 4)
    items = [pod(f"worker-{n}", nodeName=f"gpu-{n % 7}") for n in range(2000)]
    facts = facts_of_file(dump(*items), typed="pods.json")
    assert [p.metadata.name for p in facts.pods.items] == [f"worker-{n}" for n in range(2000)]
    assert facts.pods.listed == {"train"}


def test_big_yaml_is_refused_with_a_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(manifests, "SMALL", 10)
    (fault,) = facts_of_file("kind: Pod # long enough").faults
    assert "kubectl get -o json" in fault.message


NAMESPACES = dump({"kind": "Namespace", "metadata": {"name": "train"}})


def test_nothing_is_in_a_namespace_that_does_not_exist() -> None:
    facts = facts_of({"namespaces.json": NAMESPACES, "pods.json": dump(pod("a"))})
    found = facts.networks.find("ib-net", namespace="trian")
    assert isinstance(found, Known)
    assert (found.value, found.assumes) == (None, ())
    assert found.places[0].document.name == "site/namespaces.json"
    assert facts.networks.all_in("trian").need().value == ()
    assert isinstance(facts.networks.find("ib-net", namespace="train"), Unknown)
    assert isinstance(facts.networks.all_in(), Unknown)


def test_a_namespace_that_a_manifest_makes_exists() -> None:
    made = "kind: Namespace\nmetadata: {name: lab}\n"
    facts = facts_of({"namespaces.json": NAMESPACES, "lab.yaml": made})
    assert isinstance(facts.networks.find("ib-net", namespace="lab"), Unknown)


def test_lists_are_of_all_namespaces_where_the_user_vouches_for_it() -> None:
    files = FakeHostFs({"pods.json": dump(pod("a")), "net-attach-def.json": dump()})
    given = (Input(typed="dump", files=files),)
    facts = collect(given, is_everywhere=True)
    assert facts.pods.is_whole
    assert facts.networks.is_whole
    assert not facts.nodes.is_whole
    assert not facts.looked_at.is_partial
    partly = collect(given)
    assert partly.looked_at.is_partial
    assert not partly.networks.is_whole


def test_the_hint_for_what_has_no_namespace_has_no_flag() -> None:
    facts = facts_of_file(dump(pod("a")))
    asked = (facts.nodes.all_in(), facts.networks.all_in(), facts.networks.all_in("lab"))
    assert [a.give for a in asked if isinstance(a, Unknown)] == [
        "kubectl get nodes -o json",
        "kubectl get net-attach-def -A -o json",
        "kubectl get net-attach-def -n lab -o json",
    ]


def test_a_dump_that_was_cut_off_is_said_to_be() -> None:
    for text in (dump(pod("a"))[:-10], dump(pod("a"))[:-10] + "\n", '{"kind": "Pod", "a\n'):
        for facts in (
            facts_of({"pods.json": text}),
            facts_of_file(text, typed="-"),
            facts_of({"cluster/pods.json": text}),
        ):
            (fault,) = facts.faults
            assert fault.message == "it ends before its JSON is complete"
            assert fault.cure.startswith("write the file again")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "null",
        "[]",
        '{"items": []}',
        '{"kind": "List", "items": "x"}',
        '{"kind": "List"} x',
        "x",
    ],
)
def test_a_file_of_the_cluster_that_is_no_list_is_a_finding(text: str) -> None:
    facts = facts_of({"bundle.json": "{}", "cluster/pods.json": text})
    assert len(facts.faults) == 1
    assert facts.faults[0].place.document.name == "cluster/pods.json"
    assert not facts.pods.is_whole


@pytest.mark.parametrize("text", [json.dumps(pod("a")), '{"kind": "List"}'])
def test_what_is_no_list_stands_for_nothing_else(text: str) -> None:
    assert not facts_of({"bundle.json": "{}", "cluster/pods.json": text}).pods.is_whole


def test_what_follows_a_list_and_is_no_json_is_shown_where_it_is() -> None:
    text = '{"kind": "List",\n"items": []} xx'
    (fault,) = facts_of({"bundle.json": "{}", "cluster/pods.json": text}).faults
    assert (fault.place.line, fault.place.column) == (2, 14)
