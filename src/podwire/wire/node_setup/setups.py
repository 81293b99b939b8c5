"""The units of a node that make VFs or set their GUIDs, followed through their scripts."""

import re
from collections.abc import Iterator, Mapping
from functools import cached_property

from podwire.facts.node import NodeFiles
from podwire.model.evidence import Answer, Known, Unknown
from podwire.model.names import Ref
from podwire.peers.shell.records import Started
from podwire.peers.shell.tree import NoGrammarError
from podwire.peers.systemd_unit.commands import commands_of, environment_of, refusal_of
from podwire.peers.systemd_unit.durations import limit_s
from podwire.peers.systemd_unit.reading import read_unit
from podwire.peers.systemd_unit.records import Line, Unit
from podwire.wire.node_setup.config_folders import Folders
from podwire.wire.node_setup.items import Item, What, items_of
from podwire.wire.node_setup.order import KUBELETS, Order, following
from podwire.wire.node_setup.scripts import Followed, follow

FOLDER = "systemd/system"
_ABOUT_VFS = re.compile(
    r"sriov_numvfs|/sriov/|node_guid|port_guid|sriov_drivers_autoprobe|^[ \t]*Exec\w+=\S*?sriov",
    re.IGNORECASE | re.MULTILINE,
)
# Units that may do a step of another unit's: a bind, a link policy.
_BESIDE = re.compile(r"/(?:un)?bind\b|drivers_probe|sriov|\bvf\b", re.IGNORECASE)
# Programs of others that make VFs by themselves: nothing of theirs stands in a unit.
_OWNERS = ("sriov-network-config-daemon",)  # sriov-network-operator
_PATHS = re.compile(r"/(?:usr|opt|etc|root|home|srv|var)/[\w./@-]+")
_MAKES = {What.COUNT, What.GUID}
_GRAMMAR = Unknown(
    reason="tree-sitter and tree-sitter-bash are not installed: scripts of units were not read",
    give="pip install tree-sitter tree-sitter-bash",
    fact="what scripts of units do",
)


class Setup:
    """One unit that is about VFs, on one node."""

    def __init__(self, unit: Unit, *, files: NodeFiles, order: Order) -> None:
        self.unit = unit
        self.node = files.name
        self.order = order
        self.files = files

    @property
    def ref(self) -> Ref:
        """What findings call it."""
        return Ref(kind="Unit", name=f"{self.node}/{self.unit.name}")

    @property
    def name(self) -> str:
        """The unit's name."""
        return self.unit.name

    @cached_property
    def followed(self) -> Answer[tuple[Followed, ...]]:
        """What its commands do; Unknown where no grammar is there to read them."""
        environment = environment_of(self.unit)
        try:
            found = tuple(
                follow(command, environment=environment, scripts=self.files.files)
                for command in commands_of(self.unit)
            )
        except NoGrammarError:
            return _GRAMMAR
        return Known(value=found)

    @property
    def commands(self) -> tuple[Followed, ...]:
        """What its commands do, where a grammar is there to read them.

        Raises:
            Missing: there is none.
        """
        return self.followed.need().value

    @property
    def refusal(self) -> str | None:
        """Why systemd starts nothing of the unit, in its words."""
        return refusal_of(self.unit, [each.command for each in self.commands])

    @cached_property
    def items(self) -> tuple[Item, ...]:
        """What it was written to do to VFs, as if systemd left its variables alone."""
        done = (done for each in self.commands for done in each.meant)
        return tuple(items_of(done))

    def of(self, *what: What) -> tuple[Item, ...]:
        """Give its items of some kinds."""
        return tuple(item for item in self.items if item.what in what)

    @property
    def counts(self) -> tuple[Item, ...]:
        """Numbers of VFs that it writes, 0 too."""
        return self.of(What.COUNT)

    @property
    def guids(self) -> tuple[Item, ...]:
        """GUIDs that it sets."""
        return self.of(What.GUID)

    @property
    def policies(self) -> tuple[Item, ...]:
        """Link policies that it sets."""
        return self.of(What.POLICY)

    @property
    def limit(self) -> tuple[Line, float] | None:
        """The time after which systemd kills it, in seconds, and the line that says so."""
        line = self.unit.single("Service", "TimeoutSec", "TimeoutStartSec")
        seconds = None if line is None else limit_s(line.value)
        return None if line is None or seconds is None else (line, seconds)

    @property
    def is_about_vfs(self) -> Answer[bool]:
        """Whether it makes VFs, or sets their GUIDs; a program that nobody followed may."""
        if isinstance(self.followed, Unknown):
            return self.followed
        if any(_makes(item) for item in self.items) or self._is_broken:
            return Known(value=True)
        if unseen := self.of(What.OTHER):
            return self.unfollowed(unseen[0])
        return Known(value=False)

    @property
    def _is_broken(self) -> bool:
        """Whether a line about VFs has no words, for a quote in it has no end."""
        return any(
            each.command.fault is not None
            and not each.command.fault.piece
            and _ABOUT_VFS.search(each.command.line.value) is not None
            for each in self.commands
        )

    def unfollowed(self, item: Item) -> Unknown:
        """Say that a program or construct may do what is asked about."""
        act = item.done.act
        words = act.argv if isinstance(act, Started) else ()
        is_here = any(word.lstrip("/") in self.files.files for word in words)
        return Unknown(
            reason=f"what {item.value} does, which {self.name} on {self.node} starts"
            + (": it is no shell script" if is_here else ""),
            give=f"the script at its place below nodes/{self.node}/ in a bundle"
            if words and not is_here
            else "",
            fact="what a unit's programs do",
        )


