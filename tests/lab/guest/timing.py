"""Seconds for the same VFs: a bare shell loop, and `podwire node apply`."""

import time
from typing import Any

from tests.lab.guest import card
from tests.lab.guest.card import PFS, function, write
from tests.lab.guest.shell import run

_LOOP = """\
for pf in {pfs}; do
  cd /sys/bus/pci/devices/$pf
  echo 0 >sriov_drivers_autoprobe
  echo {count} >sriov_numvfs
  echo 1 >sriov_drivers_autoprobe
  for vf in virtfn*; do basename $(readlink $vf) >/sys/bus/pci/drivers_probe; done
  udevadm settle
  for mtu in virtfn*/net/*/mtu; do echo 1400 >$mtu; done
done
"""


def compared(spec: str, count: int, rounds: int = 3) -> dict[str, Any]:
    """Give the shortest of some rounds of each, in turn; the first reads files and modules."""
    loop = ("sh", "-ec", _LOOP.format(pfs=" ".join(PFS), count=count))
    apply = ("podwire", "node", "apply", "--spec", spec)
    taken = [(_anew(*loop), _anew(*apply), _seconds(*apply)) for _ in range(1 + rounds)][1:]
    best = [min(each) for each in zip(*taken, strict=True)]
    names = ("shell_loop_s", "podwire_apply_s", "podwire_second_apply_s")
    return {"vfs": count * len(PFS), **dict(zip(names, best, strict=True))}


def _anew(*command: str) -> float:
    for pf in PFS:
        write(function(pf) / "sriov_numvfs", "0")
    card.settle()
    return _seconds(*command)


def _seconds(*command: str) -> float:
    began = time.monotonic()
    run(*command)
    return round(time.monotonic() - began, 2)
