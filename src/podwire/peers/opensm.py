"""OpenSM: which of its builds serves virtual ports, and what a configuration file leaves out.

Source: opensm 3.3.23 opensm/osm_subnet.c (osm_subn_parse_conf_file; what it says of a token
it does not know was seen in a run); the headers and manual of NVIDIA's OpenSM 5.x for virt_*.
"""

import enum
import re
from collections.abc import Mapping

import msgspec

from podwire.model.evidence import Answer, Known, Unknown

VIRT_ENABLED = "virt_enabled"
_ONLY_NVIDIA = re.compile(r"virt_\w+")
# NVIDIA's headers: how many virtual ports are handled at once, and the hop limit of GRHs.
DEFAULTS: Mapping[str, str] = {"virt_max_ports_in_process": "64", "virt_default_hop_limit": "2"}


class Build(enum.Enum):
    """Who built it: only NVIDIA's knows virtual ports."""

    NVIDIA = "NVIDIA's OpenSM"
    UPSTREAM = "upstream OpenSM"


class Option(msgspec.Struct, frozen=True, gc=False):
    """One line `name value` of opensm.conf."""

    name: str
    value: str
    line: int

    @property
    def is_of_nvidia(self) -> bool:
        """Upstream's parser does not know the name."""
        return _ONLY_NVIDIA.fullmatch(self.name) is not None


def read_build(text: str) -> Answer[Build]:
    """Read `opensm --version`: `OpenSM 5.21.12.MLNX20250120.b9f7e8a1`, or `OpenSM 3.3.23`."""
    match = re.search(r"OpenSM (\d+)\.\d+\S*", text)
    if match is None:
        return Unknown(reason="opensm --version prints no version", give="opensm --version")
    if "MLNX" in match[0] or int(match[1]) >= 4:
        return Known(value=Build.NVIDIA)
    return Known(value=Build.UPSTREAM)


def read_options(text: str) -> tuple[Option, ...]:
    """Read opensm.conf: a name and its value a line; `#` begins a comment."""
    options = []
    for number, line in enumerate(text.splitlines(), 1):
        # strtok_r of blanks and tabs: a tab ends the name as well.
        name, *value = line.partition("#")[0].split(None, 1) or [""]
        if name:
            options.append(Option(name=name, value="".join(value).strip(), line=number))
    return tuple(options)


def serves_virtual_ports(options: tuple[Option, ...] | None, build: Answer[Build]) -> Answer[bool]:
    """Say whether it brings up the ports of VFs.

    Args:
        options: its file; None where the file was not read.
        build: who built it.
    """
    if isinstance(build, Known) and build.value is Build.UPSTREAM:
        return Known(value=False, places=build.places)
    if options is None:
        return Unknown(reason="opensm.conf of the subnet manager was not read")
    # The last line of a name counts: each is written over the one before.
    values = {option.name: option.value for option in options}
    value = values.get(VIRT_ENABLED)
    if value is None:
        return Unknown(
            reason="opensm.conf has no virt_enabled, and its default differs between builds"
        )
    if value != "2":  # 0 leaves virtual ports as they are, 1 turns them off
        return Known(value=False)
    return Known(value=True) if isinstance(build, Known) else build
