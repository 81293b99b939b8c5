"""What the hook decides that mode legacy inserts: nvidia-container-runtime-hook.

Source: cmd/nvidia-container-runtime-hook/{main,container_config,hook_config}.go of
nvidia-container-toolkit v1.17.8 to v1.20.2; for what nvidia-container-cli makes of its devices
src/cli/common.c of NVIDIA/libnvidia-container (1aea987), read, not run.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final

import msgspec

from podwire.facts.node import Card
from podwire.model.addresses import GpuUuid
from podwire.model.evidence import Answer, Known, Unknown
from podwire.peers.nvidia_toolkit import seeing
from podwire.peers.nvidia_toolkit.builds import Build
from podwire.peers.nvidia_toolkit.cards import every_uuid, whole_or_parts
from podwire.peers.nvidia_toolkit.config import CAPABILITIES as SUPPORTED
from podwire.peers.nvidia_toolkit.config import ToolkitConfig
from podwire.peers.nvidia_toolkit.environment import (
    CAPABILITIES,
    MIG_CONFIG,
    MIG_MONITOR,
    Environment,
    environment_of,
)
from podwire.peers.nvidia_toolkit.modes import hook_mode
from podwire.peers.nvidia_toolkit.records import Request, Sight

_DEFAULT: Final = frozenset({"compute", "utility"})
_ALL: Final = "all"
_DIRECTLY: Final = (
    "invoking the NVIDIA Container Runtime Hook directly (e.g. specifying the docker --gpus flag) "
    "is not supported. Please use the NVIDIA Container Runtime (e.g. specify the --runtime=nvidia "
    "flag) instead"
)
_PCI: Final = re.compile(r"[0-9a-fA-F]+:[0-9a-fA-F]{1,2}:[0-9a-fA-F]{1,2}")
_MIG: Final = re.compile(r"([0-9]+):([0-9]+)")
_INDEX: Final = re.compile(r"\+?[0-9]+")


class Call(msgspec.Struct, frozen=True):
    """What the hook does: nothing without `devices`, else it calls nvidia-container-cli.

    `says` is its last line where it refuses the container: empty where it ends without a
    word, None where it does not refuse.
    """

    sight: Sight
    devices: tuple[str, ...] = ()
    imex: tuple[str, ...] = ()
    capabilities: tuple[str, ...] = ()
    requirements: tuple[str, ...] = ()
    says: str | None = None


def call(request: Request, config: ToolkitConfig, build: Build) -> Call:
    """Follow the hook."""
    supported = _supported(config)
    if supported is None:
        return Call(sight=Sight(), says=_unsupported_setting(config, build))
    if build.one_sight:
        sight = seeing.one_sight(request, config, build, annotations=False, swarm=True)
    else:
        sight = seeing.sight_of_hook(request, config)
    if not sight.names:
        return Call(sight=sight)
    environment = environment_of(request)
    try:
        _check_mig(request, environment)
        capabilities = _capabilities(environment, supported)
        requirements = () if config.disable_require else _requirements(environment, build)
        _check_mode(request, config, build)
    except seeing.RefusedRequestError as error:
        return Call(sight=sight, says=str(error))
    return Call(
        sight=sight,
        devices=sight.names,
        imex=seeing.imex_channels(request, config, build),
        capabilities=tuple(sorted(capabilities)),
        requirements=requirements,
    )


def _supported(config: ToolkitConfig) -> frozenset[str] | None:
    if config.supported_capabilities == _ALL:
        return frozenset(SUPPORTED)
    named = _named(config.supported_capabilities)
    return named if named <= frozenset(SUPPORTED) else None


def _unsupported_setting(config: ToolkitConfig, build: Build) -> str:
    """Since v1.18 the hook stumbles while it looks for the setting's name."""
    if build.one_sight:
        return ""
    return (
        "Invalid value for config option 'supported-driver-capabilities'; "
        f"{config.supported_capabilities} (supported: {','.join(SUPPORTED)})"
    )


def _named(text: str) -> frozenset[str]:
    return frozenset(part.strip() for part in text.split(",") if part.strip())


def _check_mig(request: Request, environment: Environment) -> None:
    for variable in (MIG_CONFIG, MIG_MONITOR):
        if environment.values.get(variable) and not request.is_privileged:
            name = variable.removeprefix("NVIDIA_")
            raise seeing.RefusedRequestError(f"cannot set {name} in non privileged container")


def _capabilities(environment: Environment, supported: frozenset[str]) -> frozenset[str]:
    text = environment.values.get(CAPABILITIES)
    if text is None and environment.is_old_image:
        return supported
    if not text:
        return supported & _DEFAULT
    asked = _named(text)
    if _ALL in asked:
        return supported
    allowed = supported & asked
    if allowed != asked:
        raise seeing.RefusedRequestError(
            f"unsupported capabilities found in '{','.join(sorted(asked))}' "
            f"(allowed '{','.join(sorted(allowed))}')"
        )
    return allowed


def _requirements(environment: Environment, build: Build) -> tuple[str, ...]:
    try:
        return environment.requirements()
    except ValueError as error:
        more = ": invalid semantic version" if build.void_mounts else ""
        raise seeing.RefusedRequestError(
            "failed to get requirements failed to get version: invalid CUDA version "
            f"{error}: invalid version string{more}"
        ) from error


def _check_mode(request: Request, config: ToolkitConfig, build: Build) -> None:
    if config.skip_mode_detection or hook_mode(request, config, build) == "legacy":
        return
    raise seeing.RefusedRequestError(_DIRECTLY if build.one_sight else f"{_DIRECTLY}.")


def selected(
    names: Iterable[str], cards: Answer[tuple[Card, ...] | None]
) -> tuple[Answer[str], Answer[tuple[GpuUuid, ...]]]:
    """Say what nvidia-container-cli says to devices, and which GPUs it gives.

    It takes UUIDs in any case, indexes and PCI addresses; names that stand twice do no harm.
    """
    asked = [name for name in names if name]
    if not asked:
        return Known(value=""), Known(value=())
    if isinstance(cards, Unknown):
        return (Known(value="") if asked == [_ALL] else cards), cards
    return _selected(asked, cards.value or ())


def _selected(
    asked: list[str], cards: tuple[Card, ...]
) -> tuple[Answer[str], Answer[tuple[GpuUuid, ...]]]:
    given: dict[GpuUuid, None] = {}
    for name in asked:
        if name.casefold() == _ALL:
            given |= dict.fromkeys(each for card in cards for each in whole_or_parts(card))
            break
        if _PCI.match(name):
            unknown = Unknown(reason=f"which GPU is at {name} was not read", give="nvidia-smi -q")
            return unknown, unknown
        found = next(_matching(name, cards), None)
        if found is None:
            said = f"nvidia-container-cli: device error: {name}: unknown device"
            return Known(value=said), Known(value=())
        given[found] = None
    return Known(value=""), Known(value=tuple(given))


def _matching(name: str, cards: tuple[Card, ...]) -> Iterator[GpuUuid]:
    yield from (uuid for uuid in every_uuid(cards) if uuid.text.casefold() == name.casefold())
    if _INDEX.fullmatch(name):
        yield from (card.uuid for card in cards if card.index == int(name))
    mig = _MIG.match(name)
    if mig is not None:
        gpu, part = int(mig[1]), int(mig[2])
        found = (card for card in cards if card.index == gpu)
        yield from (each.uuid for card in found for each in card.migs[part : part + 1])
