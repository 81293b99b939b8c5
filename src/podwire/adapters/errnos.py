"""The kernel's names of error numbers."""

import errno


def code_of(number: int | None) -> str:
    """Name an error; Linux has two names for 95, and the kernel's sources use this one."""
    if number == errno.EOPNOTSUPP:
        return "EOPNOTSUPP"
    return errno.errorcode.get(number or 0, f"error {number}")
