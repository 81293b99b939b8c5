"""`podwire node plan|apply|verify`: VFs of this machine as the spec wants them."""

import argparse
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from podwire.cli.progress import Progress
from podwire.cli.spec_file import (
    is_this_machine,
    labels_of,
    read_file,
    refuse_copy,
    root_at,
    spec_at,
    wiring_of,
)
from podwire.cli.statuses import BROKEN
from podwire.cli.streams import say, write_out
from podwire.cli.world import World
from podwire.collect.node_root import node_name
from podwire.model.addresses import PciAddress
from podwire.model.errors import PodwireError
from podwire.node.apply import Acting, Ask, apply, decide
from podwire.node.execute import Hands
from podwire.node.observe import Senses
from podwire.node.reading import kept_in
from podwire.plan import guid_map
from podwire.plan.giving import Books
from podwire.plan.guids import GuidError, GuidFile
from podwire.plan.journal import JournalError
from podwire.plan.outcome import Outcome
from podwire.plan.step import Plan
from podwire.plan.wish import WishError, entry_of
from podwire.ports.hostfs import HostFs, ReadFault
from podwire.ports.writing import LockHeld, WriteFault
from podwire.present import ascii_json
from podwire.present.node_plan import outcome_text, outcome_tree, plan_text, plan_tree
from podwire.spec.wiring import FabricWish

_MAP_HINT = (
    "put a copy of it back; without it derived GUIDs come out the same, and those of a pool are "
    "given anew"
)


def run(options: argparse.Namespace, *, world: World) -> int:
    """Plan, apply or verify."""
    with kind_errors(options):
        return _apply(options) if options.what == "apply" else _plan(options, world)


@contextmanager
def kind_errors(options: argparse.Namespace) -> Iterator[None]:
    """Turn what the spec, the map and journals may be wrong about into errors with a hint."""
    try:
        yield
    except WishError as error:
        raise PodwireError(f"{options.spec}: {error}", hint=error.hint) from error
    except GuidError as error:
        raise PodwireError(str(error)) from error
    except guid_map.MapError as error:
        raise PodwireError(str(error), hint=_MAP_HINT) from error
    except ReadFault as fault:
        raise PodwireError(f"/{fault}", hint="what it keeps has to be known first") from fault
    except JournalError as error:
        raise PodwireError(
            str(error), hint="use the podwire that wrote it, or remove the file"
        ) from error


def _plan(options: argparse.Namespace, world: World) -> int:
    root = root_at(options.root)
    is_here = is_this_machine(options.root)
    if options.firmware:
        refuse_copy(options.root, "--firmware")
    senses, processes = Senses(files=root), None
    if is_here:
        from podwire.adapters.rtnetlink import Rtnetlink
        from podwire.adapters.this_machine import KernelRing, ProcFs

        firmware = _firmware(options)
        senses = Senses(files=root, links=Rtnetlink(), log=KernelRing(), firmware=firmware)
        processes = ProcFs()
    ask = ask_of(options, root, is_forced=getattr(options, "force", False))
    planned, _ = decide(ask, senses, processes=processes)
    if options.what == "verify":
        return _verify(options, planned, root, world)
    if options.format == "json":
        write_out(ascii_json.document(plan_tree(planned)))
    else:
        write_out(plan_text(planned))
    is_reachable = not planned.gate and not any(pf.refusals for pf in planned.pfs)
    return 0 if is_reachable else BROKEN


def _verify(options: argparse.Namespace, planned: Plan, root: HostFs, world: World) -> int:
    """Show what differs from the spec, and what rules say of the machine beside it."""
    from podwire.cli.node_findings import node_findings

    found = node_findings(spec=options.spec, spec_files=spec_at(options.spec), root=root)
    if options.format == "json":
        write_out(ascii_json.document(plan_tree(planned) | {"report": found.tree()}))
    else:
        write_out("\n".join(filter(None, (plan_text(planned), found.text(world=world)))))
    return 0 if planned.is_converged and not found.is_broken else BROKEN


