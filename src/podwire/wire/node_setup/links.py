"""The .link files of nodes, beside the net devices that they are meant for."""

from collections.abc import Iterator, Mapping

import msgspec

from podwire.facts.node import NodeFiles
from podwire.model.evidence import Answer, Known, Unknown, all_of
from podwire.model.names import Ref
from podwire.peers.systemd_link.applying import fits, holds, never_true, sorted_links
from podwire.peers.systemd_link.reading import read_link
from podwire.peers.systemd_link.records import Condition, LinkFile
from podwire.wire.node_setup.config_folders import Folders
from podwire.wire.node_setup.nics import Nic, nics_of

FOLDER = "systemd/network"
_DRIVER = "mlx5"
DEFAULT = "99-default.link"


class NodeLink(msgspec.Struct, frozen=True):
    """One file on one node; `earlier` are the files that udev asks before it."""

    node: str
    link: LinkFile
    nics: Answer[tuple[Nic, ...]]
    earlier: tuple[LinkFile, ...] = ()
    is_packaged: bool = False
    is_default_replaced: bool = False  # 99-default.link is masked, or the node has its own

    @property
    def ref(self) -> Ref:
        """What findings call it."""
        return Ref(kind="LinkFile", name=f"{self.node}/{self.link.name}")

    @property
    def is_for_mlx5(self) -> bool:
        """Whether it can only be meant for devices of mlx5."""
        driver = self.link.condition("Driver")
        return driver is not None and all(p.startswith(_DRIVER) for p in driver.patterns)

    def dead(self) -> Mapping[Condition, Answer[bool]]:
        """Give the keys of [Match] that are false of every device they can be about.

        A pattern that nothing ever satisfies is dead everywhere; a driver of mlx5, where the
        node's functions are known.
        """
        found: dict[Condition, Answer[bool]] = {}
        for condition in self.link.conditions:
            if any(never_true(condition)):
                found[condition] = Known(value=True, places=condition.places)
            elif condition.key == "Driver" and self.is_for_mlx5:
                answer = self._fits_none(condition)
                if isinstance(answer, Unknown) or answer.value:
                    found[condition] = answer
        return found

    def _fits_none(self, condition: Condition) -> Answer[bool]:
        if isinstance(self.nics, Unknown):
            return self.nics
        if not self.nics.value:
            return Known(value=False)  # Cards that are not there yet.
        answers = [holds(condition, nic.device()) for nic in self.nics.value]
        return all_of(
            a if isinstance(a, Unknown) else Known(value=not a.value, places=(nic.place,))
            for a, nic in zip(answers, self.nics.value, strict=True)
        )

    def open_property(self) -> Unknown | None:
        """Say which property of [Match] nobody knows of the first VF, or device."""
        condition = self.link.condition("Property")
        if condition is None or isinstance(self.nics, Unknown) or not self.nics.value:
            return None
        nic = next((nic for nic in self.nics.value if nic.is_vf), self.nics.value[0])
        answer = holds(condition, nic.device())
        return answer if isinstance(answer, Unknown) else None

    def fitted(self) -> Iterator[tuple[Nic, Answer[bool]]]:
        """Give the node's functions that were read, each with whether the file fits it."""
        if isinstance(self.nics, Known):
            for nic in self.nics.value:
                yield nic, fits(self.link, nic.device())

    @property
    def is_fixed(self) -> bool:
        """Whether [Match] names one device: an address, or a path without a wildcard."""
        if any(self.link.condition(key) for key in ("MACAddress", "PermanentMACAddress")):
            return True
        path = self.link.condition("Path")
        return path is not None and not any(set(p) & set("*?[!") for p in path.patterns)

    def shadowed_by(self) -> tuple[LinkFile | None, str] | None:
        """Give the file that udev finds before this one for every device, and its name.

        The file is None where it is systemd's own and not in sight.
        """
        for link in self.earlier:
            original = link.condition("OriginalName")
            if original is not None and len(link.conditions) == 1 and "*" in original.patterns:
                return link, link.name
        named = self._certain()
        for link in self.earlier if named else ():
            answers = [fits(link, nic.device()) for nic in named]
            if all(isinstance(a, Known) and a.value for a in answers):
                return link, link.name
        is_late = self.link.name.encode() > DEFAULT.encode() and not self.is_packaged
        return (None, DEFAULT) if is_late and not self.is_default_replaced else None

    def _certain(self) -> list[Nic]:
        """Give the devices that the file is for, where no others can be meant by it.

        A file for any kind of card has devices that nobody listed; without a VF among them
        it may be meant for VFs that are made later.
        """
        if not (self.is_for_mlx5 or self.is_fixed):
            return []
        named = [nic for nic, fit in self.fitted() if isinstance(fit, Known) and fit.value]
        return named if self.is_fixed or any(nic.is_vf for nic in named) else []

    def unclaimed(self) -> Iterator[tuple[Nic, Answer[bool]]]:
        """Give the functions with whether the file fits and no earlier one does."""
        for nic, fit in self.fitted():
            before = [fits(link, nic.device()) for link in self.earlier]
            not_before = all_of(
                a if isinstance(a, Unknown) else Known(value=not a.value) for a in before
            )
            yield nic, all_of((fit, not_before))


def links_of(files: NodeFiles, folders: Folders) -> tuple[NodeLink, ...]:
    """Give the files of a node in the order in which udev asks them."""
    found = folders.configs(FOLDER, ".link")
    read = {each.name: (read_link(each.name, each.texts), each) for each in found}
    nics = nics_of(files)
    every = sorted_links([link for link, _ in read.values()])
    return tuple(
        NodeLink(
            node=files.name,
            link=link,
            nics=nics,
            earlier=every[:index],
            is_packaged=read[link.name][1].is_packaged,
            is_default_replaced=folders.is_replaced(FOLDER, DEFAULT),
        )
        for index, link in enumerate(every)
    )
