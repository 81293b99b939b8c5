"""`podwire guard`: who can reach which GPU, and what a change would cost."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from tests.bundles import CASES
from tests.unit.cli.fake_world import world

from podwire.cli.main import main

RULES = Path(__file__).parents[3] / "src/podwire/rules"
OPEN = str(RULES / "gpu/cases/reserved_gpu_by_variable/fires-a")
CLOSED = str(RULES / "gpu/cases/reserved_gpu_by_variable/quiet-a")
SOFTWARE = str(RULES / "gpu/cases/reserved_gpu_by_privilege/quiet-software-of-the-node")
ENVVAR = str(RULES / "gpu/cases/gpu_variable_refused/quiet-a")
OPERATOR = str(RULES / "cdi/cases/cdi_name_unresolvable/quiet-operator-25-3")
PLUGIN_BLIND = str(CASES / "field/s-gpu-closing-the-hole-blinds-the-plugin")
HELD = "GPU-3fa90001-0c2e-4d71-8b1a-6e5d4c3b0001"

OPEN_SAID = """\
gpu-b: 2 GPUs, 1 kept for the host

GPU  UUID                                      OWNER   OFFERED
0    GPU-3fa90000-0c2e-4d71-8b1a-6e5d4c3b0000  nobody  no
1    GPU-3fa90001-0c2e-4d71-8b1a-6e5d4c3b0001  host    no

device plugin:  closed
variable:       open: NVIDIA_VISIBLE_DEVICES=UUID, through RuntimeClass nvidia
                pods: lab/nb-0
volume mount:   closed
CDI annotation: closed
NRI annotation: closed
privileged:     to privileged containers, whatever the settings
"""

ENVVAR_SAID = """\
with accept-envvar-when-unprivileged=false
1 container with GPUs: 0 keep them, 1 do not, 0 not known

starts without them: train/w-0
  no GPU inside: NVIDIA's runtime ignores NVIDIA_VISIBLE_DEVICES of unprivileged
  containers

A container that runs keeps what it has until it is made anew; what is said here
holds for its next start.

in this order it costs nobody a GPU that requested it:
1. set DEVICE_LIST_STRATEGY=cdi-cri on the device plugins, wait until they have
   registered again, then make the pods with GPUs anew: kubelet repeats its old
   answer to a container that merely restarts (added: without it a later step
   costs somebody)
2. set accept-nvidia-visible-devices-envvar-when-unprivileged = false in the
   toolkit's config.toml
