"""From everything that was given in one call to one picture of facts."""

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from podwire.collect import node_root
from podwire.collect.about import time_of
from podwire.collect.buffer import SMALL
from podwire.collect.gathered import Gathered
from podwire.collect.given import Form, Input, Mount, mounts_of
from podwire.collect.kinds import kind_of_file
from podwire.collect.kustomize import Kustomized, kustomized
from podwire.collect.layout import ABOUT, MANIFESTS, Area, Slot, is_older, stem_of
from podwire.collect.manifests import ManifestReader
from podwire.collect.nodes import Found, Machine, read_machine
from podwire.collect.scope import Listing
from podwire.collect.walk import files_below
from podwire.documents.collector import paused
from podwire.documents.text import decode_text
from podwire.facts.inventory import Inventory
from podwire.facts.node import PodFiles, TextFile
from podwire.model.evidence import Document, Origin, Place
from podwire.model.versions import Version
from podwire.ports.hostfs import ReadFault

_SYS = "sys/"
# Files that say something only on their machine, beside its other files.
_OF_MACHINES = (".service", ".link", ".network", ".rules", ".toml", ".conf")
_ALONE = "it is a file of a machine, and judged with that machine"
_WHOLE = "podwire check --node-root / on it, or nodes/<node>/etc/... in a bundle"
_NO_NAME = "it has no etc/hostname, so nobody knows which node it is"


def collect(
    inputs: Sequence[Input],
    *,
    namespace: str = "default",
    assumed_versions: Mapping[str, Version] | None = None,
    is_everywhere: bool = False,
) -> Inventory:
    """Read all inputs; what is given together is one picture.

    Nothing in them raises: what cannot be read is in `faults`, what is not known in `unread`.

    Args:
        inputs: in the order that the user gave them.
        namespace: of objects that name none.
        assumed_versions: versions of components that the user vouches for.
        is_everywhere: the user vouches that Lists are of all namespaces.
    """
    collection = _Collection(Gathered(namespace=namespace, is_everywhere=is_everywhere))
    with paused():
        for mount in mounts_of(inputs):
            collection.take(mount)
        return collection.finish(assumed_versions or {})


