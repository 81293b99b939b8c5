"""`podwire numa policy`: every policy with all pods, kind of node by kind of node."""

import json
import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.bundles import CASES
from tests.unit.cli.fake_world import world

from podwire.cli.main import main

RAILS = str(CASES / "field/s-numa-rails-under-restricted")
RULES = Path(__file__).parents[3] / "src/podwire/rules/numa/cases"
NEVER = str(RULES / "numa_never_admitted/fires-a")

RAILS_SAID = """\
1 pod of 1 kind asks for devices
  Pod train/full-0: 8 nvidia.com/gpu, 1 example.com/ib_rail0, 1
    example.com/ib_rail1, 1 example.com/ib_rail2, 1 example.com/ib_rail3

gpu-c: 2 example.com/ib_rail0 on NUMA node 0, 2 example.com/ib_rail1 on NUMA
  node 0, 2 example.com/ib_rail2 on NUMA node 1, 2 example.com/ib_rail3 on NUMA
  node 1, 8 nvidia.com/gpu on NUMA nodes 0 and 1; now restricted, scope pod
                                                            surely aligned
  policy            scope      admits  not now  never  open  containers   pods
  none              -               1        0      0     0         1/1    1/1
  best-effort       container       1        0      0     0         1/1    1/1
  best-effort       pod             1        0      0     0         1/1    1/1
  restricted        container       0        0      1     0           -      -
  restricted        pod             0        0      1     0           -      -
  single-numa-node  container       0        0      1     0           -      -
  single-numa-node  pod             0        0      1     0           -      -
  never with restricted, single-numa-node: Pod train/full-0 (in the way:
    example.com/ib_rail0, example.com/ib_rail1, example.com/ib_rail2 and 2 more)
  strictest that admits it: best-effort, scope pod

admits: on the node when nothing is in use; not now: of those, what is in use
  leaves none of these nodes for them; open: not decided; surely aligned:
  devices of all admitted come from one NUMA node, or from as few as could hold
  them
"""


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    status = main(["numa", "policy", *arguments], world=world())
    return status, capsys.readouterr().out


def test_a_table_has_every_policy_and_scope(capsys: pytest.CaptureFixture[str]) -> None:
    assert said(capsys, RAILS) == (1, RAILS_SAID)


def test_the_status_is_0_where_the_policy_of_now_admits_all(
    capsys: pytest.CaptureFixture[str],
) -> None:
    status, text = said(capsys, str(RULES / "numa_never_admitted/quiet-a"))
    assert status == 0
    assert "now best-effort, scope container" in text


def test_what_pods_hold_now_stands_beside_what_the_empty_node_admits(
    capsys: pytest.CaptureFixture[str],
) -> None:
    status, text = said(
        capsys, "--of", "pod/llm-0", "-n", "train", str(RULES / "numa_rejected_now/fires-a")
    )
    rows = [line.split() for line in text.splitlines() if line.startswith("  single-numa-node")]
    assert status == 0
    assert rows[0][:6] == ["single-numa-node", "container", "1", "1", "0", "0"]


def test_without_the_list_of_holders_it_is_not_said_what_is_admitted_now(
    capsys: pytest.CaptureFixture[str],
) -> None:
    _, text = said(capsys, str(RULES / "numa_rejected_now/fires-no-list"))
    rows = [line.split() for line in text.splitlines() if line.startswith("  restricted")]
    assert rows[0][:5] == ["restricted", "container", "1", "?", "0"]


def test_devices_that_were_not_read_leave_strict_policies_open(
    capsys: pytest.CaptureFixture[str],
) -> None:
    _, text = said(capsys, str(RULES / "numa_never_admitted/undecided-allocatable"))
    rows = [line.split() for line in text.splitlines() if line.startswith("  restricted")]
    assert rows[0][2:6] == ["0", "0", "0", "1"]
    assert "to give it: nodes/<node>/podresources-allocatable.json in a bundle" in text
    assert "strictest" not in text


def test_policies_are_tried_where_the_present_one_is_not_known(
    capsys: pytest.CaptureFixture[str],
) -> None:
    status, text = said(capsys, str(RULES / "numa_never_admitted/undecided-configuration"))
    assert status == 0
    assert "its policy is not known" in text
    assert "never with restricted, single-numa-node: Pod train/llm-0" in text
    assert "its configuration was not read" in " ".join(text.split())