def _firmware(options: argparse.Namespace) -> Callable[[Iterable[PciAddress]], str] | None:
    from podwire.adapters.mstconfig import query_firmware

    return query_firmware if options.firmware else None


def _apply(options: argparse.Namespace) -> int:
    if os.geteuid() != 0:
        raise PodwireError(
            "VFs are made by root, and this is not root", hint="podwire node plan needs no right"
        )
    return apply_at("/", options)


def apply_at(place: str, options: argparse.Namespace) -> int:
    """Apply to the machine whose root is at `place`: `/`, or a tree that a test laid out."""
    root = root_at(place)
    ask = ask_of(options, root, is_forced=options.force)
    try:
        with Progress(sys.stderr) as progress, _signals() as stop:
            acting = _acting(root, place, stop=stop, progress=progress)
            senses = msgspec.structs.replace(acting.senses, firmware=_firmware(options))
            outcome = apply(ask, msgspec.structs.replace(acting, senses=senses))
    except LockHeld as error:
        raise PodwireError(
            str(error), hint="wait for it; the next run finds what is left"
        ) from error
    except (WriteFault, OSError) as error:
        raise PodwireError(f"podwire's own files cannot be written: {error}") from error
    _show(outcome, has_json=options.format == "json")
    return 0 if outcome.is_done else BROKEN


@contextmanager
def _signals() -> Iterator[threading.Event]:
    """Let SIGINT and SIGTERM end a run after the write that is being done."""
    stop = threading.Event()
    numbers = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(number, lambda *_: stop.set()) for number in numbers]
    try:
        yield stop
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)


def _acting(root: HostFs, place: str, *, stop: threading.Event, progress: Progress) -> Acting:
    from podwire.adapters.flocks import FileLocks
    from podwire.adapters.rootwriter import RootWriter
    from podwire.adapters.rtnetlink import Rtnetlink
    from podwire.adapters.this_machine import KernelRing, ProcFs, SystemClock, Udevadm

    links = Rtnetlink()
    return Acting(
        senses=Senses(files=root, links=links, log=KernelRing()),
        hands=Hands(
            files=root,
            writer=RootWriter(place),
            links=links,
            udev=Udevadm(),
            clock=SystemClock(),
            is_stopped=stop.is_set,
            told=progress.stage,
        ),
        processes=ProcFs(),
        locks=FileLocks(place, note="podwire node apply", is_stopped=stop.is_set),
        shown=lambda planned: say(plan_text(planned).rstrip("\n").split("\n")),
    )


def _show(outcome: Outcome, *, has_json: bool) -> None:
    if has_json:
        write_out(ascii_json.document(outcome_tree(outcome)))
    else:
        write_out(outcome_text(outcome))


def ask_of(options: argparse.Namespace, root: HostFs, *, is_forced: bool = False) -> Ask:
    """Read everything that decides, before anything is observed."""
    name = options.node or node_name(root)
    if not name:
        raise PodwireError("this machine has no host name", hint="--node NAME")
    fabric = entry_of(wiring_of(options.spec), name=name, labels=labels_of(options.label)).fabric
    return Ask(
        name=name,
        fabric=fabric,
        books=_books(options, root, fabric),
        is_forced=is_forced,
        only=frozenset(_addresses(getattr(options, "pf", ()))),
        patience_s=getattr(options, "wait", 0),
    )


def _addresses(written: Iterable[str]) -> Iterator[PciAddress]:
    for text in written:
        try:
            yield PciAddress.parse(text)
        except ValueError as error:
            raise PodwireError(f"--pf: {error}", hint="lspci -D shows them") from error


def _books(options: argparse.Namespace, root: HostFs, fabric: FabricWish) -> Books:
    own = kept_in(root, guid_map.PATH)
    file = "" if fabric.guids == "derived" else fabric.guids.file
    path = str(Path(options.spec).parent / file)
    return Books(
        own=None if own is None else guid_map.parse(own, name=f"/{guid_map.PATH}"),
        others=tuple(
            (other, guid_map.parse(read_file(other), name=other)) for other in options.other_map
        ),
        file=GuidFile.parse(read_file(path), name=path) if file else None,
    )