def _makes(item: Item) -> bool:
    return item.what in _MAKES and not (item.what is What.COUNT and item.value == "0")


class NodeSetup:
    """The .link files and units of one node."""

    def __init__(self, files: NodeFiles) -> None:
        self.files = files
        self.folders = Folders(files)

    @cached_property
    def order(self) -> Order:
        """All units that were read, and kubelet's drop-ins where only those were."""
        units = {
            config.name: read_unit(config.name, config.texts)
            for config in self.folders.configs(FOLDER, ".service", ".target")
        }
        for name in KUBELETS:
            texts = self.folders.drop_ins(FOLDER, name)
            if name not in units and texts:
                units[name] = read_unit(name, texts)
        requires = {f"{k}.requires": self.folders.names(f"{FOLDER}/{k}.requires") for k in KUBELETS}
        return Order(
            units=units,
            following=following(units),
            requires=requires,
            is_listed=self.folders.is_listed(FOLDER),
        )

    def about_vfs(self) -> Iterator[Unit]:
        """Give units with a word about VFs in them, or in a script that they start."""
        for unit in self._naming(_ABOUT_VFS):
            starts = unit.listed("Service", "ExecStart")
            if not any(owner in line.value for line in starts for owner in _OWNERS):
                yield unit

    @cached_property
    def doers(self) -> Mapping[What, frozenset[str]]:
        """Names of the units that may do a step of another's, by what they do."""
        found: dict[What, set[str]] = {}
        for unit in self._naming(_BESIDE):
            for item in Setup(unit, files=self.files, order=self.order).items:
                found.setdefault(item.what, set()).add(unit.name)
        return {what: frozenset(names) for what, names in found.items()}

    def _naming(self, pattern: re.Pattern[str]) -> Iterator[Unit]:
        for config in self.folders.configs(FOLDER, ".service"):
            if any(pattern.search(text) for text in self._texts(config.texts)):
                yield self.order.units[config.name]

    def _texts(self, texts: tuple[tuple[object, str], ...]) -> Iterator[str]:
        for _, text in texts:
            yield text
            for path in _PATHS.findall(text):
                if (file := self.files.files.get(path.lstrip("/"))) is not None:
                    yield file.text
