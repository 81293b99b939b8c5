"""PCI addresses and GPU UUIDs: identities of hardware, parsed once and compared as values."""

import re

import msgspec

_HEX = "[0-9a-fA-F]"
_UUID = re.compile(
    rf"(?:GPU-|MIG-){_HEX}{{8}}(?:-{_HEX}{{4}}){{3}}-{_HEX}{{12}}"
    # Drivers before R470 name a MIG device by its card, GPU instance and compute instance.
    rf"|MIG-GPU-{_HEX}{{8}}(?:-{_HEX}{{4}}){{3}}-{_HEX}{{12}}/\d+/\d+"
)
_PCI = re.compile(r"([0-9a-f]{4,8}):([0-9a-f]{2}):([0-9a-f]{2})\.([0-7])")


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


class GpuUuid(msgspec.Struct, frozen=True, gc=False, order=True):
    """A GPU, `GPU-3fa90021-0c2e-4d71-8b1a-6e5d4c3b0021`, or a MIG device of one, `MIG-...`."""

    text: str

    @classmethod
    def maybe(cls, text: str) -> "GpuUuid | None":
        """Take it where it is one."""
        return cls(text=text) if _UUID.fullmatch(text) else None

    def __str__(self) -> str:
        return self.text
