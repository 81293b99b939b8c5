"""Bundles: which file is what, whose it is, and when it was collected."""

import pytest
from tests.fakes.collected import facts_of, given
from tests.fakes.hostfs import Content, Fails, FakeHostFs, Link

from podwire.collect.collecting import collect
from podwire.collect.given import Input
from podwire.collect.layout import Area, is_bundle, is_older, slot_of
from podwire.model.evidence import Document, Known, Origin
from podwire.ports.hostfs import ReadFault, Trouble

NAD = "{kind: NetworkAttachmentDefinition, metadata: {name: ib-net, namespace: train}}"
WIRING = "{apiVersion: podwire.io/v1alpha1, kind: Wiring}"
BUNDLE: dict[str, Content] = {
    "bundle.json": '{"time": "2026-06-01T10:00:00Z", "skipped": []}',
    "expected.md": "what somebody expects",
    "manifests/nad.yaml": NAD,
    "manifests/notes.txt": "x",
    "cluster/nodes.json": '{"kind": "NodeList", "items": [{"metadata": {"name": "gpu-a"}}]}',
    "spec/site.yaml": WIRING,
    "helm/releases.json": "[]",
    "helm/op-values.yaml": "a: 1",
    "logs/multus.log": "line",
    "nodes/gpu-a/uname.txt": "Linux",
    "nodes/gpu-a/uname.2026-05-01.txt": "old",
    "nodes/gpu-a/etc/cni/net.d/LISTING.txt": "00-multus.conf\n\nwhereabouts.d\n",
    "nodes/gpu-b/etc/opensm/opensm.conf": "virt_enabled 2",
    "pods/train.worker-0.x/env.txt": "A=1",
    "pods/nameless/env.txt": "A=1",
}


def test_each_file_of_a_bundle_finds_its_place() -> None:
    facts = facts_of(BUNDLE)
    assert [n.document.name for n in facts.networks.items] == ["manifests/nad.yaml"]
    assert [n.metadata.name for n in facts.nodes.items] == ["gpu-a"]
    assert [w.document.name for w in facts.wirings] == ["spec/site.yaml"]
    assert sorted(facts.helm) == ["op-values.yaml", "releases.json"]
    assert [log.document.name for log in facts.logs] == ["logs/multus.log"]
    assert sorted(facts.node_files) == ["gpu-a", "gpu-b"]
    assert facts.faults == ()
    assert sorted(d.name for d in facts.unread) == [
        "expected.md",
        "manifests/notes.txt",
        "pods/nameless/env.txt",
    ]


def test_files_of_a_node_are_kept_by_name() -> None:
    node = facts_of(BUNDLE).node_files["gpu-a"]
    assert sorted(node.files) == [
        "etc/cni/net.d/LISTING.txt",
        "uname.2026-05-01.txt",
        "uname.txt",
    ]
    assert node.files["uname.txt"].text == "Linux"
    assert node.files["uname.txt"].document == Document(
        name="nodes/gpu-a/uname.txt",
        origin=Origin.NODE,
        owner="gpu-a",
        time="2026-06-01T10:00:00Z",
    )
    assert node.listings == {"etc/cni/net.d": ("00-multus.conf", "whereabouts.d")}


def test_a_pods_name_may_have_dots_and_its_namespace_none() -> None:
    pod = facts_of(BUNDLE).pod_files["train", "worker-0.x"]
    assert (pod.namespace, pod.name) == ("train", "worker-0.x")
    found = pod.file("env.txt")
    assert isinstance(found, Known)
    assert found.value.document.owner == "train/worker-0.x"


def test_what_was_looked_at_is_summed_up() -> None:
    looked_at = facts_of(BUNDLE).looked_at
    assert (looked_at.objects, looked_at.nodes) == (2, 2)
    assert looked_at.oldest == looked_at.newest == "2026-06-01T10:00:00Z"


@pytest.mark.parametrize("time", ['"yesterday"', '"2026-06-01T10:00:00"', "5"])
def test_a_time_that_is_none_is_a_fault(time: str) -> None:
    facts = facts_of({"bundle.json": f'{{"time": {time}}}', "manifests/a.yaml": NAD})
    assert facts.looked_at.oldest is None
    assert "expected a time" in facts.faults[0].message


def test_the_oldest_and_the_newest_of_two_bundles() -> None:
    later = {"bundle.json": '{"time": "2026-06-01T10:30:00+02:00"}', "manifests/a.yaml": NAD}
    inputs = [given(BUNDLE, typed="a"), given(later, typed="b")]
    looked_at = collect(inputs).looked_at
    assert looked_at.newest == "2026-06-01T10:00:00Z"
    assert looked_at.oldest == "2026-06-01T10:30:00+02:00"


def test_documents_of_two_bundles_are_told_apart() -> None:
    inputs = [given({"manifests/a.yaml": NAD}, typed=typed) for typed in ("one", "two/")]
    (network,) = collect(inputs).networks.items
    assert network.document.name == "two/manifests/a.yaml"


