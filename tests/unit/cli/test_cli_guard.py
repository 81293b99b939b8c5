"""`podwire guard`: who can reach which GPU, and what a change would cost."""

import csv
import io
import json
import shutil
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
BY_RIGHT = str(RULES / "gpu/cases/reserved_gpu_by_variable/fires-sys-admin")
NO_CLASS = str(RULES / "gpu/cases/reserved_gpu_by_variable/quiet-no-class")
NO_TOOLKIT = str(RULES / "gpu/cases/reserved_gpu_by_variable/undecided-toolkit")
NO_CLASSES = str(RULES / "gpu/cases/reserved_gpu_by_variable/undecided-classes")
REFUSE, OBEY = (f"accept-envvar-when-unprivileged={each}" for each in ("false", "true"))
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

closes: variable to GPU-3fa90000-0c2e-4d71-8b1a-6e5d4c3b0000,
  GPU-3fa90001-0c2e-4d71-8b1a-6e5d4c3b0001 on gpu-a

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


def simulated(
    capsys: pytest.CaptureFixture[str], bundle: str, *changes: str
) -> tuple[int, dict[str, Any]]:
    options = [word for change in changes for word in ("--set", change)]
    status, text = said(capsys, "simulate", bundle, *options, "-o", "json")
    document: dict[str, Any] = json.loads(text)
    return status, document


def test_a_change_that_opens_a_reserved_gpu_names_the_door_and_costs_the_status(
    capsys: pytest.CaptureFixture[str],
) -> None:
    status, text = said(capsys, "simulate", CLOSED, "--set", OBEY)
    assert status == 1
    assert (
        f"opens: variable to {HELD} on gpu-b (kept for the host): "
        "NVIDIA_VISIBLE_DEVICES=UUID, through RuntimeClass nvidia; "
        "as written now it lets in lab/nb-0"
    ) in " ".join(text.split())


def test_doors_that_open_are_in_the_document(capsys: pytest.CaptureFixture[str]) -> None:
    status, document = simulated(capsys, CLOSED, OBEY)
    assert status == 1
    assert document["closes"] == []
    assert document["opens"] == [
        {
            "door": "variable",
            "node": "gpu-b",
            "gpus": [HELD],
            "isReserved": True,
            "how": "NVIDIA_VISIBLE_DEVICES=UUID, through RuntimeClass nvidia",
            "pods": ["lab/nb-0"],
            "still": [],
            "missing": "",
        }
    ]


def test_a_change_that_closes_a_door_says_whom_it_let_in(
    capsys: pytest.CaptureFixture[str],
) -> None:
    text = " ".join(said(capsys, "simulate", OPEN, "--set", REFUSE)[1].split())
    door = f"closes: variable to {HELD} on gpu-b (kept for the host)"
    assert f"{door}; as written now it let in lab/nb-0 A container" in text
    assert "opens" not in text


