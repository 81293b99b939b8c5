"""`podwire node install`: units, udev rules, .link files and the spec, at their places."""

import argparse
import os
import sys
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from podwire.artefacts.systemd_unit import UNIT, UnitOptions
from podwire.cli.node import ask_of, kind_errors
from podwire.cli.spec_file import is_this_machine, labels_of, root_at, text_at, wiring_of
from podwire.cli.streams import write_out
from podwire.cli.world import World
from podwire.collect.node_root import node_name
from podwire.model.errors import PodwireError
from podwire.node.apply import decide
from podwire.node.install import Installation, carry_out, guid_file, installation, removal
from podwire.node.observe import Senses, observe
from podwire.plan.wish import WishError, entry_of, wish_of
from podwire.ports.hostfs import HostFs
from podwire.ports.writing import WriteFault
from podwire.present.lines import plain, wrapped

_PACKAGED = "/usr/bin/podwire"


def run(options: argparse.Namespace, *, world: World) -> int:  # noqa: ARG001 - every command's form
    """Show or make the change; units are switched on, and started by the next boot."""
    files = root_at(options.root)
    change = removal(files) if options.uninstall else _wanted(options, files)
    doubts = () if options.uninstall else tuple(_doubts(options, files))
    if options.dry_run:
        write_out("\n".join((*_shown(change), *doubts)) + "\n")
        return 0
    if os.geteuid() != 0:
        raise PodwireError("these files are root's, and this is not root", hint="--dry-run")
    _carry_out(change, options)
    write_out("\n".join((*_told(change, options), *doubts)) + "\n")
    return 0


def _doubts(options: argparse.Namespace, files: HostFs) -> Iterator[str]:
    """Say what would keep the units from their work now, and kubelet from its start."""
    with kind_errors(options):
        planned, _ = decide(ask_of(options, files), Senses(files=files), processes=None)
    found = [repair.text for repair in planned.gate]
    found += [f"{pf.name}: {text}" for pf in planned.pfs for text in pf.refusals]
    yield from (line for text in found for line in wrapped(text, first="as it is now: "))
    if found and not options.no_kubelet:
        yield from wrapped(
            "while that is so the unit fails and kubelet does not start; --no-kubelet lets it start"
        )


def _wanted(options: argparse.Namespace, files: HostFs) -> Installation:
    if not options.spec:
        raise PodwireError("--spec FILE is needed", hint="podwire schema spec says what it holds")
    name = options.node or node_name(files)
    if not name:
        raise PodwireError("this machine has no host name", hint="--node NAME")
    try:
        entry = entry_of(wiring_of(options.spec), name=name, labels=labels_of(options.label))
        machine = observe(Senses(files=files), name=name).machine
        wish, missing = wish_of(entry.fabric, machine)
    except WishError as error:
        raise PodwireError(f"{options.spec}: {error}", hint=error.hint) from error
    if missing:
        raise PodwireError(missing[0].text, hint=missing[0].fix)
    return installation(
        machine,
        wish,
        files=files,
        units=_units(options),
        spec=text_at(options.spec),
        guids=_guids(options.spec, guid_file(entry.fabric)),
    )


def _units(options: argparse.Namespace) -> UnitOptions:
    """Have the units look for the same entry of the spec."""
    program = options.program or _own_program(options.root)
    if not PurePosixPath(program).is_absolute() or not program.isprintable():
        raise PodwireError(f"--program {program}: systemd takes a path from / on", hint=_PACKAGED)
    asked = ["--node", options.node] if options.node else []
    for label in options.label:
        asked += ["--label", label]
    return UnitOptions(holds_kubelet=not options.no_kubelet, program=program, asked=tuple(asked))


def _own_program(root: str) -> str:
    """Name what the units run: the package's program, else the one that runs now.

    Raises:
        PodwireError: this machine has neither, and kubelet would wait for a unit that fails.
    """
    if not is_this_machine(root) or os.access(_PACKAGED, os.X_OK):
        return _PACKAGED
    running = os.path.abspath(sys.argv[0])  # noqa: PTH100 - a link to it stays one
    if os.access(running, os.X_OK):
        return running
    raise PodwireError(
        f"the units run {_PACKAGED}, and it is not there", hint="--program PATH names another"
    )


def _guids(spec: str, name: str) -> str:
    """Read the file of GUIDs that the spec names, relative to itself."""
    if not name:
        return ""
    return text_at(str(Path(spec).parent / name))


def _carry_out(change: Installation, options: argparse.Namespace) -> None:
    from podwire.adapters import systemctl
    from podwire.adapters.rootwriter import RootWriter

    is_here = is_this_machine(options.root) and not options.no_enable
    if options.uninstall and is_here and UNIT in change.remove:
        systemctl.disable(PurePosixPath(UNIT).name)
    try:
        carry_out(change, RootWriter(options.root))
    except WriteFault as error:
        raise PodwireError(f"/{error.target} cannot be written: {error.code}") from error
    if is_here:
        systemctl.reload()
        if not options.uninstall:
            systemctl.enable(PurePosixPath(UNIT).name)


def _shown(change: Installation) -> Iterator[str]:
    if change.is_done:
        yield "nothing to do"
    for file in change.write:
        yield f"write /{file.path}"
        yield from (f"    {plain(line)}".rstrip() for line in file.text.splitlines())
    yield from (f"remove /{path}" for path in change.remove)


def _told(change: Installation, options: argparse.Namespace) -> Iterator[str]:
    if change.is_done:
        yield "nothing to do"
    yield from (f"wrote /{file.path}" for file in change.write)
    yield from (f"removed /{path}" for path in change.remove)
    if options.uninstall:
        yield "VFs stay as they are; /etc/podwire and /var/lib/podwire stay too"
    elif options.no_enable or not is_this_machine(options.root):
        yield f"systemctl enable {PurePosixPath(UNIT).name} there, and the next boot makes the VFs"
    else:
        yield "the next boot makes the VFs; podwire node apply --spec ... makes them now"
