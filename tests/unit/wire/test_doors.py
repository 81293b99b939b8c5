"""Doors to GPUs: what opens them, which pods stand in them, and what a change would cost."""

from collections.abc import Mapping

import pytest
from tests.pictures import items, picture
from tests.unit.wire.gpu_clusters import (
    CARDS,
    CLASS,
    CONTAINERD,
    ENVVAR,
    NODE,
    POD_OF_PLUGIN,
    A,
    B,
    plugin,
)

from podwire.model.addresses import GpuUuid
from podwire.model.evidence import Known, Unknown
from podwire.wire.doors.changes import Change, ChangeError
from podwire.wire.doors.doors import Doors
from podwire.wire.doors.fates import Fate, Fated, Fates
from podwire.wire.doors.ordering import Step, ordered
from podwire.wire.doors.records import Door, Kind, Side
from podwire.wire.doors.rows import node_of
from podwire.wire.picture import Picture

Files = Mapping[str, str | None] | None
Texts = Mapping[str, str] | None
ACCEPT = "accept-nvidia-visible-devices-envvar-when-unprivileged = {}\n"
TOOLKIT = "nodes/gpu-a/toolkit/config.toml"
BY_VARIABLE = plugin(env=ENVVAR)
SPEC = f"""
apiVersion: podwire.io/v1alpha1
kind: Wiring
nodes:
- names: [gpu-a]
  gpus: {{reserveForHost: [{B}]}}
"""
BASE = {
    "nodes/gpu-a/nvidia-smi-L.txt": CARDS,
    "nodes/gpu-a/etc/containerd/config.toml": CONTAINERD,
    "nodes/gpu-a/images.json": '{"app": {"Env": []}}',
    "spec/wiring.yaml": SPEC,
    TOOLKIT: ACCEPT.format("true"),
}


def pod(
    container: str = "", *, name: str = "w", meta: str = "", spec: str = "runtimeClassName: nvidia"
) -> str:
    """A running pod; the parts are flow YAML."""
    return f"""
kind: Pod
metadata: {{name: {name}, namespace: lab, uid: u, {meta}}}
spec:
  nodeName: gpu-a
  {spec}
  containers: [{{name: main, image: app, {container}}}]
status: {{phase: Running}}
"""


def cluster(
    *pods: str,
    files: Files = None,
    daemons: str = "",
    assume: Texts = None,
) -> Picture:
    """Join one node with two GPUs, of which the spec reserves the second."""
    given = {k: v for k, v in {**BASE, **(files or {})}.items() if v is not None}
    listed = {
        "pods": items("---".join((*pods, *((POD_OF_PLUGIN,) if daemons else ())))),
        "nodes": items(NODE),
        "runtimeclasses": items(CLASS),
        "daemonsets": items(daemons),
    }
    return picture(cluster=listed, files=given, assume=assume)


def doors(*pods: str, files: Files = None, daemons: str = "", assume: Texts = None) -> Doors:
    found = cluster(*pods, files=files, daemons=daemons, assume=assume).doors
    assert found is not None
    return found


def door(
    kind: Kind, *pods: str, files: Files = None, daemons: str = "", assume: Texts = None
) -> Door:
    every = doors(*pods, files=files, daemons=daemons, assume=assume)
    (found,) = every.to_reserved(kind)
    return found


def takers(found: Door) -> list[tuple[str, str]]:
    return [(taker.pod.full_name, taker.saw) for taker in found.takers]


def variable(value: str) -> str:
    return f"env: [{{name: NVIDIA_VISIBLE_DEVICES, value: {value!r}}}]"


def test_the_variable_is_open_by_a_runtime_class_to_any_pod() -> None:
    opening = door(Kind.VARIABLE).open
    assert opening is not None
    assert opening.by == f"NVIDIA_VISIBLE_DEVICES={B}"
    assert opening.through == "RuntimeClass nvidia"
    assert opening.gpus == (GpuUuid(text=B),)


def test_in_mode_cdi_a_pod_has_to_write_a_name_that_resolves() -> None:
    config = (
        '[nvidia-container-runtime]\nmode = "cdi"\n[nvidia-container-runtime.modes.cdi]\n'
        'default-kind = "management.nvidia.com/gpu"\n'
    )
    spec = "cdiVersion: 0.5.0\nkind: management.nvidia.com/gpu\ndevices:\n- name: all\n"
    spec += "  containerEdits: {deviceNodes: [{path: /dev/nvidia0}]}\n"
    files = {TOOLKIT: config, "nodes/gpu-a/var/run/cdi/management.nvidia.com-gpu.yaml": spec}
    opening = door(Kind.VARIABLE, files=files).open
    assert opening is not None
    assert opening.by == f"NVIDIA_VISIBLE_DEVICES=runtime.nvidia.com/gpu={B}"


