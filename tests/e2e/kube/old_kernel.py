#!/usr/bin/env python3
"""old_kernel.py PROGRAM [ARGUMENT...]: runs a program as on a kernel without RDMA netlink.

Its socket(AF_NETLINK, ..., NETLINK_RDMA) fails with EINVAL, which the RDMA shared device plugin
takes for a kernel too old to have network namespace modes; where the kernel was built without
InfiniBand it would get EPROTONOSUPPORT, and end.
"""

import ctypes
import os
import platform
import struct
import sys

_SOCKET = {"x86_64": 41, "aarch64": 198}  # the system call's number
_AF_NETLINK, _NETLINK_RDMA, _EINVAL = 16, 20, 22
_PR_SET_NO_NEW_PRIVS, _PR_SET_SECCOMP, _FILTER = 38, 22, 2
_ALLOW, _ERRNO = 0x7FFF0000, 0x00050000
_LOAD, _IF_EQUAL, _RETURN = 0x20, 0x15, 0x06
_NUMBER, _FIRST, _THIRD = 0, 16, 32  # offsets in struct seccomp_data


def _rule(code: int, value: int, *, otherwise: int = 0) -> bytes:
    """Write one struct sock_filter; a comparison that fails skips as many."""
    return struct.pack("HBBI", code, 0, otherwise, value)


def forbid() -> None:
    """Put the filter in force for this process and what it becomes."""
    rules = (
        _rule(_LOAD, _NUMBER),
        _rule(_IF_EQUAL, _SOCKET[platform.machine()], otherwise=5),
        _rule(_LOAD, _FIRST),
        _rule(_IF_EQUAL, _AF_NETLINK, otherwise=3),
        _rule(_LOAD, _THIRD),
        _rule(_IF_EQUAL, _NETLINK_RDMA, otherwise=1),
        _rule(_RETURN, _ERRNO | _EINVAL),
        _rule(_RETURN, _ALLOW),
    )
    code = ctypes.create_string_buffer(b"".join(rules))
    program = ctypes.create_string_buffer(struct.pack("H6xQ", len(rules), ctypes.addressof(code)))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) or libc.prctl(
        _PR_SET_SECCOMP, _FILTER, program, 0, 0
    ):
        raise OSError(ctypes.get_errno(), "prctl")


if __name__ == "__main__":
    forbid()
    os.execvp(sys.argv[1], sys.argv[1:])  # noqa: S606 - that is what it is for
