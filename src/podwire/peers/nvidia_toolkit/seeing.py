"""Which devices a container asks for, by which door, and which setting lets it through.

Source: internal/config/image/cuda_image.go (VisibleDevices, ImexChannelRequests) of
nvidia-container-toolkit v1.18.0 to v1.20.2; before, internal/modifier/cdi.go
(getDevicesFromSpec) and cmd/nvidia-container-runtime-hook/container_config.go (getDevices)
of v1.17.8.
"""

from collections.abc import Iterable, Mapping
from typing import Final

from podwire.model.evidence import Path
from podwire.peers.cdi.names import is_qualified
from podwire.peers.go_text import quoted
from podwire.peers.nvidia_toolkit import mounts
from podwire.peers.nvidia_toolkit.builds import Build
from podwire.peers.nvidia_toolkit.config import (
    ACCEPT_MOUNTS,
    ACCEPT_VARIABLE,
    ANNOTATION_PREFIXES,
    ToolkitConfig,
)
from podwire.peers.nvidia_toolkit.environment import (
    ALL,
    IMEX,
    VISIBLE,
    Environment,
    environment_of,
)
from podwire.peers.nvidia_toolkit.records import Door, Request, Sight

_IGNORING: Final = "Ignoring devices requested by environment variable(s) in unprivileged container"


class RefusedRequestError(ValueError):
    """The toolkit ends over what the container asks for; the message is its sentence."""


def one_sight(
    request: Request,
    config: ToolkitConfig,
    build: Build,
    *,
    annotations: bool,
    swarm: bool,
) -> Sight:
    """Read the container as every part of the toolkit does since v1.18.

    Annotations go before mounts, mounts before variables. `annotations` says whether those
    count, `swarm` whether the variables of `swarm-resource` do.
    """
    asked = _annotated(request.annotations, config.annotation_prefixes) if annotations else ()
    if asked:
        return Sight(names=asked, door=Door.ANNOTATION, lets=ANNOTATION_PREFIXES)
    notes: tuple[str, ...] = ()
    if config.accept_mounts:
        asked, notes = mounts.devices(request.mounts, build)
        if asked:
            return Sight(names=asked, door=Door.VOLUME_MOUNT, lets=ACCEPT_MOUNTS, notes=notes)
    environment = environment_of(request)
    variables = _variables(environment, config.swarm_variables if swarm else ())
    listed = f"{_IGNORING}: [{' '.join(variables)}]"
    return _by_variable(request, config, variables, ignoring=listed, notes=notes)


def sight_of_cdi(request: Request, config: ToolkitConfig) -> Sight:
    """Read the container as mode cdi did before v1.18.

    Several annotations it took in any order; here they come by key.

    Raises:
        RefusedRequestError: an annotation has a name that is not qualified.
    """
    asked = _annotated(request.annotations, config.annotation_prefixes)
    odd = next((name for name in asked if not is_qualified(name)), None)
    if odd is not None:
        key = _key_of(odd, request.annotations, config.annotation_prefixes)
        raise RefusedRequestError(
            "failed to get required devices from OCI specification: failed to parse container "
            f"annotations: invalid device name {quoted(odd)} in annotation {quoted(key)}"
        )
    if asked:
        once = tuple(dict.fromkeys(asked))
        return Sight(names=once, door=Door.ANNOTATION, lets=ANNOTATION_PREFIXES)
    if config.accept_mounts:
        asked = mounts.named(request.mounts)
        if asked:
            return Sight(names=asked, door=Door.VOLUME_MOUNT, lets=ACCEPT_MOUNTS)
    names = environment_of(request).devices((VISIBLE,))
    listed = " ".join(completed(names, config.default_kind, none=""))
    ignoring = f"Ignoring devices specified in {VISIBLE}: [{listed}]"
    return _by_variable(request, config, (VISIBLE,), ignoring=ignoring)


def sight_of_hook(request: Request, config: ToolkitConfig) -> Sight:
    """Read the container as the hook did before v1.18."""
    if config.accept_mounts:
        asked = mounts.plain(request.mounts)
        if asked:
            return Sight(names=asked, door=Door.VOLUME_MOUNT, lets=ACCEPT_MOUNTS)
    environment = environment_of(request)
    swarm = config.swarm_variables
    used = swarm if any(name in environment.values for name in swarm) else (VISIBLE,)
    said = (
        f"Ignoring devices specified in {VISIBLE} (privileged=false, {ACCEPT_VARIABLE[0]}=false) "
    )
    return _by_variable(request, config, used, ignoring=said)


def imex_channels(request: Request, config: ToolkitConfig, build: Build) -> tuple[str, ...]:
    """List the IMEX channels that the container asks for; an empty name stands for `none`."""
    if config.ignore_imex and build.ignores_imex:
        return ()
    if config.accept_mounts:
        asked = mounts.imex_channels(request.mounts)
        if asked:
            return asked
    asked = environment_of(request).devices((IMEX,))
    if asked == ALL or not (request.is_privileged or config.accept_variable):
        return ()
    return asked


def completed(names: Iterable[str], kind: str, *, none: str) -> tuple[str, ...]:
    """Put the default kind before what is no qualified name."""
    given = (name or none for name in names)
    return tuple(name if is_qualified(name) else f"{kind}={name}" for name in given)


def _by_variable(
    request: Request,
    config: ToolkitConfig,
    variables: tuple[str, ...],
    *,
    ignoring: str,
    notes: tuple[str, ...] = (),
) -> Sight:
    environment = environment_of(request)
    names = environment.devices(variables)
    if not names:
        return Sight(variables=variables, notes=notes)
    door = _door(environment, variables)
    if not (request.is_privileged or config.accept_variable):
        return Sight(door=door, variables=variables, ignored=True, notes=(*notes, ignoring))
    lets: Path = () if request.is_privileged else ACCEPT_VARIABLE
    return Sight(names=names, door=door, lets=lets, variables=variables, notes=notes)


def _door(environment: Environment, variables: tuple[str, ...]) -> Door:
    written = [name for name in variables if name in environment.values]
    if not written:
        return Door.OLD_IMAGE
    is_image = all(name in environment.of_image for name in written)
    return Door.IMAGE if is_image else Door.ENVIRONMENT


def _variables(environment: Environment, preferred: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name for name in preferred if name in environment.values) or (VISIBLE,)


def _annotated(annotations: Mapping[str, str], prefixes: tuple[str, ...]) -> tuple[str, ...]:
    keys = sorted(key for key in annotations if key.startswith(prefixes))
    return tuple(name for key in keys for name in annotations[key].split(","))


def _key_of(name: str, annotations: Mapping[str, str], prefixes: tuple[str, ...]) -> str:
    return next(
        key
        for key in sorted(annotations)
        if key.startswith(prefixes) and name in annotations[key].split(",")
    )
