"""What changed in the toolkit, by version.

Source: NVIDIA/nvidia-container-toolkit v1.17.3 to v1.17.8, v1.18.0, v1.18.2, v1.19.0, v1.19.1,
v1.20.0, v1.20.1, v1.20.2, read, and the runtime of most of them run.
"""

from typing import Final

import msgspec

from podwire.model.evidence import Answer, Known, Unknown
from podwire.model.versions import Table, Version, by_version

COMPONENT: Final = "nvidia-container-toolkit"


class Build(msgspec.Struct, frozen=True):
    """How a version differs.

    `one_sight`: one reading of the container for every mode; before, mode cdi and the hook
    each had their own. `has_jit`: mode auto means jit-cdi. `falls_back`: a device that cannot
    be generated is looked up among the specs. `applies_late`: errors come when the
    specification is modified, not before. `knows_none`: jit-cdi takes `none` for no GPU.
    `gates_hide`: a feature variable in mode legacy writes NVIDIA_VISIBLE_DEVICES=void, which the
    hook then obeys. `checks_mig` and `bounds_imex`: jit-cdi looks at MIG and IMEX requests.
    `void_mounts`: `void` as a mount means no mount. `ignores_imex`: a setting does that.
    """

    one_sight: bool = False
    has_jit: bool = False
    falls_back: bool = True
    applies_late: bool = False
    knows_none: bool = False
    reads_swarm: bool = False
    gates_hide: bool = False
    has_nvswitch: bool = False
    ignores_imex: bool = True
    bounds_imex: bool = False
    checks_mig: bool = False
    void_mounts: bool = False


_V17_3: Final = Build(ignores_imex=False)
_V17_5: Final = Build()
_V18_0: Final = Build(one_sight=True, has_jit=True)
_V18_2: Final = msgspec.structs.replace(_V18_0, falls_back=False, knows_none=True)
_V19_0: Final = msgspec.structs.replace(
    _V18_2, applies_late=True, reads_swarm=True, gates_hide=True, has_nvswitch=True
)
_V20_0: Final = msgspec.structs.replace(_V19_0, bounds_imex=True)
_V20_1: Final = msgspec.structs.replace(_V20_0, checks_mig=True)
_V20_2: Final = msgspec.structs.replace(_V20_1, void_mounts=True)

# None: a version between two that differ, and that was not read.
_BUILDS: Final[Table[Build | None]] = Table(
    component=COMPONENT,
    newest="v1.20.2",
    rows=(
        ("v1.17.3", _V17_3),
        ("v1.17.5", _V17_5),
        ("v1.18.0", _V18_0),
        ("v1.18.1", None),
        ("v1.18.2", _V18_2),
        ("v1.19.0", _V19_0),
        ("v1.20.0", _V20_0),
        ("v1.20.1", _V20_1),
        ("v1.20.2", _V20_2),
    ),
)

BUILDS: Final = tuple(build for _, build in _BUILDS.rows if build is not None)


def build_of(version: Answer[Version]) -> Answer[Build]:
    """Look a version up."""
    found = by_version(version, _BUILDS)
    if isinstance(found, Unknown):
        return found
    if found.value is None:
        said = f" {version.value}" if isinstance(version, Known) else ""
        return Unknown(
            reason=f"{COMPONENT}{said} was not read, and the versions before and after it differ",
            fact=f"what this version of {COMPONENT} does",
        )
    return Known(value=found.value, places=found.places, assumes=found.assumes)
