"""GUIDs of InfiniBand nodes and ports: 64 bits, however a program spells them."""

import re

import msgspec

_ALL_ONES = (1 << 64) - 1
# sysfs a088:c203:0021:1000, the diags 0xa088c20300211000, tools a0:88:c2:03:00:21:10:00.
_FORMS = (
    re.compile(r"[0-9a-fA-F]{4}(:[0-9a-fA-F]{4}){3}"),
    re.compile(r"0x[0-9a-fA-F]{1,16}"),
    re.compile(r"[0-9a-fA-F]{2}(:[0-9a-fA-F]{2}){7}"),
)
_HARDWARE_ADDRESS = re.compile(r"[0-9a-fA-F]{2}(:[0-9a-fA-F]{2}){19}")
_GID = re.compile(r"[0-9a-fA-F]{4}(:[0-9a-fA-F]{4}){7}")


class Guid(msgspec.Struct, frozen=True, gc=False, order=True):
    """One GUID by its number. Equal numbers in one subnet are a fault."""

    number: int

    @classmethod
    def parse(cls, text: str) -> "Guid":
        """Read sysfs' four groups, eight octets, or a number after 0x.

        Raises:
            ValueError: the text has none of these forms; it is quoted.
        """
        if not any(form.fullmatch(text) for form in _FORMS):
            raise ValueError(f"{text!r} is no GUID like 02:00:00:00:00:18:00:01")
        return cls(number=int(text.replace(":", ""), 16))

    @classmethod
    def maybe(cls, text: str) -> "Guid | None":
        """Read it where it is one."""
        try:
            return cls.parse(text)
        except ValueError:
            return None

    @classmethod
    def of_hardware_address(cls, text: str) -> "Guid | None":
        """Take the port GUID out of an IPoIB device's 20 octets: the last eight."""
        return cls.parse(text[-23:]) if _HARDWARE_ADDRESS.fullmatch(text) else None

    @classmethod
    def of_gid(cls, text: str) -> "Guid | None":
        """Take the port GUID out of a port's first GID: the last four groups."""
        return cls.parse(text[-19:]) if _GID.fullmatch(text) else None

    @property
    def is_set(self) -> bool:
        """Whether it names a port: zero and all ones mean that nobody gave one.

        ib-sriov writes all ones when it takes back a GUID over a port that had none
        (ib-sriov-cni v1.3.0 pkg/sriov/sriov.go).
        """
        return self.number not in {0, _ALL_ONES}

    @property
    def octets(self) -> str:
        """As `ip link` and the SR-IOV operator write it: `02:00:00:00:00:18:00:01`."""
        return self.number.to_bytes(8, "big").hex(":")

    def __str__(self) -> str:
        """As sysfs writes it: `0200:0000:0018:0001`."""
        return self.number.to_bytes(8, "big").hex(":", 2)
