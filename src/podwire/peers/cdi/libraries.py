"""Which version of the CDI library a runtime has, and what these versions do differently.

Sources: go.mod of containerd 1.7.0 to 2.4.2 and of nvidia-container-toolkit 1.17.3 to
1.20.2; tags.cncf.io/container-device-interface v0.7.0 to v1.1.2 pkg/cdi, specs-go.
"""

import msgspec

from podwire.model.evidence import Answer, Unknown
from podwire.model.versions import Table, Version, by_version

CONTAINERD = "containerd"
TOOLKIT = "nvidia-container-toolkit"

_SPECS = ("0.1.0", "0.2.0", "0.3.0", "0.4.0", "0.5.0", "0.6.0", "0.7.0", "0.8.0", "1.0.0", "1.1.0")


class Library(msgspec.Struct, frozen=True, gc=False):
    """What a version of the library reads, and what it refuses.

    `newest` is the newest cdiVersion that it takes. `reads_json` says that it turns YAML into
    JSON first, where letters' case does not count in field names; later ones read YAML.
    `refuses_empty` a spec without devices, `takes_root` the ClosID "/", `takes_none` the
    permissions "none", `refuses_negative` numbers of devices. `counts_odd_names`: a name of a
    device that begins with anything but a letter needs CDI 0.5.0, not only one with a digit.
    """

    version: str
    newest: str
    reads_json: bool = True
    refuses_empty: bool = True
    takes_root: bool = True
    takes_none: bool = False
    counts_odd_names: bool = False
    refuses_negative: bool = False

    @property
    def specs(self) -> tuple[str, ...]:
        """The values of cdiVersion that it takes."""
        return _SPECS[: _SPECS.index(self.newest) + 1]


V0_7 = Library(
    version="0.7", newest="0.7.0", refuses_empty=False, takes_root=False, counts_odd_names=True
)
V0_8 = Library(
    version="0.8", newest="0.8.0", refuses_empty=False, takes_root=False, counts_odd_names=True
)
V1_0 = Library(version="1.0", newest="1.0.0", takes_root=False)
V1_1_0 = Library(version="1.1.0", newest="1.1.0")
V1_1_1 = Library(version="1.1.1", newest="1.1.0", reads_json=False, takes_none=True)
V1_1_2 = Library(
    version="1.1.2", newest="1.1.0", reads_json=False, takes_none=True, refuses_negative=True
)
LIBRARIES = {library.version: library for library in (V0_7, V0_8, V1_0, V1_1_0, V1_1_1, V1_1_2)}
NEWEST = V1_1_1  # the one of the newest runtimes

_TABLES = {
    CONTAINERD: Table(
        component=CONTAINERD,
        newest="2.4.2",
        rows=(
            ("1.7.20", V0_7),
            ("1.7.28", V0_8),
            ("2.0.0", V0_8),
            ("2.0.5", V1_0),
            ("2.2.2", V1_1_0),
            ("2.4.0", V1_1_1),
        ),
    ),
    TOOLKIT: Table(
        component=TOOLKIT,
        newest="1.20.2",
        rows=(("1.17.3", V0_8), ("1.18.0", V1_0), ("1.18.2", V1_1_0), ("1.20.1", V1_1_1)),
    ),
}


def library_of(component: str, version: Answer[Version]) -> Answer[Library]:
    """Give the library that a runtime is built with.

    Between two versions whose go.mod was read the older one's library is given.
    """
    table = _TABLES.get(component)
    if table is None:
        return Unknown(
            reason=f"which version of the CDI library {component} has",
            fact="the CDI library of a container runtime",
        )
    return by_version(version, table)
