"""The GPU Operator: what it runs where, how it sets up CDI, and which pods are its own.

Source: NVIDIA/gpu-operator v25.3.0, v25.10.0 and v26.7.0, controllers/{state_manager,
object_controls}.go, assets/state-device-plugin, assets/state-container-toolkit,
deployments/gpu-operator/values.yaml.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from podwire.facts.objects import ClusterPolicy
from podwire.facts.workloads import PodView
from podwire.model.evidence import Answer, Known, Unknown
from podwire.model.versions import Table, Version, by_version
from podwire.peers.go_text import is_true

COMPONENT = "gpu-operator"
PRESENT = "nvidia.com/gpu.present"
OPERANDS = "nvidia.com/gpu.deploy.operands"
DEVICE_PLUGIN = "nvidia.com/gpu.deploy.device-plugin"
PLUGIN_DAEMONSET = "nvidia-device-plugin-daemonset"
CHART = "helm.sh/chart"
_CHART = "gpu-operator-"

# The chart writes spec.cdi.enabled; what is not written follows the operator's default.
CDI_BY_DEFAULT = Table(
    component=COMPONENT, newest="v26.7.0", rows=(("v22.9.0", False), ("v25.10.0", True))
)

# Its operands by the last part of their images' names.
_IMAGES = frozenset(
    {
        "container-toolkit",
        "cuda",  # the validator's workload
        "dcgm",
        "dcgm-exporter",
        "driver",
        "driver-manager",
        "gpu-feature-discovery",
        "gpu-operator",
        "gpu-operator-validator",
        "k8s-cc-manager",
        "k8s-device-plugin",
        "k8s-driver-manager",
        "k8s-mig-manager",
        "kubevirt-gpu-device-plugin",
        "mig-manager",
        "nvidia-fs",
        "nvidia-sandbox-device-plugin",
        "vgpu-device-manager",
    }
)
_APPS = (
    "nvidia-",
    "gpu-feature-discovery",
    "gpu-operator",
)
_OWNERS = frozenset({"ClusterPolicy", "NVIDIADriver", "GPUCluster"})


# Before CDI was the default, cdi.enabled gave pods a runtime class of its own (nvidia-cdi).
_CDI_FOR_ALL = Table(
    component=COMPONENT, newest="v26.7.0", rows=(("v22.9.0", False), ("v25.10.0", True))
)
TOOLKIT = "nvidia.com/gpu.deploy.container-toolkit"
MANAGEMENT = "management.nvidia.com/gpu"
_SET_AS_DEFAULT = "NVIDIA_RUNTIME_SET_AS_DEFAULT"


class ToolkitSetup(msgspec.Struct, frozen=True, gc=False):
    """How the operator sets NVIDIA's runtime up on its nodes, where nobody changed it there."""

    mode: str
    default_kind: str
    accepts_variable: bool
    accepts_mounts: bool
    is_default_runtime: bool
    handler: str = "nvidia"


