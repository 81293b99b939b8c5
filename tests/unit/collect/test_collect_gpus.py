"""What is read about GPUs: cards and images of a machine, and the operator's policy."""

import json

import pytest
from tests.fakes.collected import facts_of, facts_of_node_root

from podwire.facts.inventory import Inventory
from podwire.facts.node import Card, Mig
from podwire.model.addresses import GpuUuid
from podwire.model.evidence import Known, Unknown

GPU = "GPU-3fa90000-0c2e-4d71-8b1a-6e5d4c3b0000"
MIG = "MIG-3fa90001-0c2e-4d71-8b1a-6e5d4c3b0001"


def uuid(text: str) -> GpuUuid:
    found = GpuUuid.maybe(text)
    assert found is not None
    return found


def facts(name: str, text: str) -> Inventory:
    return facts_of({f"nodes/gpu-a/{name}": text})


def test_cards_with_their_mig_devices() -> None:
    listed = (
        f"GPU 0: NVIDIA H200 (UUID: {GPU})\n"
        f"  MIG 1g.18gb     Device  0: (UUID: {MIG})\n"
        "a line of another program\n"
    )
    cards = facts("nvidia-smi-L.txt", listed).node_files["gpu-a"].cards
    mig = Mig(profile="1g.18gb", uuid=uuid(MIG))
    want = Card(index=0, model="NVIDIA H200", uuid=uuid(GPU), migs=(mig,))
    assert isinstance(cards, Known)
    assert cards.value == (want,)


def test_a_machine_without_a_gpu_says_so() -> None:
    cards = facts("nvidia-smi-L.txt", "No devices found.\n").node_files["gpu-a"].cards
    assert isinstance(cards, Known)
    assert cards.value == ()


def test_an_error_in_place_of_the_list_is_a_fault() -> None:
    found = facts("nvidia-smi-L.txt", "Failed to initialize NVML: Driver/library mismatch\n")
    assert isinstance(found.node_files["gpu-a"].cards, Unknown)
    assert 'found "Failed to initialize NVML' in found.faults[0].message


def test_without_the_list_the_cards_are_unknown() -> None:
    cards = facts("uname.txt", "Linux\n").node_files["gpu-a"].cards
    assert isinstance(cards, Unknown)
    assert cards.give == "nvidia-smi -L"


@pytest.mark.parametrize("config", [{"Env": ["A=1"]}, {"config": {"Env": ["A=1"]}}])
def test_variables_of_images(config: object) -> None:
    found = facts("images.json", json.dumps({"trainer:1": config, "bare": {}}))
    assert found.node_files["gpu-a"].images == {"trainer:1": ("A=1",), "bare": ()}


def test_images_that_cannot_be_read_are_a_fault() -> None:
    found = facts("images.json", '{"trainer": {"Env": "A=1"}}')
    assert found.node_files["gpu-a"].images == {}
    assert "Env" in found.faults[0].message


def test_a_machines_root_gives_what_its_runtimes_read() -> None:
    found = facts_of_node_root(
        {
            "etc/hostname": "gpu-a\n",
            "etc/containerd/conf.d/99-nvidia.toml": "version = 3\n",
            "etc/crio/crio.conf": "[crio]\n",
            "etc/crio/crio.conf.d/10-nvidia": "[crio.runtime]\n",
            "var/run/cdi/nvidia.yaml": "kind: nvidia.com/gpu\n",
        }
    ).node_files["gpu-a"]
    assert {
        "etc/containerd/conf.d/99-nvidia.toml",
        "etc/crio/crio.conf",
        "etc/crio/crio.conf.d/10-nvidia",
        "var/run/cdi/nvidia.yaml",
    } <= set(found.files)
    assert found.listings["var/run/cdi"] == ("nvidia.yaml",)


def a_policy(version: str) -> dict[str, object]:
    return {"apiVersion": version, "kind": "ClusterPolicy", "metadata": {"name": "a"}, "spec": {}}


@pytest.mark.parametrize("form", ["list", "manifest"])
def test_a_policy_of_another_group_is_not_the_operators(form: str) -> None:
    policies = [a_policy("kyverno.io/v1"), {**a_policy("nvidia.com/v1"), "metadata": {"name": "b"}}]
    if form == "list":
        files = {"cluster/clusterpolicies.json": json.dumps({"kind": "List", "items": policies})}
    else:
        files = {f"manifests/{i}.json": json.dumps(each) for i, each in enumerate(policies)}
    found = facts_of(files)
    assert [p.metadata.name for p in found.cluster_policies.items] == ["b"]
    assert found.looked_at.foreign == ()


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        (GPU, True),
        (MIG, True),
        (f"MIG-{GPU}/1/0", True),
        (GPU.upper(), True),
        ("GPU-3fa9", False),
        ("0", False),
        ("all", False),
    ],
)
def test_uuids_of_gpus_and_of_their_parts(text: str, *, is_one: bool) -> None:
    assert (GpuUuid.maybe(text) is not None) is is_one
