"""Which version of a program runs: the user's word, the images, the spec."""

from tests.pictures import picture

from podwire.model.evidence import Known, Unknown
from podwire.wire.joined.images import SRIOV_PLUGIN, component_of, tag_of
from podwire.wire.picture import Picture

POD = """
apiVersion: v1
kind: Pod
metadata: {{name: {name}, namespace: kube-system}}
spec:
  nodeName: {node}
  containers:
  - {{name: kube-sriovdp, image: "{image}"}}
"""
IMAGE = "images.example.com/net/sriov-network-device-plugin"


def pod(node: str, image: str) -> str:
    return POD.format(name=f"plugin-{node}", node=node, image=image)


def version(made: Picture, node: str = "") -> str:
    answer = made.version(SRIOV_PLUGIN, node)
    return str(answer.value) if isinstance(answer, Known) else answer.reason


def test_an_image_is_recognised_by_the_last_part_of_its_name() -> None:
    assert component_of(f"{IMAGE}:v3.5.1@sha256:abc") == SRIOV_PLUGIN
    assert component_of("registry.example.com:5000/x/unrelated:v1") is None
    assert tag_of("registry.example.com:5000/x/y") == ""


def test_the_tag_of_the_nodes_own_pod_counts() -> None:
    made = picture(pod("a", f"{IMAGE}:v3.5.1") + "---" + pod("b", f"{IMAGE}:v3.9.0"))
    assert (version(made, "a"), version(made, "b")) == ("v3.5.1", "v3.9.0")
    assert "v3.5.1 and v3.9.0" in version(made)


def test_a_digest_gives_no_version_and_the_flag_does() -> None:
    image = f"{IMAGE}@sha256:abc"
    assert "no version as tag" in version(picture(pod("a", image)))
    assumed = picture(pod("a", image), assume={SRIOV_PLUGIN: "v3.9.0"})
    answer = assumed.version(SRIOV_PLUGIN, "a")
    assert isinstance(answer, Known)
    assert answer.assumes == (f"{SRIOV_PLUGIN} is v3.9.0",)


def test_another_programs_assumed_version_changes_nothing() -> None:
    made = picture(pod("a", f"{IMAGE}:v3.5.1"), assume={"multus": "v4.2.2"})
    assert version(made, "a") == "v3.5.1"


def test_the_spec_answers_where_no_image_does() -> None:
    spec = (
        f"apiVersion: podwire.io/v1alpha1\nkind: Wiring\ncomponents: {{{SRIOV_PLUGIN}: v3.11.0}}\n"
    )
    made = picture(files={"spec/site.yaml": spec})
    assert version(made) == "v3.11.0"


def test_nothing_in_sight_names_the_flag() -> None:
    answer = picture().version(SRIOV_PLUGIN)
    assert isinstance(answer, Unknown)
    assert f"--assume {SRIOV_PLUGIN}=VERSION" in answer.give
