"""`podwire node show`: what this machine has."""

import argparse
from collections.abc import Iterable

import msgspec

from podwire.cli.spec_file import labels_of, refuse_copy, root_at, wiring_of
from podwire.cli.streams import write_out
from podwire.cli.world import World
from podwire.collect.node_root import node_name
from podwire.facts.hardware import Shown, ShownPf
from podwire.model.addresses import PciAddress
from podwire.model.errors import PodwireError
from podwire.node.show import Asked, show
from podwire.ports.machine import Processes
from podwire.ports.vf_links import VfLinks
from podwire.present import ascii_json
from podwire.present.node_table import node_text


def run(options: argparse.Namespace, *, world: World) -> int:  # noqa: ARG001 - every command's form
    """Read the machine and print it; netlink, processes and firmware only where asked for."""
    files = root_at(options.root)
    name = options.node or node_name(files) or "this machine"
    asked = Asked(
        files=files,
        reserved=_reserved(options, name),
        links=_links(options),
        processes=_processes(options),
    )
    shown = show(asked, name=name)
    if options.firmware:
        refuse_copy(options.root, "--firmware")
        shown = show(msgspec.structs.replace(asked, firmware=_firmware(shown.pfs)), name=name)
    write_out(_written(shown, form=options.format))
    return 0


def _written(shown: Shown, *, form: str) -> str:
    if form == "json":
        return ascii_json.document(msgspec.to_builtins(shown))
    return node_text(shown, is_wide=form == "wide")


def _reserved(options: argparse.Namespace, name: str) -> frozenset[str] | None:
    """Give the GPUs that the spec keeps for the host; a machine without an entry keeps none."""
    if not options.spec:
        return None
    from podwire.plan.wish import WishError, entry_of

    try:
        entry = entry_of(wiring_of(options.spec), name=name, labels=labels_of(options.label))
    except WishError as error:
        raise PodwireError(f"{options.spec}: {error}", hint=error.hint) from error
    return frozenset(entry.gpus.reserve_for_host)


def _links(options: argparse.Namespace) -> VfLinks | None:
    if not options.policies:
        return None
    refuse_copy(options.root, "--policies")
    from podwire.adapters.rtnetlink import Rtnetlink

    return Rtnetlink()


def _processes(options: argparse.Namespace) -> Processes | None:
    if not options.holders:
        return None
    refuse_copy(options.root, "--holders")
    from podwire.adapters.this_machine import ProcFs

    return ProcFs()


def _firmware(pfs: Iterable[ShownPf]) -> str:
    from podwire.adapters.mstconfig import query_firmware

    return query_firmware(PciAddress(text=pf.address) for pf in pfs)
