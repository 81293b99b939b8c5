"""PCI addresses and GUIDs: identities of hardware, parsed once and compared as values."""

import re

import msgspec

_PCI = re.compile(r"([0-9a-f]{4,8}):([0-9a-f]{2}):([0-9a-f]{2})\.([0-7])")
_GUID = re.compile(r"([0-9a-f]{4}):([0-9a-f]{4}):([0-9a-f]{4}):([0-9a-f]{4})")
_OCTETS = re.compile(r"[0-9a-f]{2}(:[0-9a-f]{2}){7}")


class PciAddress(msgspec.Struct, frozen=True, gc=False, order=True):
    """A PCI function, `0000:18:00.2`: domain, bus, device, function."""

    text: str

    @classmethod
    def parse(cls, text: str) -> "PciAddress":
        """Take the kernel's form, lower-case, with its domain.

        Raises:
            ValueError: the text is no such address; it is quoted.
        """
        if not _PCI.fullmatch(text):
            raise ValueError(f"{text!r} is no PCI address like 0000:18:00.2")
        return cls(text=text)

    @classmethod
    def is_one(cls, text: str) -> bool:
        """Whether the text is such an address."""
        return _PCI.fullmatch(text) is not None

    @classmethod
    def maybe(cls, text: str) -> "PciAddress | None":
        """Take it where it is one."""
        return cls(text=text) if cls.is_one(text) else None

    def __str__(self) -> str:
        return self.text


class Guid(msgspec.Struct, frozen=True, gc=False, order=True):
    """An EUI-64 of a node or a port, kept as 64 bits."""

    value: int

    @classmethod
    def parse(cls, text: str) -> "Guid":
        """Take sysfs' form (`a088:c203:0021:1000`) or iproute2's eight octets.

        Raises:
            ValueError: the text is neither; it is quoted.
        """
        lower = text.strip().lower()
        if not (_GUID.fullmatch(lower) or _OCTETS.fullmatch(lower)):
            raise ValueError(f"{text!r} is no GUID like a088:c203:0021:1000")
        return cls(value=int(lower.replace(":", ""), 16))

    def __str__(self) -> str:
        digits = f"{self.value:016x}"
        return ":".join(digits[i : i + 4] for i in range(0, 16, 4))