def test_the_spec_stands_for_a_list_of_gpus_that_nobody_collected() -> None:
    opening = door(Kind.VARIABLE, files={"nodes/gpu-a/nvidia-smi-L.txt": None}).open
    assert opening is not None
    assert opening.gpus == (GpuUuid(text=B),)


def test_a_gpu_that_the_node_does_not_have_is_not_reserved() -> None:
    other = SPEC.replace(B, "GPU-3fa90009-0c2e-4d71-8b1a-6e5d4c3b0009")
    assert doors(files={"spec/wiring.yaml": other}).to_reserved(Kind.VARIABLE) == ()


def test_a_selector_of_the_spec_reserves_on_every_node_with_the_labels() -> None:
    wish = SPEC.replace("names: [gpu-a]", "selector: {matchLabels: {pool: gpu}}")
    assert set(doors(files={"spec/wiring.yaml": wish}).reserved) == {"gpu-a"}


@pytest.mark.parametrize(
    ("container", "saw"),
    [
        (variable("all"), "NVIDIA_VISIBLE_DEVICES=all"),
        (variable("1"), "NVIDIA_VISIBLE_DEVICES=1"),
        (variable(B), f"NVIDIA_VISIBLE_DEVICES={B}"),
    ],
)
def test_a_pod_that_names_the_gpu_stands_in_the_door(container: str, saw: str) -> None:
    assert takers(door(Kind.VARIABLE, pod(container))) == [("lab/w", saw)]


@pytest.mark.parametrize("value", ["", "void", "none", "0", A])
def test_a_pod_that_names_none_or_another_does_not(value: str) -> None:
    files = {"nodes/gpu-a/toolkit/config.toml": BASE[TOOLKIT]}
    assume = {"nvidia-container-toolkit": "v1.20.2"}
    found = door(Kind.VARIABLE, pod(variable(value)), files=files, assume=assume)
    assert takers(found) == []


def test_init_and_ephemeral_containers_are_containers() -> None:
    early = f"initContainers: [{{name: early, image: app, {variable('all')}}}]"
    late = f"ephemeralContainers: [{{name: debug, image: app, {variable('all')}}}]"
    runs = "runtimeClassName: nvidia\n  "
    found = door(
        Kind.VARIABLE, pod(name="a", spec=f"{runs}{early}"), pod(name="b", spec=f"{runs}{late}")
    )
    assert [(t.pod.metadata.name, t.view.container.name) for t in found.takers] == [
        ("a", "early"),
        ("b", "debug"),
    ]


def test_a_container_that_requests_a_gpu_may_widen_its_own_list() -> None:
    wants = "resources: {limits: {nvidia.com/gpu: '1'}}"
    found = door(Kind.VARIABLE, pod(f"{wants}, {variable('all')}"), daemons=BY_VARIABLE)
    assert takers(found) == [("lab/w", "NVIDIA_VISIBLE_DEVICES=all")]


def test_the_plugins_variable_replaces_the_images() -> None:
    wants = "resources: {limits: {nvidia.com/gpu: '1'}}"
    files = {"nodes/gpu-a/images.json": '{"app": {"Env": ["NVIDIA_VISIBLE_DEVICES=all"]}}'}
    found = door(Kind.VARIABLE, pod(wants), daemons=BY_VARIABLE, files=files)
    assert takers(found) == []


def test_a_mount_counts_beside_the_plugins_variable() -> None:
    wants = "resources: {limits: {nvidia.com/gpu: '1'}}"
    null = "volumes: [{name: n, hostPath: {path: /dev/null}}]"
    mounts = f"volumeMounts: [{{name: n, mountPath: /var/run/nvidia-container-devices/{B}}}]"
    accept = "accept-nvidia-visible-devices-as-volume-mounts = true\n"
    files = {
        TOOLKIT: accept,
        "nodes/gpu-a/images.json": '{"app": {"Env": ["NVIDIA_VISIBLE_DEVICES=all"]}}',
    }
    made = pod(f"{wants}, {mounts}", spec=f"runtimeClassName: nvidia\n  {null}")
    every = doors(made, daemons=BY_VARIABLE, files=files).of("gpu-a", (GpuUuid(text=B),))
    assert [d.kind for d in every if d.takers] == [Kind.MOUNT]


def test_a_mount_of_something_else_changes_nothing() -> None:
    wants = "resources: {limits: {nvidia.com/gpu: '1'}}"
    data = "volumeMounts: [{name: data, mountPath: /data}]"
    volumes = "volumes: [{name: data, hostPath: {path: /srv}}]"
    files = {"nodes/gpu-a/images.json": '{"app": {"Env": ["NVIDIA_VISIBLE_DEVICES=all"]}}'}
    made = pod(f"{wants}, {data}", spec=f"runtimeClassName: nvidia\n  {volumes}")
    assert takers(door(Kind.VARIABLE, made, daemons=BY_VARIABLE, files=files)) == []


