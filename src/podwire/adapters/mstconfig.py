"""Asks Debian's mstconfig (package mstflint) about cards; it only reads."""

import shutil
import subprocess
from collections.abc import Iterable

from podwire.model.addresses import PciAddress
from podwire.model.errors import PodwireError

_LIMIT_S = 30  # a card whose firmware hangs answers nothing


def query_firmware(pfs: Iterable[PciAddress]) -> str:
    """Give what `mstconfig -e query` prints of each card, one after another.

    Raises:
        PodwireError: there is no mstconfig.
    """
    program = shutil.which("mstconfig")
    if program is None:
        raise PodwireError("there is no mstconfig", hint="apt-get install mstflint")
    return "\n".join(_query(program, pf) for pf in pfs)


def _query(program: str, pf: PciAddress) -> str:
    try:
        done = subprocess.run(  # noqa: S603 - a fixed program and an address that was parsed
            [program, "-d", str(pf), "-e", "query"],
            capture_output=True,
            text=True,
            check=False,
            timeout=_LIMIT_S,
            stdin=subprocess.DEVNULL,
        )
    except subprocess.TimeoutExpired:
        return ""
    return done.stdout
