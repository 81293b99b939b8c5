"""What becomes of a container, step by step as the runtime goes.

Source: internal/runtime/{runtime,runtime_factory}.go, internal/oci/runtime_modifier.go,
internal/modifier/{cdi,gated,stable}.go and internal/modifier/cdi/registry.go of
nvidia-container-toolkit v1.17.8 to v1.20.2.
"""

from typing import Final

import msgspec
from msgspec.structs import replace

from podwire.facts.node import Card
from podwire.model.addresses import GpuUuid
from podwire.model.evidence import Answer, Known, Unknown
from podwire.peers.cdi.records import Registry
from podwire.peers.nvidia_toolkit import generating, hook, seeing
from podwire.peers.nvidia_toolkit.builds import Build
from podwire.peers.nvidia_toolkit.config import ToolkitConfig
from podwire.peers.nvidia_toolkit.device_names import gpus_of
from podwire.peers.nvidia_toolkit.environment import VISIBLE, environment_of
from podwire.peers.nvidia_toolkit.generating import CREATING, KIND, PREFIX, generated
from podwire.peers.nvidia_toolkit.modes import runtime_mode
from podwire.peers.nvidia_toolkit.mounts import VOID_MOUNT
from podwire.peers.nvidia_toolkit.records import (
    Mode,
    Outcome,
    Program,
    Request,
    Sight,
    Stage,
)

_CONSTRUCTING: Final = (
    "failed to create NVIDIA Container Runtime: failed to construct OCI spec modifier: "
)
_APPLYING: Final = (
    "could not apply required modification to OCI specification: error modifying OCI spec: "
)
_INJECTING: Final = "failed to inject CDI devices: "
_MIXED: Final = (
    "requesting a CDI device with vendor 'runtime.nvidia.com' is not supported when requesting "
    "other CDI devices"
)
_NO_GPU: Final[tuple[GpuUuid, ...]] = ()
_STARTS: Final = Known(value="")
_ON_TEGRA: Final = Unknown(
    reason="mode csv is for Tegra: what it gives stands in files that podwire does not read",
    fact="what NVIDIA's runtime gives in mode csv",
)


class Node(msgspec.Struct, frozen=True):
    """What a node has; no `cards` at all (None): the driver's library is not there."""

    cards: Answer[tuple[Card, ...] | None]
    registry: Answer[Registry]


def decide(
    request: Request, config: ToolkitConfig, build: Build, *, program: Program, node: Node
) -> Outcome:
    """Follow one version of the runtime."""
    if config.fault is not None:
        return _refused(config.fault.says)
    refused = environment_of(request).refused
    if refused is not None:
        return _refused(f"{_CONSTRUCTING}invalid environment variable: {refused}")
    try:
        mode = runtime_mode(request, config, build, program)
        if mode is Mode.LEGACY:
            return _legacy(request, config, build, node)
        sight = _sight(request, config, build, mode)
    except seeing.RefusedRequestError as error:
        return _refused(f"{_CONSTRUCTING}{error}")
    if sight.names and mode is not Mode.CSV:
        return _Cdi(request, config, build, node).outcome(sight, mode)
    undecided = _ON_TEGRA if sight.names else None
    seen = _seen(sight, mode)
    return seen if undecided is None else replace(seen, says=undecided, gpus=undecided)


def _refused(says: str) -> Outcome:
    nothing = Known(value=_NO_GPU)
    return Outcome(says=Known(value=says), gpus=nothing, stage=Stage.RUNTIME)


def _seen(sight: Sight, mode: Mode) -> Outcome:
    return Outcome(
        says=_STARTS,
        gpus=Known(value=_NO_GPU),
        mode=mode,
        door=sight.door,
        lets=sight.lets,
        ignored=sight.ignored,
        variables=sight.variables,
        notes=sight.notes,
    )


def _sight(request: Request, config: ToolkitConfig, build: Build, mode: Mode) -> Sight:
    if build.one_sight:
        counts = mode is Mode.CDI
        swarm = build.reads_swarm
        return seeing.one_sight(request, config, build, annotations=counts, swarm=swarm)
    if mode is Mode.CDI:
        return seeing.sight_of_cdi(request, config)
    names = environment_of(request).devices((VISIBLE,))
    return Sight(names=names, variables=(VISIBLE,))


