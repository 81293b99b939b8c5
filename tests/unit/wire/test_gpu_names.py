"""Which devices a container may be handed, and what the node's CDI specs offer of them."""

import msgspec
import pytest
from tests.unit.wire.gpu_clusters import ENVVAR, FILES, MIG, NODE, RUNNING, A, B, gpus, plugin, use

from podwire.model.evidence import Answer, Unknown
from podwire.model.names import ResourceName
from podwire.peers.cdi import SPEC_DIRS, TOOLKIT, Registry
from podwire.wire.gpu.gpus import Gpus
from podwire.wire.gpu.judging import ids_of
from podwire.wire.gpu.records import NodeSpec

IN_PARTS = f"""GPU 0: NVIDIA H200 (UUID: {A})
  MIG 1g.18gb     Device  0: (UUID: {MIG})
  MIG 3g.71gb     Device  1: (UUID: {MIG.replace("0002", "0003")})
GPU 1: NVIDIA H200 (UUID: {B})
"""
NEW_SPEC = f"""cdiVersion: 1.1.0
kind: k8s.device-plugin.nvidia.com/gpu
devices:
- {{name: {A}, containerEdits: {{env: [A=1]}}}}
- {{name: {B}, containerEdits: {{env: [A=2]}}}}
"""


def gap_of(found: Gpus) -> str:
    (judged,) = found.judged
    assert isinstance(judged.way, Unknown)
    return judged.way.reason


@pytest.mark.parametrize(
    ("strategy", "resource", "names"),
    [
        ("none", "gpu", (A, B)),
        ("mixed", "gpu", (B,)),
        ("mixed", "mig-1g.18gb", (MIG,)),
        ("single", "gpu", (MIG, MIG.replace("0002", "0003"), B)),
    ],
)
def test_a_gpu_in_parts_is_handed_out_by_the_strategy(
    strategy: str, resource: str, names: tuple[str, ...]
) -> None:
    pods = RUNNING.replace("nvidia.com/gpu", f"nvidia.com/{resource}")
    node = NODE.replace("nvidia.com/gpu", f"nvidia.com/{resource}")
    env = f"{{name: MIG_STRATEGY, value: {strategy}}}"
    files = {**FILES, "nodes/gpu-a/nvidia-smi-L.txt": IN_PARTS}
    found = gpus(plugin(env=env), node=node, pods=pods, files=files)
    judged = use(found)
    giver = found.plugins.serving("gpu-a", ResourceName.parse(f"nvidia.com/{resource}")).need()
    ids = ids_of(msgspec.structs.replace(judged, plugin=giver.value), found.node("gpu-a"))
    assert ids.need().value == tuple((name,) for name in names)


@pytest.mark.parametrize(
    ("privileged", "names"),
    [("false", (B,)), ("true", (A, B))],  # privileged, it sees every GPU whatever it is given
)
def test_a_plugin_hands_out_no_gpu_that_it_is_not_given(
    privileged: str, names: tuple[str, ...]
) -> None:
    listed = f"{{name: NVIDIA_VISIBLE_DEVICES, value: {B}}}"
    secured = f"securityContext: {{privileged: {privileged}}}\n        volumeMounts"
    found = gpus(plugin(env=listed).replace("volumeMounts", secured), pods=RUNNING)
    giver = found.plugins.serving("gpu-a", ResourceName.parse("nvidia.com/gpu")).need()
    ids = ids_of(msgspec.structs.replace(use(found), plugin=giver.value), found.node("gpu-a"))
    assert ids.need().value == tuple((name,) for name in names)


def test_a_node_that_offers_none_just_now_is_no_place_for_a_pod_to_come() -> None:
    node = NODE.replace('nvidia.com/gpu: "2"', 'nvidia.com/gpu: "0"')
    pods = RUNNING.replace("  nodeName: gpu-a\n  runtimeClassName", "  runtimeClassName")
    assert "none does now" in gap_of(gpus(plugin(env=ENVVAR), node=node, pods=pods))


def registry_of(spec: str) -> Answer[Registry]:
    """Load a spec as NVIDIA's runtime does, in a version that is not in sight."""
    files = {**FILES, "nodes/gpu-a/var/run/cdi/a.yaml": spec}
    return gpus(plugin(), files=files).node("gpu-a").registry(TOOLKIT, SPEC_DIRS)


def test_a_spec_that_only_some_libraries_load_leaves_names_open_without_the_version() -> None:
    found = registry_of(NEW_SPEC)
    assert isinstance(found, Unknown)
    assert "the version of nvidia-container-toolkit is not in sight" in found.reason


def test_a_spec_that_every_library_loads_needs_no_version() -> None:
    found = registry_of(NEW_SPEC.replace("1.1.0", "0.5.0"))
    assert found.need().value.kinds == {"k8s.device-plugin.nvidia.com/gpu": (A, B)}


@pytest.mark.parametrize(
    ("name", "offers"),
    [
        ("nvidia.com/gpu=0", True),
        ("nvidia.com/gpu=all", True),
        ("nvidia.com/gpu=5", False),  # a number elsewhere in the file is no name
        ("other.com/gpu=0", False),
    ],
)
def test_a_spec_that_is_not_loaded_would_offer_what_it_names(name: str, *, offers: bool) -> None:
    text = "kind: nvidia.com/gpu\ndevices:\n- name: '0'\n  minor: 5\n- name: all\n"
    spec = NodeSpec(node="gpu-a", path="/etc/cdi/a.yaml", text=text)
    assert spec.would_offer(name) is offers
