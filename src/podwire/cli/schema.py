"""`podwire schema`: the JSON schemas of what podwire writes and reads."""

import argparse

from podwire.cli.streams import write_out
from podwire.cli.world import World
from podwire.present import ascii_json
from podwire.present.report_schema import report_schema, spec_schema


def run(options: argparse.Namespace, *, world: World) -> int:
    """Print one."""
    del world  # A schema depends on nothing outside.
    schema = report_schema() if options.what == "report" else spec_schema()
    write_out(ascii_json.document(schema))
    return 0
