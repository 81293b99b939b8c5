"""`podwire node heal-names`: give VFs back the names that killed pods took from them."""

import argparse
import os

from podwire.cli.spec_file import root_at
from podwire.cli.statuses import BROKEN
from podwire.cli.streams import write_out
from podwire.cli.world import World
from podwire.collect.node_root import node_name
from podwire.model.errors import PodwireError
from podwire.node.names import Left, heal, left_names
from podwire.node.observe import Senses, observe

_ROOT = "/"


def run(options: argparse.Namespace, *, world: World) -> int:  # noqa: ARG001 - every command's form
    """Find such names, and have udev name the devices anew; 1 where one stays as it is."""
    files = root_at(_ROOT)
    machine = observe(Senses(files=files), name=node_name(files) or "this machine").machine
    left = left_names(machine, files)
    if not left:
        write_out("no VF has a name that a pod left\n")
        return 0
    if options.dry_run:
        write_out("".join(f"VF {one.vf} is called {one.name}\n" for one in left))
        return 0
    if os.geteuid() != 0:
        raise PodwireError("udev listens to root, and this is not root", hint="--dry-run")
    from podwire.adapters.this_machine import Udevadm

    healed = heal(left, files=files, udev=Udevadm())
    write_out("".join(map(_line, healed)))
    return 0 if all(one.is_healed for one in healed) else BROKEN


def _line(one: Left) -> str:
    if one.is_healed:
        return f"VF {one.vf}: {one.name} is {one.now} again\n"
    return (
        f"VF {one.vf} is still {one.name}: the .link file that names it keeps names; "
        "podwire node install writes one that does not\n"
    )