class _Collection:
    """Hands each file to whoever can read it."""

    def __init__(self, gathered: Gathered) -> None:
        self._gathered = gathered
        self._machines: dict[str, Machine] = {}
        self._pods: dict[tuple[str, str], dict[str, TextFile]] = {}

    def take(self, mount: Mount) -> None:
        for trouble in mount.files.troubles():
            document = Document(name=mount.typed)
            self._gathered.refused(trouble, document=document, member=trouble.path)
        if mount.form is Form.NODE_ROOT:
            self._node_root(mount)
        elif mount.form is Form.BUNDLE:
            self._bundle(mount)
        else:
            self._manifests(mount)

    def finish(self, assumed_versions: Mapping[str, Version]) -> Inventory:
        for name, machine in self._machines.items():
            self._gathered.nodes[name] = read_machine(machine, gathered=self._gathered)
        for (namespace, name), files in self._pods.items():
            self._gathered.pods[namespace, name] = PodFiles(
                namespace=namespace, name=name, files=files
            )
        return self._gathered.inventory(dict(assumed_versions))

    # --- one input of each form ---------------------------------------------------------

    def _manifests(self, mount: Mount) -> None:
        reader = ManifestReader(mount.files, gathered=self._gathered)
        if mount.form is Form.FILE:
            document = Document(name=mount.name(""))
            if mount.typed.endswith(_OF_MACHINES):
                self._gathered.fault(
                    f"{mount.typed}: {_ALONE}", place=Place(document=document), cure=_WHOLE
                )
            else:
                reader.read("", document=document, listing=Listing.ALONE)
            return
        for path in self._whole(mount):
            document = Document(name=mount.name(path))
            if path.endswith(MANIFESTS):
                reader.read(path, document=document, listing=Listing.KUBECTL)
            else:
                self._gathered.unread.append(document)

    def _bundle(self, mount: Mount) -> None:
        time = self._time(mount)
        reader = ManifestReader(mount.files, gathered=self._gathered)
        for path in self._whole(mount):
            slot = mount.slot(path)
            document = _document(mount.name(path), slot, time=time)
            if slot.area is Area.NODE:
                self._of_node(mount, path, slot=slot, document=document)
            elif slot.area in {Area.POD, Area.HELM, Area.LOG}:
                self._text(mount, path, slot=slot, document=document)
            elif slot.area is Area.UNKNOWN:
                self._gathered.unread.append(document)
            elif slot.area is not Area.ABOUT and not is_older(path):
                is_cluster = slot.area is Area.CLUSTER
                reader.read(
                    path,
                    document=document,
                    listing=Listing.WHOLE if is_cluster else Listing.NEVER,
                    kind=kind_of_file(stem_of(path)) if is_cluster else None,
                )

    def _node_root(self, mount: Mount) -> None:
        files = mount.files
        name = node_root.node_name(files)
        if name is None:
            place = Place(document=Document(name=mount.typed))
            self._gathered.fault(f"{mount.typed}: {_NO_NAME}", place=place)
            return
        machine = self._machine(name)
        for bundled, path in node_root.found_in(files):
            document = Document(name=mount.name(path), origin=Origin.NODE, owner=name)
            machine.found[bundled] = Found(files=files, path=path, document=document)
        machine.listings.update(node_root.listings(files))
        if files.is_dir("sys"):
            document = Document(name=mount.name("sys"), origin=Origin.NODE, owner=name)
            machine.tree = Found(files=files, path="", document=document)

    # --- one file of a bundle -----------------------------------------------------------

    def _of_node(self, mount: Mount, path: str, *, slot: Slot, document: Document) -> None:
        machine = self._machine(slot.owner)
        if not slot.name.startswith(_SYS):
            machine.found[slot.name] = Found(files=mount.files, path=path, document=document)
            return
        if machine.tree is None or machine.tree.files is not mount.files:
            root = path[: -len(slot.name)].rstrip("/")
            tree = msgspec.structs.replace(document, name=mount.name(f"{root}/sys".lstrip("/")))
            machine.tree = Found(files=mount.files, path=root, document=tree)

    def _text(self, mount: Mount, path: str, *, slot: Slot, document: Document) -> None:
        try:
            data = mount.files.read(path, limit=SMALL)
        except ReadFault as error:
            self._gathered.refused(error, document=document)
            return
        self._gathered.saw(document)
        text, _ = decode_text(data)
        file = TextFile(document=document, text=text)
        if slot.area is Area.POD:
            namespace, _, name = slot.owner.partition("/")
            self._pods.setdefault((namespace, name), {})[slot.name] = file
        elif slot.area is Area.HELM:
            self._gathered.helm[slot.name] = file
        else:
            self._gathered.logs.append(file)

    # --- what they share ----------------------------------------------------------------

    def _machine(self, name: str) -> Machine:
        return self._machines.setdefault(name, Machine(name=name))

    def _whole(self, mount: Mount) -> Iterator[str]:
        """Give the files of a folder, patches of Kustomize left out, while those are known."""
        paths = tuple(self._files_of(mount))
        self._gathered.patched = found = kustomized(mount.files, paths)
        for path in paths:
            if path in found.patches:
                document = Document(name=mount.name(path))
                self._gathered.patch(mount.name(found.patches[path]), document=document)
            else:
                yield path
        self._gathered.patched = Kustomized()

    def _files_of(self, mount: Mount) -> Iterator[str]:
        if not mount.files.is_dir(mount.top):
            yield mount.top
            return
        for found in files_below(mount.files, mount.top):
            if isinstance(found, ReadFault):
                document = Document(name=mount.name(found.path) or mount.typed)
                self._gathered.refused(found, document=document)
            else:
                yield found

    def _time(self, mount: Mount) -> str | None:
        path = f"{mount.top}/{ABOUT}" if mount.top else ABOUT
        if mount.at or not mount.files.exists(path):
            return None
        document = Document(name=mount.name(path))
        try:
            data = mount.files.read(path, limit=SMALL)
        except ReadFault as error:
            self._gathered.refused(error, document=document)
            return None
        return time_of(data, document=document, gathered=self._gathered)


_ORIGINS = {
    Area.CLUSTER: Origin.CLUSTER,
    Area.SPEC: Origin.SPEC,
    Area.NODE: Origin.NODE,
    Area.POD: Origin.POD,
    Area.LOG: Origin.LOG,
}


def _document(name: str, slot: Slot, *, time: str | None) -> Document:
    origin = _ORIGINS.get(slot.area, Origin.MANIFEST)
    return Document(name=name, origin=origin, owner=slot.owner, time=time)
