"""GUIDs and link states of VFs, set and read on their PF's net device (rtnetlink)."""

from collections.abc import Mapping
from typing import Protocol

from podwire.model.evidence import Answer
from podwire.model.guids import Guid


class VfLinks(Protocol):
    """What podwire asks of the PF's net device."""

    def set_vf(
        self, netdev: str, *, vf: int, guid: Guid | None, policy: str | None, limit_s: float
    ) -> None:
        """Set node and port GUID, and `follow`, `up` or `down`, in one message.

        Raises:
            WriteFault: the kernel refused it.
        """

    def policies(self, netdev: str) -> Answer[Mapping[int, str]]:
        """Read every VF's policy; Unknown where the kernel cannot answer."""
