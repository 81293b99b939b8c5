"""Which known programs run where, and in which version, by the images of containers."""

from collections.abc import Callable, Iterable, Mapping

import msgspec

from podwire.facts.inventory import Inventory
from podwire.facts.objects import Container
from podwire.facts.workloads import PodView
from podwire.model.evidence import Answer, Known, Place, Unknown, first_known
from podwire.model.versions import Version

SRIOV_PLUGIN = "sriov-network-device-plugin"
MULTUS = "multus"
IB_SRIOV = "ib-sriov-cni"
NVIDIA_PLUGIN = "k8s-device-plugin"
HAMI = "hami"
GPU_OPERATOR = "gpu-operator"
NVIDIA_TOOLKIT = "nvidia-container-toolkit"
GPU_PROGRAMS = (NVIDIA_PLUGIN, HAMI, GPU_OPERATOR, NVIDIA_TOOLKIT)

# The version of a program on a node; any node where the second is empty.
Versions = Callable[[str, str], Answer[Version]]

# The last part of an image's name, as the projects and their distributors publish it.
IMAGES: Mapping[str, str] = {
    "sriov-network-device-plugin": SRIOV_PLUGIN,
    "sriov-device-plugin": SRIOV_PLUGIN,
    "multus-cni": MULTUS,
    "multus": MULTUS,
    "ib-sriov-cni": IB_SRIOV,
    "sriov-cni": "sriov-cni",
    "whereabouts": "whereabouts",
    "network-resources-injector": "network-resources-injector",
    "ib-kubernetes": "ib-kubernetes",
    "k8s-device-plugin": NVIDIA_PLUGIN,
    "hami": HAMI,
    "gpu-operator": GPU_OPERATOR,
    "container-toolkit": NVIDIA_TOOLKIT,
}


class Sighting(msgspec.Struct, frozen=True, gc=False):
    """A container that runs a known program; `node` is empty in a template.

    `is_named`: its image is called after the program, so that the tag is the version.
    """

    component: str
    pod: PodView
    container: Container
    node: str
    place: Place
    is_named: bool = True

    @property
    def version(self) -> Answer[Version]:
        """Read the version from the image's tag."""
        image = self.container.image
        tag = tag_of(image) if self.is_named and not is_openshift(image) else ""
        try:
            return Known(value=Version.parse(tag), places=(self.place,))
        except ValueError:
            return Unknown(
                reason=f"the version of {self.component} in {self.pod}: "
                f"the image {self.container.image} has no version as tag",
                give=f"--assume {self.component}=VERSION",
                fact=f"the version of {self.component}",
            )


def tag_of(image: str) -> str:
    """Give the tag of an image reference, empty where it has none."""
    name = image.partition("@")[0]
    last = name.rpartition("/")[2]
    return last.partition(":")[2]


def component_of(image: str) -> str | None:
    """Recognise a known program by its image's name.

    Distributors and mirrors put something around the device plugin's: `hardened-...`,
    `ose-...-rhel9`, `k8snetworkplumbingwg-...`.
    """
    name = name_of(image)
    return SRIOV_PLUGIN if SRIOV_PLUGIN in name else IMAGES.get(name)


def is_openshift(image: str) -> bool:
    """Tell an image of OpenShift, whose tag is OpenShift's version."""
    return name_of(image).startswith(("ose-", "origin-"))


def name_of(image: str) -> str:
    """Give an image's name without registry, path, tag and digest."""
    return image.partition("@")[0].rpartition("/")[2].partition(":")[0]


def sightings(pods: Iterable[PodView]) -> tuple[Sighting, ...]:
    """Find every container of a known program, main and init containers alike."""
    found = []
    for pod in pods:
        for view in pod.containers():
            component = component_of(view.container.image)
            if component is not None:
                found.append(
                    Sighting(
                        component=component,
                        pod=pod,
                        container=view.container,
                        node=pod.spec.node_name,
                        place=pod.place(*view.path, "image"),
                    )
                )
    return tuple(found)


def version_of(
    component: str, *, node: str, seen: tuple[Sighting, ...], facts: Inventory
) -> Answer[Version]:
    """Say which version of a program runs on a node (any node: empty).

    `seen` are the sightings of that program. The user's word (`--assume`) comes first, then
    the images of the node's pods, then of all that is in sight, then the spec's `components`.
    """
    if component in facts.assumed_versions:
        version = facts.assumed_versions[component]
        return Known(value=version, assumes=(f"{component} is {version}",))
    here = [s for s in seen if node and s.node == node] or seen
    return first_known(
        _agreed([s.version for s in here], component=component, node=node),
        _from_spec(component, facts=facts),
    )


def _agreed(versions: list[Answer[Version]], *, component: str, node: str) -> Answer[Version]:
    if not versions:
        return Unknown(
            reason=f"the version of {component} is not in sight",
            give=f"--assume {component}=VERSION",
        )
    for version in versions:
        if isinstance(version, Unknown):
            return version
    known = {str(v.value): v for v in versions if isinstance(v, Known)}
    if len(known) > 1:
        where = f"on {node}" if node else "here"
        return Unknown(
            reason=f"which of {component} {' and '.join(sorted(known))} runs {where}",
            give="kubectl get pods -A -o json",
        )
    return next(iter(known.values()))


def _from_spec(component: str, *, facts: Inventory) -> Answer[Version]:
    for wiring in facts.wirings:
        if component in wiring.components:
            text = wiring.components[component]
            try:
                version = Version.parse(text)
            except ValueError:
                continue
            return Known(value=version, places=(wiring.place("components", component),))
    return Unknown(reason=f"the spec has no version of {component}")
