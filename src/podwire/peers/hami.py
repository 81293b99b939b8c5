"""HAMi: whose pods its webhook takes, which nodes its scheduler knows, which GPU it chose.

Source: Project-HAMi/HAMi v2.10.0, pkg/scheduler/{webhook,scheduler}.go,
pkg/device/nvidia/device.go, pkg/device-plugin/nvidiadevice/nvinternal/plugin/server.go,
charts/hami/values.yaml, charts/hami/templates/scheduler/webhook.yaml.
"""

from collections.abc import Mapping

import msgspec

from podwire.facts.inventory import Objects
from podwire.facts.objects import MutatingWebhookConfiguration, Namespace, PodSpec, Webhook
from podwire.model.addresses import GpuUuid
from podwire.model.evidence import Answer, Known, Place, Unknown, any_of
from podwire.model.names import ResourceName
from podwire.model.versions import Version
from podwire.peers.resources_injector import reaches, sees_new_pods

COMPONENT = "hami"
REGISTERED = "hami.io/node-nvidia-register"
ALLOCATED = "hami.io/vgpu-devices-allocated"
SCHEDULER = "hami-scheduler"
NODE_LABEL = "gpu"  # the chart's nodeSelector is gpu=on
NODE_ASSIGNED = "pod has node assigned"
UNREGISTERED = "node unregistered"
NOT_LISTED = "HAMi's webhook does not change this pod (webhooks were not listed)"
COUNT = ResourceName(prefix="nvidia.com", name="gpu")
CONFIG_KEY = "device-config.yaml"  # in the ConfigMap hami-scheduler-device
DEFAULT_NAMES = "HAMi's resources have the names that its chart gives them (nvidia.com/gpu, ...)"
_MARK = "vgpu.hami.io"
_READ = "v2.10.0"  # the version whose webhook was read
_DEFAULT_SCHEDULER = "default-scheduler"


class Setup(msgspec.Struct, frozen=True, gc=False):
    """What decides whose pods HAMi takes: names of its resources, and its scheduler's flag.

    `shares` are counted by its scheduler only; no node advertises them.
    """

    count: ResourceName = COUNT
    shares: frozenset[str] = frozenset(
        {"nvidia.com/gpumem", "nvidia.com/gpumem-percentage", "nvidia.com/gpucores"}
    )
    forces: bool = True

    @property
    def resources(self) -> frozenset[str]:
        """Each of them makes a pod HAMi's."""
        return self.shares | {str(self.count)}


def read_setup(tree: object, force: str | None) -> Setup:
    """Read the device configuration (`nvidia.resource*Name`) and the scheduler's flag.

    Args:
        tree: the file's tree; what is not in it has the chart's default.
        force: the value of --force-overwrite-default-scheduler.
    """
    nvidia = tree.get("nvidia") if isinstance(tree, dict) else None
    names = nvidia if isinstance(nvidia, dict) else {}
    default = Setup()
    written = (names.get(f"resource{part}Name") for part in ("Memory", "MemoryPercentage", "Core"))
    shares = frozenset(str(name) for name in written if name)
    return Setup(
        count=ResourceName.maybe(str(names.get("resourceCountName", ""))) or default.count,
        shares=shares or default.shares,
        forces=force != "false",
    )


class Scheduling(msgspec.Struct, frozen=True, gc=False):
    """One webhook of HAMi's, and where it stands."""

    webhook: Webhook
    place: Place


class Unit(msgspec.Struct, frozen=True, gc=False):
    """A GPU that HAMi's plugin registered in its node's annotation."""

    uuid: str = msgspec.field(name="id")
    count: int = 0


def webhooks_of(
    configurations: Objects[MutatingWebhookConfiguration],
) -> tuple[Scheduling, ...]:
    """Find HAMi's webhook by the name that its chart gives it (`vgpu.hami.io`)."""
    return tuple(
        Scheduling(webhook=webhook, place=config.place("webhooks", index))
        for config in configurations.items
        for index, webhook in enumerate(config.webhooks)
        if webhook.name == _MARK and sees_new_pods(webhook)
    )


def takes(
    spec: PodSpec,
    namespace: str,
    labels: Mapping[str, str],
    *,
    webhooks: Objects[MutatingWebhookConfiguration],
    namespaces: Objects[Namespace],
    setup: Setup,
) -> Answer[bool]:
    """Say whether the webhook gives a new pod to HAMi's scheduler.

    A pod of another scheduler is left alone. The API server has written the default one into
    it before the webhook sees it, so that without force none is taken that does not ask.
    """
    free = {"", _DEFAULT_SCHEDULER, SCHEDULER} if setup.forces else {SCHEDULER}
    if not asks(spec, setup) or spec.scheduler_name not in free:
        return Known(value=False)
    found = webhooks_of(webhooks)
    if not found:
        assumes = () if webhooks.is_complete() else (NOT_LISTED,)
        return Known(value=False, assumes=assumes)
    return any_of(
        reaches(each.webhook, each.place, namespace, labels=labels, namespaces=namespaces)
        for each in found
    )


def asks(spec: PodSpec, setup: Setup) -> bool:
    """Whether a container has one of HAMi's resources among its limits."""
    every = (*spec.containers, *spec.init_containers)
    return any(not setup.resources.isdisjoint(each.resources.limits) for each in every)


def denial(spec: PodSpec, version: Answer[Version]) -> Answer[str]:
    """Say why the webhook refuses a pod that it takes; empty: it does not.

    Before v2.10.0 a privileged container was passed over, not refused, in some versions.
    """
    every = (*spec.init_containers, *spec.containers)
    privileged = next((each.name for each in every if each.security_context.privileged), None)
    if privileged is None and not spec.node_name:
        return Known(value="")
    if isinstance(version, Unknown):
        return version
    if not version.value.is_at_least(_READ):
        return Unknown(
            reason=f"what the webhook of {COMPONENT} {version.value} refuses: podwire knows it "
            f"from {_READ} on",
            fact=f"the version of {COMPONENT}",
        )
    text = NODE_ASSIGNED if privileged is None else f"container {privileged} is privileged"
    return Known(value=text, places=version.places, assumes=version.assumes)


def registered(annotations: Mapping[str, str]) -> tuple[Unit, ...] | None:
    """Read the GPUs that a node registered with HAMi's scheduler; None: none that it reads.

    Source: pkg/util DecodeNodeDevices; before v2.5 the units were written `id,count,...:`.
    """
    text = annotations.get(REGISTERED)
    if not text:
        return None
    try:
        return msgspec.json.decode(text, type=tuple[Unit, ...]) or None
    except msgspec.MsgspecError:
        parts = (part.split(",") for part in text.split(":"))
        return tuple(Unit(uuid=part[0]) for part in parts if GpuUuid.maybe(part[0])) or None


def chosen(annotations: Mapping[str, str]) -> tuple[tuple[str, ...], ...] | None:
    """Read the GPUs that HAMi gave to each container, init containers first, as it lists them.

    `UUID,TYPE,MEMORY,CORES:` for a device, `;` after each container (pkg/device
    EncodePodSingleDevice). None: the pod has no such annotation.
    """
    text = annotations.get(ALLOCATED)
    if text is None:
        return None
    containers = text.removesuffix(";").split(";")
    return tuple(
        tuple(device.split(",")[0] for device in container.split(":") if device.strip())
        for container in containers
    )
