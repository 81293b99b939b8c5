"""`podwire node install`: units, udev rules, .link files and the spec, at their places."""

import argparse
import os
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from podwire.artefacts.systemd_unit import UNIT, UnitOptions
from podwire.cli.spec_file import labels_of, read_file, root_at, wiring_of
from podwire.cli.streams import write_out
from podwire.cli.world import World
from podwire.collect.node_root import node_name
from podwire.model.errors import PodwireError
from podwire.node.install import Installation, carry_out, guid_file, installation, removal
from podwire.node.observe import Senses, observe
from podwire.plan.wish import WishError, entry_of, wish_of
from podwire.ports.hostfs import HostFs
from podwire.ports.writing import WriteFault

_ROOT = "/"


def run(options: argparse.Namespace, *, world: World) -> int:  # noqa: ARG001 - every command's form
    """Show or make the change; units are switched on, and started by the next boot."""
    files = root_at(options.root)
    change = removal(files) if options.uninstall else _wanted(options, files)
    if options.dry_run:
        write_out("\n".join(_shown(change)) + "\n")
        return 0
    if os.geteuid() != 0:
        raise PodwireError("these files are root's, and this is not root", hint="--dry-run")
    _carry_out(change, options)
    write_out("\n".join(_told(change, options)) + "\n")
    return 0


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
        units=UnitOptions(holds_kubelet=not options.no_kubelet, program=options.program),
        spec=read_file(options.spec).decode(errors="replace"),
        guids=_guids(options.spec, guid_file(entry.fabric)),
    )


def _guids(spec: str, name: str) -> str:
    """Read the file of GUIDs that the spec names, relative to itself."""
    if not name:
        return ""
    return read_file(str(Path(spec).parent / name)).decode(errors="replace")


def _carry_out(change: Installation, options: argparse.Namespace) -> None:
    from podwire.adapters import systemctl
    from podwire.adapters.rootwriter import RootWriter

    is_here = options.root == _ROOT and not options.no_enable
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
        yield from (f"    {line}".rstrip() for line in file.text.splitlines())
    yield from (f"remove /{path}" for path in change.remove)


def _told(change: Installation, options: argparse.Namespace) -> Iterator[str]:
    if change.is_done:
        yield "nothing to do"
    yield from (f"wrote /{file.path}" for file in change.write)
    yield from (f"removed /{path}" for path in change.remove)
    if options.uninstall:
        yield "VFs stay as they are; /etc/podwire and /var/lib/podwire stay too"
    else:
        yield "the next boot makes the VFs; podwire node apply --spec ... makes them now"
