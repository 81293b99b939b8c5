"""Devices that the toolkit generates itself, of kind runtime.nvidia.com/gpu.

Source: internal/modifier/cdi.go, pkg/nvcdi/{lib-nvml,lib-imex}.go of nvidia-container-toolkit
v1.17.8 to v1.20.2; go-nvlib v0.12.0 pkg/nvlib/device/identifier.go for what is an index or a
UUID.
"""

import re
from collections.abc import Iterator
from typing import Final

import msgspec

from podwire.facts.node import Card
from podwire.model.addresses import GpuUuid
from podwire.model.evidence import Answer, Known, Unknown
from podwire.peers.go_text import quoted
from podwire.peers.nvidia_toolkit.builds import Build
from podwire.peers.nvidia_toolkit.cards import every_uuid, whole_or_parts
from podwire.peers.nvidia_toolkit.environment import MIG_CONFIG, MIG_MONITOR, Environment

KIND: Final = "runtime.nvidia.com/gpu"
PREFIX: Final = f"{KIND}="
CREATING: Final = "failed to create the automatic CDI modifier: "
_ALL: Final = "all"
_NONE: Final = "none"
_NO_GPU: Final[tuple[GpuUuid, ...]] = ()
_HEX: Final = "[0-9a-fA-F]"
_UUID: Final = (
    rf"(?:(?:urn:uuid:)?{_HEX}{{8}}-(?:{_HEX}{{4}}-){{3}}{_HEX}{{12}}"
    rf"|\{{{_HEX}{{8}}-(?:{_HEX}{{4}}-){{3}}{_HEX}{{12}}\}}|{_HEX}{{32}})"
)
_WHOLE: Final = re.compile(rf"(?:GPU|MIG)-{_UUID}|MIG-GPU-{_UUID}/[0-9]+/[0-9]+")
_INDEX: Final = re.compile("[0-9]+")
_PART: Final = re.compile("([0-9]+):([0-9]+)")
_MOST: Final = 2**64 - 1  # ParseUint
_MOST_SIGNED: Final = 2**63 - 1  # Atoi
_MOST_CHANNEL: Final = 2**20 - 1
_NVML_INDEX: Final = 2**32
_NO_NVML: Final = "failed to initialize NVML: ERROR_LIBRARY_NOT_FOUND"
_GENERATORS: Final = "failed to construct device spec generators: "


class _CannotError(Exception):
    """The device cannot be generated; the message is the sentence's end."""


class Generated(msgspec.Struct, frozen=True):
    """The GPUs that were generated, or `says` why not, without what stands before it."""

    gpus: Answer[tuple[GpuUuid, ...]]
    says: Answer[str] = Known(value="")


def generated(
    ids: tuple[str, ...], cards: Answer[tuple[Card, ...] | None], build: Build
) -> Generated:
    """Generate GPUs by index, UUID, `all` or `none`; without any id, all of them."""
    kept = tuple(each for each in ids if each) or (_ALL,)
    special = next((each for each in kept if each in _special(build)), None)
    if isinstance(cards, Unknown):
        if special is None:
            return Generated(gpus=cards, says=cards)
        return Generated(gpus=Known(value=_NO_GPU) if special == _NONE else cards)
    try:
        gpus = tuple(_gpus(kept, cards.value, special))
    except _CannotError as error:
        said = f'failed to generate CDI spec for mode "auto": {_GENERATORS}{error}'
        return Generated(gpus=Known(value=_NO_GPU), says=Known(value=said))
    return Generated(gpus=Known(value=tuple(dict.fromkeys(gpus))))


def _special(build: Build) -> tuple[str, ...]:
    return (_ALL, _NONE) if build.knows_none else (_ALL,)


def _gpus(
    ids: tuple[str, ...], cards: tuple[Card, ...] | None, special: str | None
) -> Iterator[GpuUuid]:
    if cards is None:
        raise _CannotError(_NO_NVML)
    if special == _NONE:
        return
    if special == _ALL:
        for card in cards:
            yield from whole_or_parts(card)
        return
    found = [_normal(each, cards) for each in ids]
    if not set(found) <= set(every_uuid(cards)):
        raise _CannotError("failed to get device handle from UUID: Not Found")
    yield from found


def _normal(identifier: str, cards: tuple[Card, ...]) -> GpuUuid:
    """Turn an index into a UUID; a UUID is looked at later."""
    if _WHOLE.fullmatch(identifier):
        return GpuUuid(text=identifier)
    if _INDEX.fullmatch(identifier) and int(identifier) <= _MOST:
        return _card(identifier, cards, "failed to get device handle from index").uuid
    part = _PART.fullmatch(identifier)
    if part is not None and max(int(part[1]), int(part[2])) <= _MOST:
        card = _card(part[1], cards, "failed to get parent device handle")
        if int(part[2]) >= len(card.migs):
            raise _CannotError("failed to get MIG handle by index: Not Found")
        return card.migs[int(part[2])].uuid
    raise _CannotError(f"identifier is not a valid UUID or index: {quoted(identifier)}")


def _card(index: str, cards: tuple[Card, ...], failing: str) -> Card:
    if int(index) > _MOST_SIGNED:
        raise _CannotError(
            "failed to convert device index to an int: strconv.Atoi: parsing "
            f"{quoted(index)}: value out of range"
        )
    for card in cards:
        if card.index == int(index) % _NVML_INDEX:
            return card
    raise _CannotError(f"{failing}: Invalid Argument")


def imex_refusal(channels: tuple[str, ...], build: Build) -> str:
    """Say what is wrong with IMEX channels; whether the node has them was not looked at."""
    for channel in channels:
        number = channel.removeprefix("channel")
        if number in {"", _ALL}:
            return ""
        problem = _number_refusal(number)
        if problem:
            said = f"strconv.ParseUint: parsing {quoted(number)}: {problem}"
            return _imex(f"invalid channel ID {channel}: {said}")
        if build.bounds_imex and int(number) > _MOST_CHANNEL:
            return _imex(f"invalid channel ID {channel}: must be in the range [0, {_MOST_CHANNEL}]")
    return ""


def _number_refusal(number: str) -> str:
    if not _INDEX.fullmatch(number):
        return "invalid syntax"
    return "value out of range" if int(number) > _MOST else ""


def _imex(said: str) -> str:
    return f'failed to generate CDI spec for mode "imex": {_GENERATORS}{said}'


def feature_refusal(features: tuple[str, ...], build: Build) -> str:
    """Say which feature the version cannot generate."""
    if "nvswitch" in features and not build.has_nvswitch:
        return 'failed to construct CDI library for mode "nvswitch": unknown mode "nvswitch"'
    return ""


def mig_refusal(environment: Environment, *, privileged: bool, names: tuple[str, ...]) -> str:
    """Say what is wrong with a request to configure or watch MIG."""
    asked = {name: environment.values.get(name, "") for name in (MIG_CONFIG, MIG_MONITOR)}
    if not any(asked.values()):
        return ""
    for name, value in asked.items():
        if value and value.casefold() != _ALL:
            return f'invalid {name} {quoted(value)}: only "all" is supported'
    if not privileged:
        return f"cannot set {MIG_CONFIG} or {MIG_MONITOR} in a non-privileged container"
    if _ALL not in names and any(_is_part(name.rpartition("=")[2]) for name in names):
        return (
            "cannot request MIG config/monitor devices for a container scoped to specific MIG "
            "devices"
        )
    return ""


def _is_part(identifier: str) -> bool:
    is_uuid = identifier.startswith("MIG-") and _WHOLE.fullmatch(identifier) is not None
    return is_uuid or _PART.fullmatch(identifier) is not None
