import json
from pathlib import Path

import pytest
from tests.bundles import CASES
from tests.unit.cli.fake_world import world

from podwire.cli.main import main

RAILS = str(CASES / "field/s-numa-rails-under-restricted")
ATTACH = str(CASES / "articles/1-attach")
REAL = str(CASES / "real/cluster-1.37")
RULES = Path(__file__).parents[3] / "src/podwire/rules/numa/cases"

RAILS_SAID = """\
Pod train/full-0 asks for 8 nvidia.com/gpu, 1 example.com/ib_rail0, 1
  example.com/ib_rail1, 1 example.com/ib_rail2, 1 example.com/ib_rail3

gpu-c: never admitted, not on the empty node either (restricted, scope pod)
  resource              asks  NUMA nodes (* preferred)
  example.com/ib_rail0     1  0* 0+1
  example.com/ib_rail1     1  0* 0+1
  example.com/ib_rail2     1  1* 0+1
  example.com/ib_rail3     1  1* 0+1
  nvidia.com/gpu           8  0+1*
  in the way: example.com/ib_rail0, example.com/ib_rail1, example.com/ib_rail2,
              example.com/ib_rail3, nvidia.com/gpu: alone each fits, not on the
              NUMA nodes of the others
  fits with:  policy best-effort
  fits with:  excludeTopology: true for example.com/ib_rail0,
              example.com/ib_rail1, example.com/ib_rail2, example.com/ib_rail3
"""


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    status = main(["numa", "pod", *arguments], world=world())
    return status, capsys.readouterr().out


def test_hints_blockers_and_cures_stand_below_the_node(capsys: pytest.CaptureFixture[str]) -> None:
    assert said(capsys, "pod/full-0", RAILS, "-n", "train") == (1, RAILS_SAID)


def test_holders_are_named_where_the_empty_node_would_admit(
    capsys: pytest.CaptureFixture[str],
) -> None:
    case = str(RULES / "numa_rejected_now/fires-a")
    status, text = said(capsys, "pod/llm-0", case, "-n", "train")
    assert status == 1
    assert "gpu-a: not admitted now; the empty node would admit it" in text
    assert "held:       train/llm-7 has 2 nvidia.com/gpu on NUMA node 0" in text
    assert "fits with" not in text


def test_a_missing_fact_is_named_with_what_gives_it(capsys: pytest.CaptureFixture[str]) -> None:
    case = str(RULES / "numa_never_admitted/undecided-allocatable")
    status, text = said(capsys, "pod/llm-0", case, "-n", "train")
    assert status == 0
    assert "gpu-a: undecided (restricted, scope container)" in text
    assert "to give it: nodes/<node>/podresources-allocatable.json in a bundle" in text


def test_a_node_with_too_few_devices_is_said_to_have_too_few(
    capsys: pytest.CaptureFixture[str],
) -> None:
    case = str(RULES / "numa_never_admitted/quiet-too-few")
    status, text = said(capsys, "pod/llm-0", case, "-n", "train")
    assert status == 1
    assert "gpu-a: too few of nvidia.com/gpu, whoever holds them" in text


def test_the_node_that_a_pod_is_bound_to_is_asked_though_it_would_not_be_chosen(
    capsys: pytest.CaptureFixture[str],
) -> None:
    case = str(RULES / "numa_never_admitted/fires-cordoned")
    status, text = said(capsys, "pod/llm-0", case, "-n", "train")
    assert status == 1
    assert "gpu-a: never admitted" in text


def test_the_policy_none_gives_no_devices_that_are_in_use(
    capsys: pytest.CaptureFixture[str],
) -> None:
    status, text = said(capsys, "pod/resource-exhausted", REAL, "-n", "train")
    assert status == 1
    assert "lab-node: not admitted now; the empty node would admit it (none, " in text
    assert "in the way: example.com/ib_vf: too few are free, on whatever NUMA nodes" in text


def test_a_node_whose_pods_are_not_listed_is_judged_as_if_empty(
    capsys: pytest.CaptureFixture[str],
) -> None:
    case = str(RULES / "numa_rejected_now/fires-no-list")
    status, text = said(capsys, "pod/llm-0", case, "-n", "train")
    assert status == 0
    assert "gpu-a: undecided; the empty node would admit it" in text


def test_a_node_that_admits_is_named_first(capsys: pytest.CaptureFixture[str]) -> None:
    case = str(RULES / "numa_never_admitted/quiet-b")
    status, text = said(capsys, "pod/llm-0", case, "-n", "train")
    assert status == 0
    assert text.index("gpu-b: admitted (best-effort") < text.index("gpu-a: never admitted")


def test_json_has_the_hints_as_lists(capsys: pytest.CaptureFixture[str]) -> None:
    status, text = said(capsys, "training-worker", ATTACH, "-o", "json")
    document = json.loads(text)
    assert status == 1
    (pod,) = document["pods"]
    (node,) = pod["nodes"]
    assert document["schemaVersion"] == 1
    assert pod["asks"] == {"nvidia.com/gpu": 8, "example.com/sriov_ib": 1}
    assert (node["names"], node["outcome"], node["policy"]) == (
        ["gpu-a"],
        "never",
        "single-numa-node",
    )
    assert node["containers"][0]["hints"][1] == {
        "resource": "nvidia.com/gpu",
        "asks": 8,
        "sets": [{"nodes": [0, 1], "preferred": True}],
    }
    assert node["blockers"] == [{"resource": "nvidia.com/gpu", "why": "too wide"}]
    assert node["fitsWith"][0]["rejectedToo"] == ["restricted"]


def test_without_nodes_there_is_nothing_to_ask(capsys: pytest.CaptureFixture[str]) -> None:
    status, text = said(capsys, "training-worker", f"{ATTACH}/manifests")
    assert status == 0
    assert "no node that it may run on was given" in text


def test_a_pod_without_devices_and_one_that_is_not_there_are_refused(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    pod = {
        "kind": "Pod",
        "apiVersion": "v1",
        "metadata": {
            "name": "plain",
            "namespace": "default",
            "annotations": {"k8s.v1.cni.cncf.io/networks": "a"},
        },
        "spec": {"containers": [{"name": "main"}]},
    }
    (tmp_path / "pod.json").write_text(json.dumps(pod))
    assert main(["numa", "pod", "plain", str(tmp_path)], world=world()) == 2
    assert "requests no device" in capsys.readouterr().err
    assert main(["numa", "pod", "other", str(tmp_path)], world=world()) == 2
    assert "Pod default/other is not in what was given" in " ".join(capsys.readouterr().err.split())
