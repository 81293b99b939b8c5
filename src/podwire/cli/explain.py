"""`podwire explain RULE`: what you see, why, how to mend it."""

import argparse
import sys

from podwire.cli.choice import find
from podwire.cli.world import World
from podwire.present.explain import explained


def run(options: argparse.Namespace, *, world: World) -> int:
    """Print the rule's page."""
    rule = find(world.catalogue(), name=options.rule)
    sys.stdout.write(explained(rule))
    return 0
