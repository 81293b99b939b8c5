import json
import os
import subprocess
import sys
from datetime import datetime
from pathlib import Path

import pytest
from tests.unit.cli.fake_world import nad, world

from podwire.cli.main import main
from podwire.cli.trace import ref_of
from podwire.cli.world import World
from podwire.model.errors import PodwireError
from podwire.model.names import Ref


@pytest.mark.parametrize(
    ("written", "kind", "name"),
    [
        ("worker-0", "Pod", "worker-0"),
        ("pod/worker-0", "Pod", "worker-0"),
        ("po/worker-0", "Pod", "worker-0"),
        ("Deployments/web", "Deployment", "web"),
        ("mpijob/llm", "MPIJob", "llm"),
        ("lws/llm", "LeaderWorkerSet", "llm"),
    ],
)
def test_type_and_name_are_written_as_for_kubectl(written: str, kind: str, name: str) -> None:
    assert ref_of(written, namespace="a") == Ref(kind=kind, name=name, namespace="a")


@pytest.mark.parametrize("written", ["node/a", "pod/", "nothing/a"])
def test_another_type_is_refused(written: str) -> None:
    with pytest.raises(PodwireError, match="names no pod and no workload"):
        ref_of(written, namespace="a")


@pytest.fixture(name="files")
def _files(tmp_path: Path) -> str:
    for name in ("fine", "bad", "unknown"):
        pod = {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {
                "name": name,
                "namespace": "train",
                "annotations": {"k8s.v1.cni.cncf.io/networks": name},
            },
            "spec": {"containers": [{"name": "main"}]},
        }
        (tmp_path / f"{name}.json").write_text(json.dumps(pod))
    alone = '{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "alone"}}'
    (tmp_path / "alone.json").write_text(alone)
    (tmp_path / "nads.yaml").write_text(nad("fine", "bad", "unknown"))
    return str(tmp_path)


@pytest.mark.parametrize(
    ("name", "status", "says"),
    [
        ("fine", 0, "everything holds"),
        ("bad", 1, "broken: pod - network"),
        ("unknown", 0, "nothing broken; 1 undecided"),
    ],
)
def test_a_wire_and_its_status(
    name: str, status: int, says: str, files: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["trace", f"pod/{name}", "-n", "train", files], world=world()) == status
    assert says in capsys.readouterr().out.splitlines()[0]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["pod/none", "-n", "train"], "Pod train/none is not in what was given"),
        (["pod/alone"], "Pod default/alone names no network and requests no device"),
    ],
)
def test_a_pod_without_a_wire_is_said_to_have_none(
    arguments: list[str], says: str, files: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["trace", *arguments, files], world=world()) == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert says in output.err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["pod/fine"], "hint: there is Pod train/fine: -n train"),
        (["pod/fime", "-n", "train"], "hint: nearest: Pod train/fine"),
        (["job/fine"], "hint: no Job was given"),
    ],
)
def test_what_is_not_there_may_be_elsewhere(
    arguments: list[str], says: str, files: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["trace", *arguments, files], world=world()) == 2
    assert says in capsys.readouterr().err


def test_several_templates_of_one_workload_have_their_own_names(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    template = {
        "metadata": {"annotations": {"k8s.v1.cni.cncf.io/networks": "fine"}},
        "spec": {"containers": [{"name": "main"}]},
    }
    replicas = {
        "Master": {"replicas": 1, "template": template},
        "Worker": {"replicas": 4, "template": template},
    }
    job = {
        "kind": "PyTorchJob",
        "metadata": {"name": "pt", "namespace": "train"},
        "spec": {"pytorchReplicaSpecs": replicas},
    }
    (tmp_path / "job.json").write_text(json.dumps(job))
    assert main(["trace", "pytorchjob/pt", "-n", "train", str(tmp_path)], world=world()) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "PyTorchJob train/pt: 2 templates, all alike"
    assert lines[2].startswith("PyTorchJob train/pt (Master) (a template of 1 pod): ")
    assert lines[3] == "  like it: PyTorchJob train/pt (Worker), a template of 4 pods"


def test_an_error_is_written_out_before_the_end() -> None:
    code = "from podwire.cli.main import entry; entry()"
    for arguments, status in ((["explain", "PW999"], 2), (["no-such"], 2), (["--version"], 0)):
        done = subprocess.run(  # noqa: S603 - this very interpreter
            [sys.executable, "-c", code, *arguments], capture_output=True, check=False
        )
        assert done.returncode == status
        assert done.stdout or done.stderr


def test_ctrl_c_ends_quietly(files: str, capsys: pytest.CaptureFixture[str]) -> None:
    def interrupted() -> datetime:
        raise KeyboardInterrupt

    real = world()
    stopped = World(catalogue=real.catalogue, now=interrupted, environ={})
    assert main(["check", files], world=stopped) == 130
    assert capsys.readouterr() == ("", "")


def test_nobody_reading_the_output_ends_quietly(files: str) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    code = "from podwire.cli.main import entry; entry()"
    done = subprocess.run(  # noqa: S603 - this very interpreter
        [sys.executable, "-c", code, "check", files],
        stdout=writing,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(writing)
    assert done.returncode == 141
    assert done.stderr == b""