class Policy(msgspec.Struct, frozen=True, gc=False):
    """What a ClusterPolicy says; None: it is not written there."""

    object: ClusterPolicy
    cdi: bool | None
    runs_plugin: bool
    runs_toolkit: bool
    uses_nri: bool
    toolkit_env: Mapping[str, str]
    runtime_class: str = ""

    @property
    def version(self) -> Answer[Version]:
        """Read the operator's version from its chart's label."""
        chart = self.object.metadata.labels.get(CHART, "")
        try:
            version = Version.parse(chart.removeprefix(_CHART))
        except ValueError:
            return Unknown(
                reason=f"the version of {COMPONENT}: {self.object.ref} has no label {CHART}",
                give=f"--assume {COMPONENT}=VERSION",
                fact=f"the version of {COMPONENT}",
            )
        return Known(value=version, places=(self.object.place("metadata", "labels", CHART),))

    def plugin_values(self, name: str) -> Iterator[tuple[int, str]]:
        """Give what `devicePlugin.env` says of a variable, with the index of each entry."""
        entries = _section(self.object.spec, "devicePlugin").get("env")
        for index, entry in enumerate(entries if isinstance(entries, list) else ()):
            if isinstance(entry, dict) and entry.get("name") == name:
                yield index, str(entry.get("value", ""))

    def toolkit_setup(self, version: Answer[Version]) -> Answer[ToolkitSetup]:
        """Say how the toolkit is set up: by CDI or not, then by `toolkit.env`."""
        uses_cdi = self.uses_cdi(version)
        if isinstance(uses_cdi, Unknown):
            return uses_cdi
        if uses_cdi.value:
            is_for_all = by_version(version, _CDI_FOR_ALL)
            if isinstance(is_for_all, Unknown):
                return is_for_all
            if not is_for_all.value:
                return Unknown(
                    reason=f"how {COMPONENT} sets CDI up before v25.10",
                    give="nodes/<node>/toolkit/config.toml in a bundle",
                    fact="the configuration of the NVIDIA container toolkit",
                )
        env = self.toolkit_env
        mode = "cdi" if uses_cdi.value else "auto"
        accept = "ACCEPT_NVIDIA_VISIBLE_DEVICES_"
        setup = ToolkitSetup(
            mode=env.get("NVIDIA_CONTAINER_RUNTIME_MODE", mode),
            default_kind=env.get("NVIDIA_CONTAINER_RUNTIME_MODES_CDI_DEFAULT_KIND", MANAGEMENT),
            accepts_variable=is_true(env.get(f"{accept}ENVVAR_WHEN_UNPRIVILEGED", "true")),
            accepts_mounts=is_true(env.get(f"{accept}AS_VOLUME_MOUNTS", "false")),
            is_default_runtime=self._is_default(uses_cdi=uses_cdi.value),
            handler=env.get("NVIDIA_RUNTIME_NAME") or self.runtime_class or "nvidia",
        )
        return Known(value=setup, places=(self.object.place("spec"),), assumes=uses_cdi.assumes)

    def _is_default(self, *, uses_cdi: bool) -> bool:
        """Say whether the toolkit makes NVIDIA's the default runtime.

        The first of two variables that is set counts (nvidia-container-toolkit v1.16.1 to
        v1.20.2, runtime.go set-as-default); with CDI the operator sets the first to false.
        """
        written = {_SET_AS_DEFAULT: "false", **self.toolkit_env} if uses_cdi else self.toolkit_env
        names = (_SET_AS_DEFAULT, "CONTAINERD_SET_AS_DEFAULT")
        return is_true(next((written[name] for name in names if written.get(name)), "true"))

    def uses_cdi(self, version: Answer[Version]) -> Answer[bool]:
        """Say whether the operator sets containers up by CDI."""
        if self.cdi is not None:
            return Known(value=self.cdi, places=(self.object.place("spec", "cdi", "enabled"),))
        return by_version(version, CDI_BY_DEFAULT)


def read_policy(policy: ClusterPolicy) -> Policy:
    """Read the parts that decide who serves GPUs and how."""
    cdi = _section(policy.spec, "cdi")
    return Policy(
        object=policy,
        cdi=_flag(cdi, "enabled"),
        runs_plugin=_flag(_section(policy.spec, "devicePlugin"), "enabled") is not False,
        runs_toolkit=_flag(_section(policy.spec, "toolkit"), "enabled") is not False,
        uses_nri=_flag(cdi, "nriPluginEnabled") is True,
        toolkit_env=_env(_section(policy.spec, "toolkit")),
        runtime_class=str(_section(policy.spec, "operator").get("runtimeClass") or ""),
    )


def runs_plugin_on(labels: Mapping[str, str]) -> bool | None:
    """Say whether a node's labels let the operator's device plugin run; None: they say nothing.

    The operator sets the label to true itself and keeps any other value that is there
    (controllers/state_manager.go addGPUStateLabels).
    """
    if labels.get(OPERANDS) == "false":
        return False
    value = labels.get(DEVICE_PLUGIN)
    return None if value is None else value == "true"


def is_operand(pod: PodView, image: str) -> bool:
    """Recognise a pod of the operator: by its controller, else by its image and its `app` label.

    Pods of a DaemonSet that a ClusterPolicy owns show it only through the DaemonSet, so
    image and label have to do for them.
    """
    owner = pod.of.metadata.controller
    if owner is not None and owner.kind in _OWNERS:
        return True
    name = image.partition("@")[0].rpartition("/")[2].partition(":")[0]
    app = pod.metadata.labels.get("app", "")
    return name in _IMAGES and app.startswith(_APPS)


def _section(spec: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = spec.get(name)
    return found if isinstance(found, dict) else {}


def _flag(section: Mapping[str, Any], name: str) -> bool | None:
    value = section.get(name)
    return value if isinstance(value, bool) else None


def _env(section: Mapping[str, Any]) -> Mapping[str, str]:
    entries = section.get("env")
    return {
        str(entry["name"]): str(entry.get("value", ""))
        for entry in (entries if isinstance(entries, list) else ())
        if isinstance(entry, dict) and "name" in entry
    }