def test_the_later_of_two_inputs_counts() -> None:
    other = NAD.replace("ib-net", "ib-net, labels: {from: second}")
    inputs = [given({"": NAD}, typed="a.yaml"), given({"": other}, typed="b.yaml")]
    (network,) = collect(inputs).networks.items
    assert network.metadata.labels == {"from": "second"}


def test_a_bundle_may_lie_in_one_folder() -> None:
    facts = facts_of({f"bundle-1/{name}": content for name, content in BUNDLE.items()})
    assert facts.networks.items[0].document.name == "manifests/nad.yaml"
    assert facts.looked_at.newest is not None


def test_manifests_beside_a_helm_chart_are_a_folder_of_manifests() -> None:
    files: dict[str, Content] = {
        "nad.yaml": NAD,
        "helm/chart/templates/pod.yaml": "kind: Pod\nmetadata:\n  name: {{ .Values.name }}\n",
    }
    facts = facts_of(files)
    assert len(facts.networks.items) == 1
    assert [f.is_template for f in facts.faults] == [True]


def test_one_nodes_folder_may_be_given_alone() -> None:
    facts = facts_of({"sysfs.txt": "", "uname.txt": "Linux"}, typed="site/nodes/gpu-a/")
    assert list(facts.node_files["gpu-a"].files) == ["uname.txt"]


def test_one_nodes_file_may_be_given_alone() -> None:
    facts = facts_of({"": "netns shared"}, typed="site/nodes/gpu-a/rdma-system.txt")
    mode = facts.node_files["gpu-a"].rdma_mode
    assert isinstance(mode, Known)
    assert mode.value == "shared"
    assert mode.places[0].document.name == "site/nodes/gpu-a/rdma-system.txt"


def test_an_empty_folder_gives_an_empty_picture() -> None:
    facts = facts_of({})
    assert facts.looked_at.documents == 0
    assert (facts.faults, facts.unread) == ((), ())


def test_a_file_that_cannot_be_read_costs_itself() -> None:
    files: dict[str, Content] = {
        "manifests/a.yaml": NAD,
        "manifests/b.yaml": Fails(Trouble.DENIED),
        "manifests/c.yaml": Link("../../../etc/passwd"),
        "nodes/gpu-a/dmesg.txt": Fails(Trouble.DENIED),
        "logs/a.log": Fails(Trouble.ABSENT),
    }
    facts = facts_of(files)
    assert len(facts.networks.items) == 1
    assert sorted(f.message for f in facts.faults) == [
        "logs/a.log is not there",
        "manifests/b.yaml may not be read by this user",
        "manifests/c.yaml leads out of the folder or archive it belongs to",
        "nodes/gpu-a/dmesg.txt may not be read by this user",
    ]


def test_an_about_file_that_cannot_be_read_costs_the_time_only() -> None:
    for about in (Fails(Trouble.DENIED), "{", "5", '{"collector": "x"}'):
        facts = facts_of({"bundle.json": about, "manifests/a.yaml": NAD})
        assert facts.looked_at.newest is None
        assert len(facts.networks.items) == 1


def test_what_an_archive_lost_is_a_fault() -> None:
    lost = ReadFault("", Trouble.BROKEN, detail="the end of the archive is missing")
    files = FakeHostFs({"manifests/a.yaml": NAD}, troubles=(lost,))
    facts = collect([Input(typed="site.tgz", files=files)])
    assert facts.faults[0].message == (
        "site.tgz could not be read to its end: the end of the archive is missing"
    )


@pytest.mark.parametrize(
    ("names", "answer"),
    [
        (["manifests"], True),
        (["manifests", "README.md"], True),
        (["manifests", "a.yaml"], False),
        (["cluster", "a.yaml"], True),
        (["bundle.json"], True),
        (["base", "overlays"], False),
        ([], False),
    ],
)
def test_a_bundle_is_recognised_by_the_names_at_its_top(names: list[str], *, answer: bool) -> None:
    assert is_bundle(names) is answer


@pytest.mark.parametrize(
    ("path", "area"),
    [
        ("bundle.json", Area.ABOUT),
        ("manifests/deep/a.yaml", Area.MANIFEST),
        ("cluster/pods.json", Area.CLUSTER),
        ("cluster/deep/pods.json", Area.UNKNOWN),
        ("nodes/a", Area.UNKNOWN),
        ("nodes/a/b", Area.NODE),
        ("pods/a.b/c", Area.POD),
        ("pods/.b/c", Area.POD),
        ("other/a.yaml", Area.UNKNOWN),
        ("logs", Area.UNKNOWN),
    ],
)
def test_a_path_has_an_area(path: str, area: Area) -> None:
    assert slot_of(path).area is area


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("pods.2026-01-31.json", True),
        ("a/dmesg.20260131.txt", True),
        ("dmesg.2026-01-31T10-00Z.txt", True),
        ("pods.json", False),
        ("10.56.0.0.json", False),
    ],
)
def test_an_earlier_day_stands_in_the_name(name: str, *, answer: bool) -> None:
    assert is_older(name) is answer
