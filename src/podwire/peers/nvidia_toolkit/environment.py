"""The variables that the toolkit reads, and the lists in them.

Source: internal/config/image/{builder,cuda_image,devices}.go of nvidia-container-toolkit v1.20.2;
containerd v2.4.2 pkg/oci/spec_opts.go replaceOrAppendEnvValues for the image's variables.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Final

import msgspec

from podwire.peers.go_text import is_true
from podwire.peers.nvidia_toolkit.records import Request

VISIBLE: Final = "NVIDIA_VISIBLE_DEVICES"
IMEX: Final = "NVIDIA_IMEX_CHANNELS"
CAPABILITIES: Final = "NVIDIA_DRIVER_CAPABILITIES"
MIG_CONFIG: Final = "NVIDIA_MIG_CONFIG_DEVICES"
MIG_MONITOR: Final = "NVIDIA_MIG_MONITOR_DEVICES"
DISABLE_REQUIRE: Final = "NVIDIA_DISABLE_REQUIRE"
_CUDA: Final = "CUDA_VERSION"
_REQUIRE: Final = "NVIDIA_REQUIRE_"
ALL: Final = ("all",)
# What `none` becomes: a device without a name.
NONE: Final = ("",)
# Each is on where its variable is `enabled`, in this order.
_FEATURES: Final = {
    "gds": "NVIDIA_GDS",
    "mofed": "NVIDIA_MOFED",
    "gdrcopy": "NVIDIA_GDRCOPY",
    "nvswitch": "NVIDIA_NVSWITCH",
}
_NUMBER: Final = r"(0|[1-9][0-9]*)"
_VERSION: Final = re.compile(
    rf"v?{_NUMBER}(?:\.{_NUMBER}(?:\.{_NUMBER}(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?)?)?"
)


class Environment(msgspec.Struct, frozen=True):
    """The container's variables, with the image's among them.

    `refused` is an entry without `=`, which the toolkit does not take.
    """

    values: Mapping[str, str]
    of_image: frozenset[str] = frozenset()
    refused: str | None = None

    @property
    def is_old_image(self) -> bool:
        """An image from before requirements: it asks for all GPUs without saying so."""
        return bool(self.values.get(_CUDA)) and not self.values.get(f"{_REQUIRE}CUDA")

    @property
    def features(self) -> tuple[str, ...]:
        """What is turned on beside GPUs."""
        return tuple(
            feature
            for feature, variable in _FEATURES.items()
            if self.values.get(variable) == "enabled"
        )

    def requirements(self) -> tuple[str, ...]:
        """List what the driver has to fulfil, in no order of the toolkit's.

        Raises:
            ValueError: CUDA_VERSION is no version; the argument is CUDA_VERSION.
        """
        if is_true(self.values.get(DISABLE_REQUIRE, "")):
            return ()
        named = [
            value
            for name, value in self.values.items()
            if name.startswith(_REQUIRE) and not name.startswith(f"{_REQUIRE}JETPACK")
        ]
        if self.is_old_image:
            found = _VERSION.fullmatch(self.values[_CUDA])
            if found is None:
                raise ValueError(self.values[_CUDA])
            named.append(f"cuda>={found[1]}.{found[2] or 0}")
        return tuple(sorted(named))

    def devices(self, variables: Iterable[str]) -> tuple[str, ...]:
        """Put the lists of variables together, as the toolkit does."""
        written = [self.values[name] for name in variables if name in self.values]
        named = [part.strip() for text in written for part in text.split(",")]
        named = [part for part in named if part]
        if not written and self.is_old_image:
            named = ["all"]
        if not named or "void" in named:
            return ()
        return _listed(named)


def environment_of(request: Request) -> Environment:
    """Read what the low-level runtime gets from the container's runtime."""
    own = dict(_split(entry) for entry in request.env if "=" in entry)
    image = dict(_split(entry) for entry in request.image_env if "=" in entry)
    every = (*request.image_env, *request.env)
    return Environment(
        values={**image, **own},
        of_image=frozenset(image.keys() - own.keys()),
        refused=next((entry for entry in every if "=" not in entry), None),
    )


def _split(entry: str) -> tuple[str, str]:
    name, _, value = entry.partition("=")
    return name, value


def _listed(named: list[str]) -> tuple[str, ...]:
    """List names; what stands twice leaves an empty one, which means `none`, at its first place."""
    for name in named:
        if name == "all":
            return ALL
        if name == "none":
            return NONE
    last = {name: index for index, name in enumerate(named)}
    return tuple(name if last[name] == index else "" for index, name in enumerate(named))
