"""In which mode the runtime and the hook work.

Source: internal/runtime/runtime_factory.go, internal/info/auto.go, internal/modifier/factory.go
of nvidia-container-toolkit v1.17.8 to v1.20.2.
"""

from podwire.peers.cdi.names import is_qualified
from podwire.peers.nvidia_toolkit import mounts
from podwire.peers.nvidia_toolkit.builds import Build
from podwire.peers.nvidia_toolkit.config import ToolkitConfig
from podwire.peers.nvidia_toolkit.environment import VISIBLE, environment_of
from podwire.peers.nvidia_toolkit.records import Mode, Program, Request
from podwire.peers.nvidia_toolkit.seeing import RefusedRequestError, one_sight

_FORCED = {Program.FORCED_CDI: "cdi", Program.FORCED_LEGACY: "legacy"}
_AUTO = "auto"


def runtime_mode(request: Request, config: ToolkitConfig, build: Build, program: Program) -> Mode:
    """Say in which mode the runtime handles a container; on Tegra, auto would be csv.

    Raises:
        RefusedRequestError: the configuration names a mode that the version does not have.
    """
    named = _FORCED.get(program, config.mode)
    if named == _AUTO:
        return _resolved(request, config, build, default=_default(build), annotations=True)
    known = {mode.value for mode in Mode}
    if named in known and (build.has_jit or named != Mode.JIT_CDI.value):
        return Mode(named)
    if not build.applies_late:
        raise RefusedRequestError(f"invalid runtime mode: {named}")
    raise RefusedRequestError(f'invalid mode "{named}"' if named else "a mode must be specified")


def hook_mode(request: Request, config: ToolkitConfig, build: Build) -> str:
    """Say which mode the hook takes itself to be in; it works in `legacy` only."""
    if config.mode != _AUTO:
        return config.mode
    return _resolved(request, config, build, default=Mode.LEGACY, annotations=False).value


def _default(build: Build) -> Mode:
    return Mode.JIT_CDI if build.has_jit else Mode.LEGACY


def _resolved(
    request: Request, config: ToolkitConfig, build: Build, *, default: Mode, annotations: bool
) -> Mode:
    """Take mode cdi where all that is asked for are CDI names."""
    if build.one_sight:
        swarm = build.reads_swarm or not annotations
        seen = one_sight(request, config, build, annotations=annotations, swarm=swarm)
        is_cdi = bool(seen.names) and all(map(is_qualified, seen.names))
    else:
        names = environment_of(request).devices((VISIBLE,))
        mounted = mounts.requested(request.mounts)
        is_cdi = bool(names or mounted) and all(map(is_qualified, names))
        is_cdi = is_cdi and all(each.startswith(mounts.CDI) for each in mounted)
    return Mode.CDI if is_cdi else default
