"""`podwire node install`: the files that make VFs at every boot, put in place or taken away.

What is written is decided first and can be shown; a file that podwire did not write stays.
"""

from collections.abc import Iterable, Iterator, Mapping

import msgspec

from podwire.artefacts.link_file import BY_PATH, FOLDER, by_path, literal
from podwire.artefacts.systemd_unit import (
    RULES,
    TEMPLATE,
    UNIT,
    UnitOptions,
    at_boot,
    for_one_pf,
    udev_rules,
)
from podwire.artefacts.text_file import COPIED, MARK, TextFile, is_ours
from podwire.model.addresses import PciAddress
from podwire.model.errors import PodwireError
from podwire.node.reading import names_in, text_of
from podwire.node.vf_addresses import vf_addresses
from podwire.plan.machine import Machine
from podwire.plan.wish import Wish
from podwire.ports.hostfs import HostFs
from podwire.ports.writing import HostWriter
from podwire.spec.wiring import FabricWish, GuidWish, NameWish

_MARKED = (".service", ".rules", ".link", ".yaml", ".yml")  # JSON has no room for a mark
_LITERAL = f"{BY_PATH.removesuffix('vfs.link')}"


class Installation(msgspec.Struct, frozen=True):
    """Files to write, and files of an earlier installation to remove."""

    write: tuple[TextFile, ...] = ()
    remove: tuple[str, ...] = ()

    @property
    def is_done(self) -> bool:
        """Everything is in place already."""
        return not self.write and not self.remove


def installation(
    machine: Machine,
    wish: Wish,
    *,
    files: HostFs,
    units: UnitOptions,
    spec: str,
    guids: str = "",
) -> Installation:
    """Say what has to change on disk.

    Args:
        machine: what is there.
        wish: what the spec wants of its PFs.
        files: the machine's root.
        units: how the units run.
        spec: the text of the spec, which is put where the units look for it.
        guids: the text of the file of GUIDs that it names.

    Raises:
        PodwireError: a file of somebody else is in the way, or a name cannot be given; or the
            file of GUIDs would come to lie outside of the spec's folder.
    """
    wanted = (
        at_boot(units),
        for_one_pf(units),
        udev_rules(wish.pfs),
        *_links(machine, wish, files),
        *_copies(units.spec, spec, wish, guids, files=files),
    )
    stale = {*_ours(files)} - {file.path for file in wanted}
    new = tuple(file for file in wanted if text_of(files, file.path) != file.text)
    for file in new:
        _refuse_foreign(file.path, files)
    return Installation(write=new, remove=tuple(sorted(stale)))


def removal(files: HostFs) -> Installation:
    """Say which files podwire wrote; the spec and the GUID map stay."""
    return Installation(remove=tuple(sorted(_ours(files))))


def carry_out(change: Installation, writer: HostWriter) -> None:
    """Write and remove.

    Raises:
        WriteFault: a file cannot be written.
    """
    for file in change.write:
        writer.replace(file.path, file.text.encode())
    for path in change.remove:
        writer.remove(path)


def _links(machine: Machine, wish: Wish, files: HostFs) -> tuple[TextFile, ...]:
    if isinstance(wish.fabric.names, NameWish):
        names = _named(wish.fabric.names)
        _refuse_taken(names, machine)
        return literal(names)
    found = tuple(_vfs(machine, wish, files))
    return (by_path(found),) if found else ()


def _named(names: NameWish) -> dict[PciAddress, str]:
    try:
        return {PciAddress.parse(address): name for address, name in names.literal.items()}
    except ValueError as error:
        raise PodwireError(f"fabric.names.literal: {error}", hint="lspci -D shows them") from error


def _refuse_taken(names: Mapping[PciAddress, str], machine: Machine) -> None:
    """A PF has its name before its VFs are there; udev would leave the VF with another."""
    taken = {pf.netdev: pf for pf in machine.pfs if pf.netdev}
    for vf, name in sorted(names.items()):
        if name in taken:
            raise PodwireError(
                f"fabric.names: {name} for {vf} is the name of PF {taken[name].name}"
            )


def _vfs(machine: Machine, wish: Wish, files: HostFs) -> Iterator[PciAddress]:
    for address in wish.pfs:
        pf = machine.pf(address)
        if pf is not None:
            yield from vf_addresses(pf, wish.count or pf.count, files)


def _ours(files: HostFs) -> Iterable[str]:
    """List the files of an earlier installation."""
    links = (f"{FOLDER}/{name}" for name in names_in(files, FOLDER))
    every = (UNIT, TEMPLATE, RULES, *(path for path in links if path.startswith(_LITERAL)))
    return [path for path in every if (text_of(files, path) or "").startswith(MARK)]


def _copies(path: str, spec: str, wish: Wish, guids: str, *, files: HostFs) -> Iterator[TextFile]:
    """Put the spec where the units look for it, and beside it the file of GUIDs it names."""
    place = path.lstrip("/")
    if text_of(files, place) != spec:  # else it is the very file that was given
        yield TextFile(path=place, text=_marked(spec))
    named = guid_file(wish.fabric)
    if ".." in named.split("/"):
        raise PodwireError(
            f"guids.file {named} lies outside of the spec's folder, and would be copied outside of "
            f"{path.rpartition('/')[0]}",
            hint="put it beside the spec, or write its path from / on",
        )
    if named and not named.startswith("/"):
        yield TextFile(path=f"{place.rpartition('/')[0]}/{named}", text=guids)


def guid_file(fabric: FabricWish) -> str:
    """Name the file that GUIDs come from; empty: they come from elsewhere."""
    return fabric.guids.file if isinstance(fabric.guids, GuidWish) else ""


def _marked(spec: str) -> str:
    return spec if is_ours(spec) else COPIED + spec


def _refuse_foreign(path: str, files: HostFs) -> None:
    text = text_of(files, path)
    if text is None and files.exists(path):  # a folder, or /dev/null: systemctl mask
        raise PodwireError(f"/{path} is there, and is no file", hint="move it away, or unmask it")
    if text is not None and path.endswith(_MARKED) and not is_ours(text):
        raise PodwireError(
            f"/{path} is there, and podwire did not write it", hint="move it away, or remove it"
        )