"""


def said(capsys: pytest.CaptureFixture[str], what: str, *arguments: str) -> tuple[int, str]:
    status = main(["guard", what, *arguments], world=world())
    return status, capsys.readouterr().out


def complained(capsys: pytest.CaptureFixture[str], what: str, *arguments: str) -> str:
    assert main(["guard", what, *arguments], world=world()) == 2
    return " ".join(capsys.readouterr().err.split())


def test_gpus_stand_above_the_doors_to_them(capsys: pytest.CaptureFixture[str]) -> None:
    assert said(capsys, "doors", OPEN) == (1, OPEN_SAID)


def test_a_node_whose_doors_are_closed_ends_with_nothing_to_say(
    capsys: pytest.CaptureFixture[str],
) -> None:
    status, text = said(capsys, "doors", CLOSED)
    assert status == 0
    assert "variable:       closed\n" in text


def test_software_of_the_node_is_named_apart_and_is_no_fault(
    capsys: pytest.CaptureFixture[str],
) -> None:
    status, text = said(capsys, "doors", SOFTWARE)
    assert status == 0
    assert "software of GPUs: gpu-operator/nvidia-dcgm-exporter-ab\n" in text
    assert "software of the node: kube-system/kube-proxy-x1,\n" in text


def test_json_has_every_door_of_every_gpu(capsys: pytest.CaptureFixture[str]) -> None:
    document: dict[str, Any] = json.loads(said(capsys, "doors", OPEN, "-o", "json")[1])
    (node,) = document["nodes"]
    free, kept = node["gpus"]
    assert (free["owner"], kept["owner"]) == ("nobody", "host")
    doors = {door["door"]: door for door in kept["doors"]}
    assert doors["variable"] == {
        "door": "variable",
        "state": "open",
        "how": f"NVIDIA_VISIBLE_DEVICES={HELD}, through RuntimeClass nvidia",
        "pods": ["lab/nb-0"],
        "gpuSoftware": [],
        "nodeSoftware": [],
        "missing": "",
    }


def test_csv_has_a_line_for_each_door_of_each_gpu(capsys: pytest.CaptureFixture[str]) -> None:
    rows = list(csv.DictReader(io.StringIO(said(capsys, "doors", OPEN, "-o", "csv")[1])))
    found = {(row["gpu"], row["door"]): row for row in rows}
    assert found["1", "variable"]["state"] == "open"
    assert found["1", "variable"]["pods"] == "lab/nb-0"
    assert found["1", "device plugin"]["state"] == "closed"
    assert ("0", "device plugin") not in found


def test_only_the_node_that_was_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    assert said(capsys, "doors", OPEN, "--node", "gpu-b") == (1, OPEN_SAID)
    words = complained(capsys, "doors", OPEN, "--node", "gpu-z")
    assert words == "podwire: node gpu-z is not in what was given hint: there are gpu-b"


def test_nothing_about_gpus_is_wrong_usage(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "pod.yaml").write_text("kind: Pod\nmetadata: {name: a}\n")
    words = complained(capsys, "doors", str(tmp_path))
    assert words.startswith("podwire: nothing in what was given is about GPUs")


def test_losses_stand_above_the_order_that_avoids_them(capsys: pytest.CaptureFixture[str]) -> None:
    change = "accept-envvar-when-unprivileged=false"
    assert said(capsys, "simulate", ENVVAR, "--set", change) == (1, ENVVAR_SAID)


def test_a_simulation_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    options = ("--drop-runtime-class", "nvidia", "-o", "json")
    status, text = said(capsys, "simulate", ENVVAR, *options)
    document: dict[str, Any] = json.loads(text)
    assert status == 1
    (container,) = document["containers"]
    assert (container["fate"], container["requests"]) == ("does not start", "nvidia.com/gpu")
    assert container["says"] == 'pod rejected: RuntimeClass "nvidia" not found'
    assert [(step["isAdded"], step["costs"]) for step in document["steps"]] == [
        (True, []),
        (False, []),
    ]


def test_an_operator_that_turns_cdi_on_writes_the_specs_that_it_needs(
    capsys: pytest.CaptureFixture[str],
) -> None:
    status, text = said(capsys, "simulate", OPERATOR, "--assume", "gpu-operator=v25.10.0")
    assert status == 0
    assert "5 containers with GPUs: 4 keep them, 0 do not, 1 not known" in text
    assert "1. upgrade the GPU Operator to v25.10.0, whose chart has cdi.enabled=true" in text


def test_an_operator_that_changes_nothing_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    status, text = said(capsys, "simulate", OPERATOR, "--assume", "gpu-operator=v25.3.0")
    assert status == 0
    assert "gpu-operator v25.3.0 sets up GPUs as the one that runs does" in text
    assert "in this order" not in text


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ((), "no change to simulate was given"),
        (("--set", "accept-envvr=false"), "did you mean accept-envvar-when-unprivileged?"),
        (("--set", "mode=fast"), "--set mode=fast: mode takes no 'fast'"),
        (("--set", "mode=cdi", "--set", "mode=auto"), "gives mode two values, cdi and auto"),
        (("--set", "default-runtime=kata"), "no node has such a handler hint: there are nvidia"),
        (("--set", "default-kind=gpu"), "'gpu' is no kind of CDI devices"),
        (("--drop-runtime-class", "gpu"), "there is no such class hint: there are nvidia"),
        (("--assume", "gpu-operator=v25.10.0"), "no ClusterPolicy is in what was given"),
        (("--assume", "gpu-operator=new"), "--assume gpu-operator=new"),
    ],
)
def test_a_change_that_nobody_can_make_is_wrong_usage(
    capsys: pytest.CaptureFixture[str], options: tuple[str, ...], words: str
) -> None:
    assert words in complained(capsys, "simulate", ENVVAR, *options)


def test_closing_the_hole_shows_what_stays_open(capsys: pytest.CaptureFixture[str]) -> None:
    status, text = said(capsys, "doors", PLUGIN_BLIND)
    assert status == 1
    assert "variable:       closed\n" in text
    assert "volume mount:   open: hostPath /dev/null at\n" in text
