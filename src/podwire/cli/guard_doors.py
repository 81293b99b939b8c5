"""`podwire guard doors`: of every GPU who owns, offers and holds it, and who else can reach it."""

import argparse
import sys

from podwire.cli.progress import Progress
from podwire.cli.reading import read
from podwire.cli.statuses import BROKEN
from podwire.cli.streams import write_out
from podwire.cli.world import World
from podwire.model.errors import PodwireError
from podwire.wire.doors.doors import Doors
from podwire.wire.picture import Picture


def run(options: argparse.Namespace, *, world: World) -> int:
    """Answer; the status is 1 where a GPU that is kept for the host can be reached."""
    from podwire.present.doors_table import doors_csv, doors_json, doors_text
    from podwire.wire.doors.rows import node_of

    del world  # What there is to see is in the files; rules are `check`'s.
    with Progress(sys.stderr) as progress:
        doors = doors_of(Picture(read(options, progress=progress).facts))
        names = _names(doors, options.node)
        progress.stage("judging")
        nodes = [node_of(doors, name) for name in names]
    write = {"table": doors_text, "json": doors_json, "csv": doors_csv}[options.format]
    write_out(write(nodes))
    return BROKEN if any(gpu.is_at_risk for node in nodes for gpu in node.gpus) else 0


def doors_of(picture: Picture) -> Doors:
    """Give the doors of a picture.

    Raises:
        PodwireError: nothing in it is about GPUs.
    """
    if picture.doors is None:
        raise PodwireError(
            "nothing in what was given is about GPUs",
            hint="a bundle with nodes/NODE/nvidia-smi-L.txt and toolkit/config.toml has what it "
            "needs",
        )
    return picture.doors


def _names(doors: Doors, only: str | None) -> tuple[str, ...]:
    """Name the nodes with GPUs, or the one that was asked for."""
    if only is not None:
        every = tuple(dict.fromkeys((*doors.gpus.plugins.node_names, *doors.reserved)))
        if only not in every:
            hint = f"there are {', '.join(every[:5])}" if every else "no node is in sight"
            raise PodwireError(f"node {only} is not in what was given", hint=hint)
        return (only,)
    return doors.names