def test_a_door_to_gpus_that_nobody_reserved_opens_without_a_fault(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    free = tmp_path / "bundle"
    shutil.copytree(CLOSED, free, ignore=shutil.ignore_patterns("spec"))
    status, document = simulated(capsys, str(free), OBEY)
    assert status == 0
    assert [(len(each["gpus"]), each["isReserved"]) for each in document["opens"]] == [(2, False)]


def test_a_door_that_opens_to_others_names_no_pod_that_was_in_before(
    capsys: pytest.CaptureFixture[str],
) -> None:
    (door,) = simulated(capsys, BY_RIGHT, OBEY)[1]["opens"]
    assert (door["door"], door["pods"]) == ("variable", [])


def test_a_door_that_closes_stays_open_to_a_pod_with_a_right_of_its_own(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    bundle = tmp_path / "bundle"
    shutil.copytree(BY_RIGHT, bundle)
    config = bundle / "nodes/gpu-b/toolkit/config.toml"
    config.write_text(config.read_text().replace("false", "true"))
    (door,) = simulated(capsys, str(bundle), REFUSE)[1]["closes"]
    assert (door["pods"], door["still"]) == ([], ["lab/nb-0"])
    text = said(capsys, "simulate", str(bundle), "--set", REFUSE)[1]
    assert "; still open to lab/nb-0" in " ".join(text.split())


def test_a_dropped_class_closes_the_way_through_it(capsys: pytest.CaptureFixture[str]) -> None:
    options = ("--drop-runtime-class", "nvidia", "-o", "json")
    document = json.loads(said(capsys, "simulate", OPEN, *options)[1])
    assert [door["door"] for door in document["closes"]] == ["variable"]


def test_a_door_of_which_a_fact_is_missing_is_neither_opened_nor_passed_over(
    capsys: pytest.CaptureFixture[str],
) -> None:
    status, document = simulated(capsys, NO_TOOLKIT, OBEY)
    assert (status, document["opens"]) == (0, [])
    (door,) = document["doorsNotKnown"]
    assert (door["door"], door["gpus"]) == ("variable", [HELD])
    assert door["missing"].startswith("config.toml of the NVIDIA container toolkit on gpu-b")
    text = said(capsys, "simulate", NO_TOOLKIT, "--set", OBEY)[1]
    assert "not known whether open then: variable" in text


def test_a_door_that_is_closed_then_may_have_been_closed_before(
    capsys: pytest.CaptureFixture[str],
) -> None:
    text = said(capsys, "simulate", NO_CLASSES, "--set", REFUSE)[1]
    assert "; unless it is closed already (whether a RuntimeClass" in " ".join(text.split())


def test_a_setting_that_is_so_already_is_no_step(capsys: pytest.CaptureFixture[str]) -> None:
    status, text = said(capsys, "simulate", CLOSED, "--set", REFUSE)
    assert status == 0
    assert f"already so on every node in sight: {REFUSE}\n" in text
    assert "1. " not in text


@pytest.mark.parametrize(
    ("change", "is_so"),
    [
        ("mode=auto", True),
        ("mode=cdi", False),
        ("accept-as-volume-mounts=false", True),
        ("default-kind=nvidia.com/gpu", True),
        ("default-runtime=runc", True),
        ("device-list-strategy=envvar", True),
        ("device-list-strategy=cdi-cri", False),
    ],
)
def test_what_stands_or_is_the_default_is_so_already(
    capsys: pytest.CaptureFixture[str],
    change: str,
    is_so: bool,  # noqa: FBT001 - a column of the table above
) -> None:
    document = simulated(capsys, ENVVAR, change)[1]
    assert document["alreadySo"] == ([change] if is_so else [])
    assert (document["steps"] == []) is is_so


def test_a_setting_of_a_node_that_nobody_read_is_a_step(
    capsys: pytest.CaptureFixture[str],
) -> None:
    document = simulated(capsys, NO_TOOLKIT, OBEY)[1]
    assert (document["alreadySo"], len(document["steps"])) == ([], 1)


def test_what_only_an_added_step_opens_is_said_apart(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    bundle = tmp_path / "bundle"
    shutil.copytree(ENVVAR, bundle)
    config = bundle / "nodes/gpu-a/etc/containerd/config.toml"
    table = '[plugins."io.containerd.cri.v1.runtime"]\n'
    config.write_text(config.read_text().replace(table, f"{table}  enable_cdi = false\n"))
    images = '{"images.example.com/team/trainer:1.4": {"Env": []}}'
    (bundle / "nodes/gpu-a/images.json").write_text(images)
    document = simulated(capsys, str(bundle), REFUSE)[1]
    assert [step["isAdded"] for step in document["steps"]] == [True, False]
    assert document["opens"] == []
    assert [door["door"] for door in document["opensByAddedSteps"]] == ["volume mount"]
    text = said(capsys, "simulate", str(bundle), "--set", REFUSE)[1]
    assert "opens, by an added step: volume mount" in text


def test_another_default_runtime_opens_the_door_that_no_class_leads_to(
    capsys: pytest.CaptureFixture[str],
) -> None:
    status, document = simulated(capsys, NO_CLASS, "default-runtime=nvidia")
    assert status == 1
    (door,) = document["opens"]
    assert door["how"] == "NVIDIA_VISIBLE_DEVICES=UUID, through the default runtime nvidia"


def test_a_pod_of_which_it_is_not_known_then_is_not_said_to_be_out(
    capsys: pytest.CaptureFixture[str],
) -> None:
    document = simulated(capsys, BY_RIGHT, "mode=cdi")[1]
    assert document["closes"] == []
    (door,) = document["doorsNotKnown"]
    assert (door["door"], door["pods"]) == ("variable", ["lab/nb-0"])
    assert "CDI specs of node gpu-b" in door["missing"]


def test_facts_that_decide_only_then_close_no_door(capsys: pytest.CaptureFixture[str]) -> None:
    document = simulated(capsys, NO_CLASSES, "default-runtime=nvidia")[1]
    assert [door["door"] for door in document["opens"]] == ["variable"]
    assert document["closes"] == []
