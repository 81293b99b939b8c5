"""Changes that somebody may make to how GPUs reach containers, as they are written."""

from collections.abc import Iterable, Mapping
from typing import Final

import msgspec

from podwire.peers.cdi import is_qualified
from podwire.peers.nvidia_plugin import Strategy

ACCEPT_VARIABLE: Final = "accept-envvar-when-unprivileged"
ACCEPT_MOUNTS: Final = "accept-as-volume-mounts"
MODE: Final = "mode"
DEFAULT_KIND: Final = "default-kind"
DEFAULT_RUNTIME: Final = "default-runtime"
STRATEGY: Final = "device-list-strategy"
DROP: Final = "drop-runtime-class"
UNNAME: Final = "take-runtime-class-out"  # of the pods that name it
KEYS: Final = (
    ACCEPT_VARIABLE,
    ACCEPT_MOUNTS,
    MODE,
    DEFAULT_KIND,
    DEFAULT_RUNTIME,
    STRATEGY,
)
OPERATOR: Final = "OPERATOR"
MANAGEMENT: Final = "management.nvidia.com/gpu"
# As config.toml has them, for those who copy the key from there.
_LONG: Final[Mapping[str, str]] = {
    "accept-nvidia-visible-devices-envvar-when-unprivileged": ACCEPT_VARIABLE,
    "accept-nvidia-visible-devices-as-volume-mounts": ACCEPT_MOUNTS,
}
_FLAGS: Final[Mapping[str, bool]] = {"true": True, "false": False}
_KINDS: Final = ("nvidia.com/gpu", MANAGEMENT)
_MODES: Final = frozenset({"auto", "legacy", "csv", "cdi", "jit-cdi"})


class ChangeError(ValueError):
    """A change that nobody can make; the message quotes it, `known` are words that would do."""

    def __init__(self, message: str, known: Iterable[str]) -> None:
        super().__init__(message)
        self.known = tuple(known)


class Change(msgspec.Struct, frozen=True):
    """One step: a key of `KEYS` or `DROP`, and the value that it gets.

    `of` is whose: of a strategy the name of the `Program` whose plugins get it, empty: of all;
    of a default kind, that the operator's toolkit writes the spec of it.
    """

    key: str
    value: str
    of: str = ""

    @classmethod
    def parse(cls, written: str) -> "Change":
        """Read KEY=VALUE.

        Raises:
            ChangeError: there is no such key, or it takes no such value.
        """
        key, _, value = written.partition("=")
        key = _LONG.get(key, key)
        if key not in KEYS:
            raise ChangeError(f"{written}: {key!r} is no setting", KEYS)
        known = _values(key)
        if not value or (known and not set(value.split(",")) <= set(known)):
            raise ChangeError(f"{written}: {key} takes no {value!r}", known or ("a value",))
        if key == DEFAULT_KIND and not is_qualified(f"{value}=x"):
            raise ChangeError(f"{written}: {value!r} is no kind of CDI devices", _KINDS)
        return cls(key=key, value=value)

    @property
    def flag(self) -> bool:
        """The value of a setting that is on or off."""
        return _FLAGS[self.value]

    @property
    def strategies(self) -> tuple[Strategy, ...]:
        """The value of a strategy."""
        return tuple(Strategy(word) for word in self.value.split(","))

    def __str__(self) -> str:
        return f"{self.key}={self.value}"


def _values(key: str) -> tuple[str, ...]:
    """Name the values that a setting takes; none: any."""
    if key in {ACCEPT_VARIABLE, ACCEPT_MOUNTS}:
        return tuple(_FLAGS)
    if key == MODE:
        return tuple(sorted(_MODES))
    return tuple(Strategy) if key == STRATEGY else ()


def operator_changes(*, runs_toolkit: bool) -> tuple[Change, ...]:
    """Say what the GPU Operator sets once CDI is on.

    Source: gpu-operator v25.10.0 controllers/object_controls.go TransformToolkit,
    TransformDevicePlugin. Its strategy is for its own device plugin.
    """
    plugin = Change(key=STRATEGY, value="cdi-annotations,cdi-cri", of=OPERATOR)
    if not runs_toolkit:
        return (plugin,)
    return (
        Change(key=MODE, value="cdi"),
        Change(key=DEFAULT_KIND, value=MANAGEMENT, of=OPERATOR),
        Change(key=DEFAULT_RUNTIME, value="runc"),
        plugin,
    )
