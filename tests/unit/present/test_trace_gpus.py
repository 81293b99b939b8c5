"""The GPU end of a wire as it is drawn."""

from collections.abc import Mapping

from tests.pictures import items, picture
from tests.unit.wire.gpu_clusters import CLASS, FILES, NODE, POD, A, plugin

from podwire.engine.per_wire import verdicts_of, wire_of
from podwire.model.names import Ref
from podwire.present.trace import trace, wires_of
from podwire.rules import CATALOGUE

OF = Ref(kind="Pod", name="w", namespace="train")
RUNNING = """
kind: Pod
metadata:
  name: plugin-x
  namespace: kube-system
  uid: p
  ownerReferences: [{kind: DaemonSet, name: plugin, uid: d, controller: true}]
spec:
  nodeName: gpu-a
  containers: [{name: main, image: "images.example.com/gpu/k8s-device-plugin:v0.17.1"}]
status: {phase: Running}
"""
CDI = "{name: DEVICE_LIST_STRATEGY, value: cdi-cri}"
SPEC = f"""cdiVersion: 0.5.0
kind: k8s.device-plugin.nvidia.com/gpu
devices:
- name: {A}
  containerEdits: {{deviceNodes: [{{path: /dev/nvidia0}}]}}
"""


def drawn(pod: str = POD, *, env: str = "", files: Mapping[str, str] = FILES) -> str:
    found = picture(
        cluster={
            "daemonsets": items(plugin(env=env)),
            "nodes": items(NODE),
            "pods": items(f"{RUNNING}---{pod}"),
            "runtimeclasses": items(CLASS),
        },
        files=files,
        assume={"nvidia-container-toolkit": "1.18.2"},
    )
    wires = [wire_of(each, picture=found) for each in wires_of(OF, picture=found)]
    verdicts = verdicts_of(CATALOGUE, picture=found, wires=wires)
    return trace(OF, picture=found, verdicts=verdicts)


def test_from_the_plugin_to_the_device() -> None:
    text = drawn()
    assert "plugin    NVIDIA's device plugin (DaemonSet kube-system/plugin)" in text
    assert f"NVIDIA_VISIBLE_DEVICES={A}" in text
    assert "RuntimeClass nvidia: nvidia in containerd, NVIDIA's, mode jit-cdi" in text
    assert f"runtime.nvidia.com/gpu={A}" in text
    assert "name - spec               holds" in text


def test_the_broken_joint_is_marked() -> None:
    text = drawn(POD.replace("  runtimeClassName: nvidia\n", ""))
    assert "broken: plugin - runtime" in text
    assert "plugin - runtime          BROKEN" in text
    assert "no RuntimeClass: runc in containerd, not NVIDIA's" in text
    assert "none in main: --x-- its runtime does not read the variable" in text


def test_a_name_that_no_spec_has() -> None:
    files = {**FILES, "nodes/gpu-a/var/run/cdi/a.yaml": SPEC.replace(A, "GPU-other")}
    text = drawn(POD.replace("  runtimeClassName: nvidia\n", ""), env=CDI, files=files)
    assert "--x-- no spec has it (offered: GPU-other)" in " ".join(text.split())
    assert "main does not start" in text


def test_what_is_missing_is_said() -> None:
    files = {name: text for name, text in FILES.items() if "containerd" not in name}
    text = " ".join(drawn(files=files).split())
    assert "main: not known: the container runtime's configuration on gpu-a was not read" in text
    assert "name - spec undecided" in text


def test_a_container_that_runs_has_its_gpus() -> None:
    state = "status: {phase: Running, containerStatuses: [{name: main, state: {running: {}}}]}"
    assert "main started with them" in drawn(POD.replace("status: {phase: Pending}", state))
