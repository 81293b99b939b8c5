"""NVIDIA's container toolkit: what a container gets of a node's GPUs, and by which door.

The runtime (`nvidia-container-runtime`) changes a container before runc makes it; in mode legacy
it only inserts a hook, which calls nvidia-container-cli. `read_config` reads config.toml,
`outcome` says what becomes of a container. The runtime itself is run beside this model:
`tests/oracle/toolkit`.

Not modelled: Tegra (mode csv, and what auto makes of it), WSL, a node whose driver's libraries
are not complete, whether the driver fulfils an image's requirements, whether the node has the
IMEX channels and MIG capabilities that are asked for.
"""

from typing import Final

import msgspec

from podwire.model.evidence import Answer, Known, derived
from podwire.model.versions import Version
from podwire.peers.nvidia_toolkit.builds import BUILDS, COMPONENT, build_of
from podwire.peers.nvidia_toolkit.config import (
    ACCEPT_MOUNTS,
    ACCEPT_VARIABLE,
    ANNOTATION_PREFIXES,
    DEFAULT_KIND,
    MODE,
    SPEC_DIRS,
    ConfigFault,
    FaultKind,
    ToolkitConfig,
    read_config,
)
from podwire.peers.nvidia_toolkit.deciding import Node, decide
from podwire.peers.nvidia_toolkit.records import (
    Door,
    Mode,
    Mount,
    Outcome,
    Program,
    Request,
    Sight,
    Stage,
)

__all__ = [
    "ACCEPT_MOUNTS",
    "ACCEPT_VARIABLE",
    "ANNOTATION_PREFIXES",
    "COMPONENT",
    "DEFAULT_KIND",
    "MODE",
    "SPEC_DIRS",
    "ConfigFault",
    "Door",
    "FaultKind",
    "Mode",
    "Mount",
    "Node",
    "Outcome",
    "Program",
    "Request",
    "Sight",
    "Stage",
    "ToolkitConfig",
    "outcome",
    "read_config",
]

_CONFIGURED: Final = Program.CONFIGURED


def outcome(
    request: Request,
    config: ToolkitConfig,
    *,
    version: Answer[Version],
    node: Node,
    program: Program = _CONFIGURED,
) -> Answer[Outcome]:
    """Say what becomes of a container; where the version is not known, what all agree on."""
    build = build_of(version)
    if isinstance(build, Known):
        return derived(
            build, lambda known: decide(request, config, known, program=program, node=node)
        )
    every = [decide(request, config, each, program=program, node=node) for each in BUILDS]
    agreed = _agreed(every)
    return build if agreed is None else Known(value=agreed)


def _agreed(every: list[Outcome]) -> Outcome | None:
    """Leave out the mode and the log where they are all that differs."""
    first = every[0]
    if all(each == first for each in every):
        return first
    plain = [_without_manner(each) for each in every]
    return plain[0] if all(each == plain[0] for each in plain) else None


def _without_manner(outcome: Outcome) -> Outcome:
    return msgspec.structs.replace(
        outcome, mode=None, asked=(), capabilities=(), requirements=(), notes=()
    )
