"""`podwire explain RULE`: what you see, why, how to mend it."""

import argparse

from podwire.cli.choice import find
from podwire.cli.streams import write_out
from podwire.cli.world import World
from podwire.present.explain import explained, listing


def run(options: argparse.Namespace, *, world: World) -> int:
    """Print the rule's page; without a rule, what there is."""
    catalogue = world.catalogue()
    text = explained(find(catalogue, name=options.rule)) if options.rule else listing(catalogue)
    write_out(text)
    return 0
