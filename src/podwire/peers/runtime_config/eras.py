"""What versions of containerd do differently with their configuration and with CDI.

Sources: containerd v1.7.28 pkg/cri/config, services/server/config/config.go; v2.0.5, v2.2.7,
v2.3.0, v2.4.0 and v2.4.2 internal/cri/config, internal/cri/server/container_create_linux.go,
cmd/containerd/server/config/config.go, plugins/cri/runtime/plugin.go.
"""

import enum

import msgspec

from podwire.model.evidence import Answer, Known
from podwire.model.versions import Table, Version, by_version


class Merging(enum.Enum):
    """How several files become one, and when old forms are brought into new ones.

    SECTIONS: a later file's section takes the place of an earlier one's whole, and a table of
    runtimes that of the built-in one. The others merge key by key: AS_A_WHOLE brings the result
    into the newest form if its last file is older, FILE_BY_FILE each file before it is merged.
    """

    SECTIONS = enum.auto()
    AS_A_WHOLE = enum.auto()
    FILE_BY_FILE = enum.auto()


class Era(msgspec.Struct, frozen=True, gc=False):
    """A range of versions that read their configuration alike.

    `newest_file` is the highest `version` that a file may have; with `bounds_drop_ins` no
    imported file may have a higher one than the main file. `switches_cdi`: enable_cdi counts;
    without it CDI is as `cdi`. `refuses`: a container that asks for a device while CDI is off
    is not made.
    """

    newest_file: int
    merging: Merging
    cdi: bool
    bounds_drop_ins: bool = False
    switches_cdi: bool = True
    refuses: bool = False


_TABLE = Table(
    component="containerd",
    newest="2.4.2",
    rows=(
        ("1.6.0", Era(newest_file=2, merging=Merging.SECTIONS, cdi=False, switches_cdi=False)),
        ("1.7.0", Era(newest_file=2, merging=Merging.SECTIONS, cdi=False)),
        ("2.0.0", Era(newest_file=3, merging=Merging.AS_A_WHOLE, cdi=True)),
        (
            "2.3.0",
            Era(
                newest_file=4,
                merging=Merging.FILE_BY_FILE,
                cdi=True,
                bounds_drop_ins=True,
                refuses=True,
            ),
        ),
        ("2.4.0", Era(newest_file=4, merging=Merging.FILE_BY_FILE, cdi=True, switches_cdi=False)),
    ),
)
ERAS = tuple(era for _, era in _TABLE.rows)


def eras_of(version: Answer[Version]) -> Answer[tuple[Era, ...]]:
    """Give the era of a version, or all of them where none is known."""
    if not isinstance(version, Known):
        return Known(value=ERAS)
    era = by_version(version, _TABLE)
    return era if not isinstance(era, Known) else Known(value=(era.value,))