def test_an_image_that_asks_for_all_gets_all() -> None:
    files = {"nodes/gpu-a/images.json": '{"app": {"Env": ["NVIDIA_VISIBLE_DEVICES=all"]}}'}
    found = door(Kind.VARIABLE, pod(), files=files)
    assert takers(found) == [("lab/w", "its image has NVIDIA_VISIBLE_DEVICES=all")]


def test_an_image_that_nobody_looked_into_is_a_gap() -> None:
    found = door(Kind.VARIABLE, pod(), files={"nodes/gpu-a/images.json": None})
    assert [gap.fact for gap in found.gaps] == ["the Env of images"]


def test_a_host_path_of_dev_is_no_door_without_privilege() -> None:
    dev = "volumeMounts: [{name: dev, mountPath: /host/dev}]"
    spec = "volumes: [{name: dev, hostPath: {path: /dev}}]"
    every = doors(pod(dev, spec=spec)).of("gpu-a", (GpuUuid(text=B),))
    assert [d.kind for d in every if d.takers] == []


def test_a_handler_can_keep_devices_from_privileged_containers() -> None:
    runtime = CONTAINERD.replace(
        '[plugins."io.containerd.cri.v1.runtime".containerd.runtimes.nvidia.options]',
        '[plugins."io.containerd.cri.v1.runtime".containerd.runtimes.nvidia]\n'
        "  privileged_without_host_devices = true\n"
        '[plugins."io.containerd.cri.v1.runtime".containerd.runtimes.nvidia.options]',
    )
    files = {"nodes/gpu-a/etc/containerd/config.toml": runtime}
    privileged = pod("securityContext: {privileged: true}")
    assert takers(door(Kind.PRIVILEGE, privileged)) == [("lab/w", "privileged")]
    assert takers(door(Kind.PRIVILEGE, privileged, files=files)) == []


@pytest.mark.parametrize(
    ("meta", "image", "side"),
    [
        ("", "app", Side.ORDINARY),
        ("", "images.example.com/dcgm-exporter:4", Side.ORDINARY),
        (
            "ownerReferences: [{kind: DaemonSet, name: d, controller: true}]",
            "app",
            Side.NODE_SOFTWARE,
        ),
        (
            "ownerReferences: [{kind: DaemonSet, name: d, controller: true}]",
            "images.example.com/dcgm-exporter:4",
            Side.GPU_SOFTWARE,
        ),
        (
            "labels: {app: nvidia-dcgm-exporter}",
            "images.example.com/dcgm-exporter:4",
            Side.GPU_SOFTWARE,
        ),
    ],
)
def test_whose_a_pod_is_shows_in_its_owner_and_image(meta: str, image: str, side: Side) -> None:
    text = pod("securityContext: {privileged: true}", meta=meta).replace(
        "image: app", f"image: {image!r}"
    )
    (taker,) = door(Kind.PRIVILEGE, text).takers
    assert taker.side is side


def test_a_row_says_who_owns_offers_and_holds_a_gpu() -> None:
    held = (
        '{"pod_resources": [{"name": "w", "namespace": "lab", "containers": [{"name": "main", '
        f'"devices": [{{"resource_name": "nvidia.com/gpu", "device_ids": ["{A}"]}}]}}]}}]}}'
    )
    told = f'{{"devices": [{{"resource_name": "nvidia.com/gpu", "device_ids": ["{A}"]}}]}}'
    files = {
        "nodes/gpu-a/podresources-list.json": held,
        "nodes/gpu-a/podresources-allocatable.json": told,
    }
    shown = node_of(doors(pod(), files=files), "gpu-a")
    assert [(g.index, g.owner, g.offered_by, g.held_by) for g in shown.gpus] == [
        (0, "pods", "the device plugin", ("lab/w",)),
        (1, "host", "", ()),
    ]


# --- changes ------------------------------------------------------------------------------

WANTS = "resources: {limits: {nvidia.com/gpu: '1'}}"


def fates(found: Picture) -> Fates:
    assert found.gpus is not None
    return Fates(found.views, found.gpus, changed=found.gpus_after)


def change(text: str) -> Change:
    return Change.parse(text)


def ends(found: tuple[Fated, ...]) -> list[tuple[str, Fate]]:
    return [(fated.use.pod.metadata.name, fated.fate) for fated in found]


def test_refusing_the_variable_costs_pods_of_strategy_envvar_their_gpus() -> None:
    found = fates(cluster(pod(WANTS), daemons=BY_VARIABLE))
    assert ends(found.after([])) == [("w", Fate.KEEPS)]
    (lost,) = found.after([change("accept-envvar-when-unprivileged=false")])
    assert lost.fate is Fate.LOSES
    assert "ignores NVIDIA_VISIBLE_DEVICES" in lost.says


