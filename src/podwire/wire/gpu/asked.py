"""What a container asks of the NVIDIA runtime.

Its variables, mounts and privileges, and what a device plugin handed over for it.
"""

from collections.abc import Iterator

import msgspec

from podwire.facts.inventory import Inventory
from podwire.facts.objects import Container
from podwire.facts.workloads import ContainerView, PodView
from podwire.model.evidence import Unknown
from podwire.peers.nvidia_plugin import VARIABLE, VOLUME_MOUNTS_FOLDER, Handed
from podwire.peers.nvidia_toolkit import Mount, Request

_SYS_ADMIN = "CAP_SYS_ADMIN"
ANNOTATION = "cdi.k8s.io/nvidia-device-plugin"
NOTHING = Handed()


class Asked(msgspec.Struct, frozen=True):
    """A request, with what it rests on.

    `gap` is why the value of NVIDIA_VISIBLE_DEVICES is not known, where nothing that is known
    overrides it. `assumes` is what was taken for granted of contents that nobody reads.
    """

    request: Request
    gap: Unknown | None = None
    assumes: tuple[str, ...] = ()


def asked_by(
    pod: PodView,
    view: ContainerView,
    *,
    facts: Inventory,
    image_env: tuple[str, ...] | None,
    handed: Handed = NOTHING,
) -> Asked:
    """Put together what the runtime is given for one container.

    The order is kubelet's: the plugin's variables, those of `envFrom`, the container's own.

    Args:
        pod: the pod.
        view: the container in it.
        facts: where its ConfigMaps are.
        image_env: the image's variables; None where nobody read them.
        handed: what the device plugin answered.
    """
    container = view.container
    found = _Environment(pod, container, facts)
    given = () if handed.variable is None else (f"{VARIABLE}={handed.variable}",)
    env = (*given, *found.entries)
    is_set = any(entry.startswith(f"{VARIABLE}=") for entry in env)
    gap = found.gap
    if gap is None and not is_set and image_env is None:
        gap = Unknown(
            reason=f"the variables of the image {container.image}",
            give="nodes/<node>/images.json in a bundle",
            fact="the Env of images",
        )
    return Asked(
        request=Request(
            env=env,
            image_env=image_env or (),
            mounts=tuple(_mounts(pod, container, handed)),
            capabilities=_capabilities(container),
            annotations={ANNOTATION: ",".join(handed.annotated)} if handed.annotated else {},
        ),
        gap=gap,
        assumes=found.assumes,
    )


class _Environment:
    """The container's variables as far as they can be read."""

    def __init__(self, pod: PodView, container: Container, facts: Inventory) -> None:
        self._facts = facts
        self.gap: Unknown | None = None
        self.assumes: tuple[str, ...] = ()
        self.entries = (*self._from_sources(pod, container), *self._own(pod, container))

    def _from_sources(self, pod: PodView, container: Container) -> Iterator[str]:
        for source in container.env_from:
            if source.secret_ref is not None:
                name = f"Secret {pod.namespace}/{source.secret_ref.name}"
                self.assumes = (*self.assumes, f"{name} does not set {VARIABLE}")
            elif source.config_map_ref is not None:
                name = source.config_map_ref.name
                found = self._facts.config_maps.by_name.get((pod.namespace, name))
                if found is None:
                    text = f"ConfigMap {pod.namespace}/{name} does not set {VARIABLE}"
                    self.assumes = (*self.assumes, text)
                else:
                    yield from (f"{source.prefix}{k}={v}" for k, v in found.data.items())

    def _own(self, pod: PodView, container: Container) -> Iterator[str]:
        for variable in container.env:
            if variable.value_from is None:
                yield f"{variable.name}={variable.value}"
            elif variable.name == VARIABLE:
                self.gap = Unknown(
                    reason=f"the value of {VARIABLE} in container {container.name} of "
                    f"{pod.full_name}, which comes from elsewhere (valueFrom)",
                    fact=f"the value of {VARIABLE}",
                )


def _mounts(pod: PodView, container: Container, handed: Handed) -> Iterator[Mount]:
    volumes = {v.name: v.host_path.path for v in pod.spec.volumes if v.host_path is not None}
    for mount in container.volume_mounts:
        if mount.name in volumes:
            source = volumes[mount.name]
            source = f"{source}/{mount.sub_path}" if mount.sub_path else source
            yield Mount(source=source, destination=mount.mount_path)
    for name in handed.mounts:
        yield Mount(source="/dev/null", destination=f"{VOLUME_MOUNTS_FOLDER}/{name}")


def _capabilities(container: Container) -> frozenset[str]:
    """Tell whether CAP_SYS_ADMIN is in the bounding set: the toolkit asks for no other."""
    security = container.security_context
    names = {each.upper() for each in security.capabilities.add}
    dropped = {each.upper() for each in security.capabilities.drop}
    has = security.privileged or "SYS_ADMIN" in names - dropped
    has = has or ("ALL" in names and not {"ALL", "SYS_ADMIN"} & dropped)
    return frozenset({_SYS_ADMIN}) if has else frozenset()
