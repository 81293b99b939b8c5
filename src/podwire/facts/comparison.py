"""What several machines have alike, and which one differs in what."""

import msgspec


class Difference(msgspec.Struct, frozen=True, rename="camel"):
    """One machine that has another value than most have; `pfs` are those concerned."""

    aspect: str
    machine: str
    value: str
    usual: str
    pfs: tuple[str, ...] = ()


class TwiceGuid(msgspec.Struct, frozen=True, rename="camel"):
    """A GUID that several functions have: `machine/address`."""

    guid: str
    at: tuple[str, ...]


class Comparison(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """What was compared. `alike` are aspects in which no machine differs.

    `unknown` are those of which nobody read anything on some machine.
    """

    schema_version: int = 1
    machines: tuple[str, ...]
    alike: tuple[str, ...]
    differences: tuple[Difference, ...]
    twice: tuple[TwiceGuid, ...]
    unknown: tuple[str, ...]

    @property
    def is_alike(self) -> bool:
        """No machine differs, and no GUID occurs twice."""
        return not self.differences and not self.twice