def test_another_default_runtime_costs_pods_without_a_class_their_gpus() -> None:
    runtime = CONTAINERD.replace('"runc"', '"nvidia"') + (
        '[plugins."io.containerd.cri.v1.runtime".containerd.runtimes.runc.options]\n'
        '  BinaryName = "runc"\n'
    )
    files = {"nodes/gpu-a/etc/containerd/config.toml": runtime}
    found = fates(cluster(pod(WANTS, spec=""), daemons=BY_VARIABLE, files=files))
    (lost,) = found.after([change("default-runtime=runc")])
    assert (lost.fate, lost.says) == (
        Fate.LOSES,
        "no GPU inside: runc does not read NVIDIA_VISIBLE_DEVICES",
    )


def test_a_pod_that_names_a_dropped_class_does_not_start_again() -> None:
    found = fates(cluster(pod(WANTS), daemons=BY_VARIABLE))
    (lost,) = found.after([Change(key="drop-runtime-class", value="nvidia")])
    assert (lost.fate, lost.says) == (Fate.FAILS, 'pod rejected: RuntimeClass "nvidia" not found')


def test_the_plugin_writes_the_spec_that_its_new_strategy_needs() -> None:
    found = fates(cluster(pod(WANTS, spec=""), pod(WANTS, name="x"), daemons=BY_VARIABLE))
    assert ends(found.after([change("device-list-strategy=cdi-cri")])) == [("x", Fate.KEEPS)]


def test_a_missing_fact_is_no_loss() -> None:
    found = cluster(pod(WANTS), daemons=BY_VARIABLE, files={TOOLKIT: None})
    assert ends(fates(found).after([change("mode=cdi")])) == [("w", Fate.UNKNOWN)]


def steps(found: Picture, *wanted: str) -> list[tuple[list[str], bool, int]]:
    every = ordered(fates(found), [Step(changes=(change(each),)) for each in wanted])
    return [([str(c) for c in s.changes], s.is_added, len(s.lost)) for s in every]


def test_the_strategy_changes_before_the_variable_is_refused() -> None:
    found = cluster(pod(WANTS), daemons=BY_VARIABLE)
    refuse, strategy = "accept-envvar-when-unprivileged=false", "device-list-strategy=cdi-cri"
    assert steps(found, refuse, strategy) == [([strategy], False, 0), ([refuse], False, 0)]


def test_a_step_that_saves_somebody_is_added() -> None:
    found = cluster(pod(WANTS), daemons=BY_VARIABLE)
    refuse = "accept-envvar-when-unprivileged=false"
    assert steps(found, refuse) == [
        (["device-list-strategy=cdi-cri"], True, 0),
        ([refuse], False, 0),
    ]


def test_where_cdi_is_off_mounts_are_what_saves() -> None:
    off = '[plugins."io.containerd.cri.v1.runtime"]\n  enable_cdi = false\n'
    runtime = CONTAINERD.replace("version = 3\n", f"version = 3\n{off}")
    files = {"nodes/gpu-a/etc/containerd/config.toml": runtime}
    found = cluster(pod(WANTS), daemons=BY_VARIABLE, files=files)
    refuse = "accept-envvar-when-unprivileged=false"
    assert steps(found, refuse) == [
        (["accept-as-volume-mounts=true", "device-list-strategy=volume-mounts"], True, 0),
        ([refuse], False, 0),
    ]


def test_who_cannot_be_saved_is_named() -> None:
    exporter = pod(variable("all"), name="exporter")
    refuse = "accept-envvar-when-unprivileged=false"
    assert steps(cluster(exporter), refuse) == [([refuse], False, 1)]


@pytest.mark.parametrize(
    ("written", "known"),
    [
        ("accept-envvar=false", "accept-envvar-when-unprivileged"),
        ("accept-envvar-when-unprivileged=no", "false"),
        ("mode=fast", "jit-cdi"),
        ("device-list-strategy=cdi", "cdi-cri"),
        ("default-runtime=", "a value"),
    ],
)
def test_a_change_that_nobody_can_make_is_answered_with_what_would_do(
    written: str, known: str
) -> None:
    with pytest.raises(ChangeError) as raised:
        Change.parse(written)
    assert known in raised.value.known


def test_the_key_of_the_configuration_file_is_known_too() -> None:
    long = Change.parse("accept-nvidia-visible-devices-envvar-when-unprivileged=false")
    assert long == change("accept-envvar-when-unprivileged=false")


def test_a_door_that_lacks_a_fact_is_not_known() -> None:
    found = door(Kind.VARIABLE, files={TOOLKIT: None})
    assert isinstance(found.opening, Unknown)
    assert door(Kind.NRI).opening == Known(value=None)
