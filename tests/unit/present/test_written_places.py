from tests.unit.present.report_samples import NAD_FILE, Texts, nad_place, pod_place

from podwire.model.evidence import Document, Origin, Place
from podwire.present.places import Places

DEEP = '{"a": {"b": [1, 2]}}'


def test_a_manifests_place_is_file_line_and_column() -> None:
    places = Places(Texts({NAD_FILE.name: "metadata:\n  name: ib-net\n"}))
    assert places.written(nad_place("metadata", "name")) == "manifests/nad.yaml:2:9"


def test_a_place_in_a_later_document_counts_lines_from_the_files_start() -> None:
    document = Document(name="all.yaml", part=1)
    places = Places(Texts({"all.yaml": "a: 1\n---\n# two\nb: 2\n"}))
    assert places.written(Place(document=document, path=("b",))) == "all.yaml:4:4"


def test_a_place_in_a_json_manifest_has_line_and_column() -> None:
    document = Document(name="pod.json")
    places = Places(Texts({"pod.json": f"\n{DEEP}"}))
    assert places.written(Place(document=document, path=("a", "b", 1))) == "pod.json:2:17"


def test_an_inner_path_goes_on_in_the_text() -> None:
    places = Places(Texts({NAD_FILE.name: 'spec:\n  config: \'{"type": "ib-sriov"}\'\n'}))
    place = nad_place("spec", "config", inner=("type",))
    assert places.written(place) == "manifests/nad.yaml:2:21"


def test_a_clusters_place_is_object_and_path_and_its_file_is_not_read() -> None:
    sources = Texts({"cluster/pods.json": "{}"})
    written = Places(sources).written(pod_place(0, "spec", "nodeName"))
    assert written == "Pod train/worker-0 .spec.nodeName"
    assert sources.asked == []


def test_a_nodes_place_is_the_path_on_the_node() -> None:
    document = Document(name="nodes/gpu-a/sysfs.txt", origin=Origin.NODE, owner="gpu-a")
    place = Place(document=document, path=("sys/class/net/ib0/type",))
    assert Places(Texts({})).written(place) == "Node gpu-a /sys/class/net/ib0/type"


def test_a_line_of_a_log_is_file_and_line() -> None:
    document = Document(name="logs/multus.log", origin=Origin.LOG)
    assert Places(Texts({})).written(Place(document=document, path=(12,))) == "logs/multus.log:12"


def test_a_file_that_cannot_be_read_again_is_named_with_object_and_path() -> None:
    document = Document(name="big.json")
    place = Place(document=document, object="Pod a/b", path=("a",))
    assert Places(Texts({})).written(place) == "big.json Pod a/b .a"


def test_a_later_value_of_a_json_stream_has_no_place_in_the_first() -> None:
    document = Document(name="stream.json", part=1)
    place = Place(document=document, object="Pod a/b", path=("a",))
    written = Places(Texts({"stream.json": '{"a": 1} {"a": 2}'})).written(place)
    assert written == "stream.json Pod a/b .a"


def test_many_places_in_a_big_file_do_not_cost_minutes() -> None:
    text = "".join(f"key-{number}: {'v' * 200}\n" for number in range(5_000))
    document = Document(name="big.yaml")
    places = Places(Texts({"big.yaml": text}))
    written = [
        places.written(Place(document=document, object="Pod a/b", path=(f"key-{number}",)))
        for number in range(1, 50)
    ]
    assert written[0] == "big.yaml:2:8"
    assert written[-1] == "big.yaml Pod a/b .key-49"
    assert places.written(Place(document=document, path=("key-1",))) == "big.yaml:2:8"


def test_a_nodes_toml_has_line_and_column() -> None:
    name = "nodes/gpu-a/etc/containerd/config.toml"
    document = Document(name=name, origin=Origin.NODE, owner="gpu-a")
    places = Places(Texts({name: "version = 3\n[plugins.cri]\ncdi_spec_dirs = []\n"}))
    place = Place(document=document, path=("plugins", "cri", "cdi_spec_dirs"))
    assert places.written(place) == f"{name}:3:17"


def test_a_nodes_cdi_spec_has_line_and_column() -> None:
    name = "nodes/gpu-a/var/run/cdi/nvidia.yaml"
    document = Document(name=name, origin=Origin.NODE, owner="gpu-a")
    places = Places(Texts({name: "kind: nvidia.com/gpu\ndevices:\n- name: all\n"}))
    assert places.written(Place(document=document, path=("devices", 0, "name"))) == f"{name}:3:9"


def test_a_nodes_file_as_a_whole_is_named_by_the_node() -> None:
    name = "nodes/gpu-a/toolkit/config.toml"
    document = Document(name=name, origin=Origin.NODE, owner="gpu-a")
    places = Places(Texts({name: "disable-require = false\n"}))
    assert places.written(Place(document=document)) == "Node gpu-a toolkit/config.toml"
