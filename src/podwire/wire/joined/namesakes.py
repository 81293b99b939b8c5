"""Which networks one that does not exist may mean."""

import difflib

from podwire.facts.inventory import Objects
from podwire.facts.objects import Network
from podwire.model.names import Ref


def namesakes_of(wanted: Ref, *, networks: Objects[Network]) -> tuple[Ref, ...]:
    """Give the networks of its name in other namespaces, else the nearest name in its own."""
    same = sorted(nad.ref for nad in networks.items if nad.metadata.name == wanted.name)
    beside = {n.metadata.name: n.ref for n in networks.by_namespace.get(wanted.namespace, ())}
    close = difflib.get_close_matches(wanted.name, sorted(beside), n=1, cutoff=0.7)
    return tuple(same) or tuple(beside[name] for name in close)
