"""The bundle: which of its files holds what. Pure: paths in, slots out."""

import enum
import re
from collections.abc import Collection

import msgspec

FOLDERS = frozenset({"manifests", "cluster", "nodes", "spec", "helm", "logs", "pods"})
# One of these is proof; the others also occur beside manifests that are no bundle.
_PROOF = frozenset({"cluster", "nodes"})
ABOUT = "bundle.json"
MANIFESTS = (".yaml", ".yml", ".json")
_DATED = re.compile(r"(?P<stem>.+)\.\d{4}-?\d{2}-?\d{2}[^./]*\.(?P<suffix>[^./]+)")


class Area(enum.Enum):
    """Where in the bundle a file lies, by what is done with it."""

    MANIFEST = "manifests"
    CLUSTER = "cluster"
    SPEC = "spec"
    NODE = "nodes"
    POD = "pods"
    HELM = "helm"
    LOG = "logs"
    ABOUT = "bundle.json"
    UNKNOWN = ""


class Slot(msgspec.Struct, frozen=True, gc=False):
    """A file of a bundle: its area, whose it is, and its name there.

    `owner` is the node, or `namespace/pod`.
    """

    area: Area
    name: str
    owner: str = ""


def is_bundle(names: Collection[str]) -> bool:
    """Recognise a bundle by the names at its top.

    Manifests that lie about beside `helm/` or `logs/` are a folder of manifests.
    """
    if ABOUT in names or _PROOF.intersection(names):
        return True
    loose = any(name.endswith(MANIFESTS) for name in names)
    return bool(FOLDERS.intersection(names)) and not loose


def slot_of(path: str) -> Slot:
    """Say what a path relative to the bundle's top is."""
    if path == ABOUT:
        return Slot(area=Area.ABOUT, name=path)
    top, _, rest = path.partition("/")
    if top not in FOLDERS or not rest:
        return Slot(area=Area.UNKNOWN, name=path)
    area = Area(top)
    if area in {Area.NODE, Area.POD}:
        return _owned(area, path, rest)
    if area in {Area.MANIFEST, Area.SPEC} and not rest.endswith(MANIFESTS):
        return Slot(area=Area.UNKNOWN, name=path)
    if area is Area.CLUSTER and ("/" in rest or not rest.endswith(MANIFESTS)):
        return Slot(area=Area.UNKNOWN, name=path)
    return Slot(area=area, name=rest)


def _owned(area: Area, path: str, rest: str) -> Slot:
    owner, _, name = rest.partition("/")
    if area is Area.POD:
        namespace, dot, pod = owner.partition(".")  # A namespace has no dots; a pod may.
        owner = f"{namespace}/{pod}" if dot and pod else ""
    if not owner or not name:
        return Slot(area=Area.UNKNOWN, name=path)
    return Slot(area=area, name=name, owner=owner)


def is_older(name: str) -> bool:
    """Tell `<name>.<date>.<extension>`: the same thing on an earlier day."""
    return _DATED.fullmatch(name.rpartition("/")[2]) is not None


def stem_of(name: str) -> str:
    """Give a file's name without folders and without its extension."""
    return name.rpartition("/")[2].rpartition(".")[0]