def _legacy(request: Request, config: ToolkitConfig, build: Build, node: Node) -> Outcome:
    """Insert the hook; features are injected before, and since v1.19 with `void` beside them."""
    sight = _sight(request, config, build, Mode.LEGACY)
    features = environment_of(request).features if sight.names else ()
    if features and build.gates_hide:
        extra = (VOID_MOUNT,) if build.void_mounts else ()
        env = (*request.env, f"{VISIBLE}=void")
        request = replace(request, env=env, mounts=(*request.mounts, *extra))
    call = hook.call(request, config, build)
    notes = tuple(dict.fromkeys((*sight.notes, *call.sight.notes)))
    outcome = replace(_seen(call.sight, Mode.LEGACY), features=features, notes=notes)
    if call.says is not None:
        return replace(outcome, says=Known(value=call.says), stage=Stage.HOOK)
    if not call.devices:
        return outcome
    says, gpus = hook.selected(call.devices, node.cards)
    return replace(
        outcome,
        says=says,
        gpus=gpus,
        stage=Stage.CLI if says != _STARTS else None,
        asked=call.devices,
        imex=call.imex,
        capabilities=call.capabilities,
        requirements=call.requirements,
    )


class _Cdi(msgspec.Struct, frozen=True):
    """A container in mode cdi or jit-cdi that asks for devices."""

    request: Request
    config: ToolkitConfig
    build: Build
    node: Node

    def outcome(self, sight: Sight, mode: Mode) -> Outcome:
        kind = KIND if mode is Mode.JIT_CDI else self.config.default_kind
        none = "none" if self.build.knows_none else ""
        names = seeing.completed(sight.names, kind, none=none)
        if self.build.one_sight:
            names = tuple(dict.fromkeys(names))
        automatic = [name for name in names if name.startswith(PREFIX)]
        seen = replace(_seen(sight, mode), asked=names)
        if automatic and len(automatic) != len(names):
            return self._stopped(seen, _MIXED)
        return self._automatic(seen) if automatic else self._named(seen)

    def _stopped(self, seen: Outcome, says: str) -> Outcome:
        before = _APPLYING if self.build.applies_late else _CONSTRUCTING
        said = Known(value=f"{before}{says}")
        return replace(seen, says=said, gpus=Known(value=_NO_GPU), stage=Stage.RUNTIME)

    def _automatic(self, seen: Outcome) -> Outcome:
        environment = environment_of(self.request)
        build = self.build
        features = environment.features if build.one_sight else ()
        channels = seeing.imex_channels(self.request, self.config, build) if build.one_sight else ()
        if build.checks_mig:
            wrong = generating.mig_refusal(
                environment, privileged=self.request.is_privileged, names=seen.asked
            )
            if wrong:
                return self._stopped(seen, f"{CREATING}invalid MIG capability request: {wrong}")
        ids = tuple(name.removeprefix(PREFIX) for name in seen.asked)
        made = generated(ids, self.node.cards, build)
        if isinstance(made.says, Unknown):
            return replace(seen, says=made.says, gpus=made.gpus)
        refusal = (
            made.says.value
            or generating.feature_refusal(features, build)
            or generating.imex_refusal(channels, build)
        )
        if refusal and build.falls_back:
            return self._named(seen)
        if refusal:
            return self._stopped(seen, f"{CREATING}{refusal}")
        imex = tuple(channel or "all" for channel in channels)
        return replace(seen, gpus=made.gpus, features=features, imex=imex)

    def _named(self, seen: Outcome) -> Outcome:
        """Look names up among the specs of the node.

        Where not all of those were read, one may have the name too, or stand against it.
        """
        registry = self.node.registry
        if isinstance(registry, Unknown):
            return replace(seen, says=registry, gpus=registry)
        found = registry.value.resolve(seen.asked)
        whole = found.whole
        if isinstance(whole, Unknown):
            return replace(seen, says=whole, gpus=whole, cdi=found)
        if not found.unresolved:
            return replace(seen, gpus=gpus_of(found, self.node.cards), cdi=found)
        says = f"{_APPLYING}{_INJECTING}{found.sentence}"
        return replace(
            seen,
            says=Known(value=says, assumes=whole.assumes),
            gpus=Known(value=_NO_GPU),
            cdi=found,
            stage=Stage.RUNTIME,
        )
