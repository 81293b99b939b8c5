"""`podwire node guids`: the GUIDs of this machine's VFs, as the SR-IOV operator reads them."""

import argparse

from podwire.artefacts.operator_guids import operator_guids
from podwire.cli.node import ask_of, kind_errors
from podwire.cli.spec_file import root_at
from podwire.cli.streams import write_out
from podwire.cli.world import World
from podwire.model.errors import PodwireError
from podwire.node.apply import decide
from podwire.node.observe import Senses


def run(options: argparse.Namespace, *, world: World) -> int:  # noqa: ARG001 - every command's form
    """Print what the map holds, or would hold after `apply`; nothing is written."""
    root = root_at(options.root)
    with kind_errors(options):
        ask = ask_of(options, root)
        planned, _ = decide(ask, Senses(files=root), processes=None)
    if planned.gate:
        raise PodwireError(planned.gate[0].text, hint=planned.gate[0].fix)
    found = planned.guids or ask.books.own
    slots = {pf: slot.guids for pf, slot in found.slots.items()} if found else {}
    if not slots:
        refused = [f"{pf.name}: {text}" for pf in planned.pfs for text in pf.refusals]
        why = refused[0] if refused else "none of them is InfiniBand"
        raise PodwireError(f"no PF of the spec gets GUIDs here; {why}", hint="podwire node plan")
    write_out(operator_guids(slots))
    return 0