def test_nodes_with_too_few_devices_are_no_matter_of_policy(
    capsys: pytest.CaptureFixture[str],
) -> None:
    status, text = said(capsys, str(RULES / "numa_never_admitted/quiet-too-few"))
    assert status == 0
    assert "too few devices for: Pod train/llm-0 (nvidia.com/gpu)" in text
    assert "surely aligned" not in text.partition("\n\nadmits")[0]


def test_a_pod_with_nowhere_to_go_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    status, text = said(capsys, f"{CASES}/articles/1-attach/manifests")
    assert status == 0
    assert "no node that it may run on was given" in text


def test_json_has_every_pod_under_every_policy(capsys: pytest.CaptureFixture[str]) -> None:
    status, text = said(capsys, NEVER, "-o", "json")
    document = json.loads(text)
    assert status == 1
    assert document["schemaVersion"] == 1
    (node,) = document["nodes"]
    assert [(p["policy"], p["scope"], p["never"]) for p in node["policies"]][2:5] == [
        ("best-effort", "pod", 0),
        ("restricted", "container", 1),
        ("restricted", "pod", 1),
    ]
    assert node["strictest"] == {"policy": "best-effort", "scope": "pod"}
    assert node["pods"][0]["policies"][0]["outcome"] == "admitted"
    assert document["rejectedNow"] == [["Pod train/llm-0"]]


def test_pods_without_devices_and_names_that_are_not_there_are_refused(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    plain = {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "plain"}, "spec": {}}
    (tmp_path / "pod.json").write_text(json.dumps(plain))
    assert main(["numa", "policy", str(tmp_path)], world=world()) == 2
    assert "requests a device" in " ".join(capsys.readouterr().err.split())
    assert main(["numa", "policy", "--of", "pod/other", RAILS], world=world()) == 2
    assert "is not in what was given" in " ".join(capsys.readouterr().err.split())


def broken(tmp_path: Path, changes: Mapping[str, tuple[str, str]]) -> str:
    """Copy the rails and change text in some files."""
    shutil.copytree(RAILS, tmp_path / "bundle")
    for name, (old, new) in changes.items():
        path = tmp_path / "bundle" / name
        path.write_text(path.read_text().replace(old, new))
    return str(tmp_path / "bundle")


def test_a_policy_that_kubelet_does_not_start_with_is_named(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    changes = {"nodes/gpu-c/kubelet-config.yaml": ("restricted", "strict")}
    status, text = said(capsys, broken(tmp_path, changes))
    assert status == 0
    assert "its policy is not known" in text
    assert 'does not start with its configuration: unknown policy: "strict"' in " ".join(
        text.split()
    )


@pytest.mark.parametrize("count", ["-8", "0.5", "eight"])
def test_a_request_that_is_no_whole_number_is_not_written_as_none(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, count: str
) -> None:
    changes = {"cluster/pods.json": ('"nvidia.com/gpu": "8"', f'"nvidia.com/gpu": "{count}"')}
    bundle = broken(tmp_path, changes)
    _, text = said(capsys, bundle)
    assert "Pod train/full-0: ? nvidia.com/gpu" in text
    _, written = said(capsys, bundle, "-o", "json")
    assert json.loads(written)["pods"][0]["asks"]["nvidia.com/gpu"] is None


def test_a_file_that_cannot_be_read_is_named_and_not_only_asked_for(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    changes = {"nodes/gpu-c/kubelet-config.yaml": ("Policy: restricted", "Policy: 7")}
    assert main(["numa", "policy", broken(tmp_path, changes)], world=world()) == 0
    assert (
        "podwire: Node gpu-c kubelet-config.yaml .topologyManagerPolicy: expected a string, found "
        "the number 7; nothing in it is looked at"
    ) in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize(("what", "called"), [(["policy"], "policy"), (["pod", "x"], "pod x")])
def test_without_a_path_the_whole_command_is_shown(
    capsys: pytest.CaptureFixture[str], what: list[str], called: str
) -> None:
    assert main(["numa", *what], world=world()) == 2
    assert f"hint: podwire numa {called} PATH..." in capsys.readouterr().err


def test_a_count_of_replicas_below_zero_is_taken_for_one_pod(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    container = {"name": "c", "resources": {"limits": {"nvidia.com/gpu": 4}}}
    written = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "llm", "namespace": "train"},
        "spec": {"replicas": -5, "template": {"spec": {"containers": [container]}}},
    }
    (tmp_path / "llm.json").write_text(json.dumps(written))
    _, text = said(capsys, "--of", "deploy/llm", "-n", "train", str(tmp_path / "llm.json"), RAILS)
    assert text.startswith("1 pod of 1 kind asks for devices")
