"""The folder of CNI plugins on the nodes, and the folder of their configurations."""

from collections.abc import Mapping

from podwire.model.evidence import Document, Known, Origin, Place
from podwire.wire.picture import Picture

FOLDER = "opt/cni/bin"
CONFIGS = "etc/cni/net.d"

# One of these shows that the folder is in use, and not an empty one beside another.
_ALWAYS_THERE = frozenset({"loopback", "multus", "multus-shim"})


def plugin_folders(picture: Picture) -> Mapping[str, tuple[str, ...]]:
    """Give the names in the folder of each node where it was listed and is in use."""
    return {
        name: files.listings[FOLDER]
        for name, files in picture.facts.node_files.items()
        if not _ALWAYS_THERE.isdisjoint(files.listings.get(FOLDER, ()))
    }


def first_config(node: str, picture: Picture) -> str | None:
    """Name the configuration that containerd takes: the first in order; None: not listed.

    Source: containerd/go-cni v1.1.12 opts.go loadFromConfDir.
    """
    files = picture.files(node)
    names = files.listings.get(CONFIGS, ()) if files else ()
    return min((n for n in names if n.endswith((".conf", ".conflist", ".json"))), default=None)


def folder_place(node: str, picture: Picture, *, folder: str = FOLDER) -> Place:
    """Name the listing of a folder."""
    files = picture.files(node)
    listing = f"{folder}/LISTING.txt"
    found = files.file(listing) if files else None
    if isinstance(found, Known):
        return found.places[0]
    name = f"nodes/{node}/{listing}"
    return Place(document=Document(name=name, origin=Origin.NODE, owner=node))
