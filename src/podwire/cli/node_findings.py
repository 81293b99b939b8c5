"""What the rules about VFs and set-up say of this machine: for `podwire node verify`."""

import json
import sys

from podwire.cli.terminal import has_colour
from podwire.cli.world import World
from podwire.collect.collecting import collect
from podwire.collect.given import Input
from podwire.collect.sources import FileSources
from podwire.engine.report import Report
from podwire.engine.run import run
from podwire.findings.model import Severity
from podwire.ports.hostfs import HostFs
from podwire.present.json_report import json_report
from podwire.present.places import Places
from podwire.present.text import Look, text_report
from podwire.rules import node, vf
from podwire.wire.picture import Picture


class NodeFindings:
    """The report, and what it comes to."""

    def __init__(self, report: Report, inputs: tuple[Input, ...]) -> None:
        self.report = report
        self._places = Places(FileSources(inputs))

    @property
    def is_broken(self) -> bool:
        """Something that was asked for does not happen."""
        return any(judged.finding.severity is Severity.ERROR for judged in self.report.findings)

    def text(self, *, world: World) -> str:
        """Write them as `check` does; nothing where nothing was found."""
        if not self.report.findings:
            return ""
        look = Look(
            has_colour=has_colour("auto", stream=sys.stdout, environ=world.environ),
            is_verbose=False,
            now=world.now().isoformat(),
        )
        return text_report(self.report, places=self._places, look=look)

    def tree(self) -> object:
        """Give the report as `check -o json` writes it."""
        return json.loads(json_report(self.report, places=self._places))


def node_findings(*, spec: str, spec_files: HostFs, root: HostFs) -> NodeFindings:
    """Judge a machine beside its spec."""
    inputs = (
        Input(typed=spec, files=spec_files),
        Input(typed="this machine", files=root, is_node_root=True),
    )
    picture = Picture(collect(inputs))
    return NodeFindings(run((*vf.RULES, *node.RULES), picture=picture), inputs)
