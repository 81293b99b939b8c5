"""What was read so far, of all inputs together; in the end it becomes the inventory."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable
from datetime import datetime
from typing import Any

import msgspec

from podwire.collect.kinds import CORE, KINDS, WORKLOADS, kind_of_file
from podwire.collect.kustomize import Kustomized
from podwire.collect.layout import stem_of
from podwire.collect.others import other_of
from podwire.documents.text import Position, Problem, printable
from podwire.documents.tree import excess
from podwire.facts.inventory import InputFault, Inventory, LookedAt, Objects, PluginFile
from podwire.facts.node import NodeFiles, PodFiles, TextFile
from podwire.facts.objects import ApiObject, Namespace
from podwire.facts.others import Other
from podwire.facts.workloads import PodTemplate, Workload, views_of
from podwire.model.evidence import Document, Origin, Path, Place, dotted
from podwire.model.versions import Version
from podwire.ports.hostfs import ReadFault, Trouble
from podwire.spec.shape import Mismatch, mismatches, without_nulls
from podwire.spec.wiring import Wiring

UNREADABLE = "unreadable-input"
DUPLICATE = "duplicate-key"
CUT_OFF = "it ends before its JSON is complete"
_AGAIN = "write the file again, or leave it out: something cut it off"
_FAULTS_LIMIT = 100  # of one document; more of the same helps nobody
_VALUES_LIMIT = 10_000_000  # of one workload; etcd stores less
_KIND_SHOWN = 80
_RENDER = "render it first: helm template RELEASE CHART | podwire check -"
_CURES = {
    Trouble.SPECIAL: "write its output to a file, or pipe it into `podwire check -`",
    Trouble.OUTSIDE: "copy the file to where the link stands, or name it as an input of its own",
}


class Gathered:
    """Collects facts; everything here is appended to, nothing looks at what is there."""

    def __init__(self, *, namespace: str, is_everywhere: bool = False) -> None:
        self.namespace = namespace
        self.is_everywhere = is_everywhere
        self.foreign: Counter[str] = Counter()
        self.objects: dict[str, list[ApiObject]] = defaultdict(list)
        self.listed: dict[str, set[str]] = defaultdict(set)
        self.whole: set[str] = set()
        self.lists: dict[str, list[Document]] = defaultdict(list)
        self.nodes: dict[str, NodeFiles] = {}
        self.pods: dict[tuple[str, str], PodFiles] = {}
        self.plugin_files: list[PluginFile] = []
        self.wirings: list[Wiring] = []
        self.helm: dict[str, TextFile] = {}
        self.logs: list[TextFile] = []
        self.unread: list[Document] = []
        self.others: list[Other] = []
        self.patched = Kustomized()  # by the kustomizations beside what is read now
        self.document_count = 0
        self.object_count = 0
        self.fault_count = 0
        self.list_count = 0
        self._times: list[str] = []
        self._faults: dict[Document, list[InputFault]] = {}

    # --- what is there ------------------------------------------------------------------

    def saw(self, document: Document) -> None:
        """Count a document that was read."""
        self.document_count += 1
        if document.time is not None:
            self._times.append(document.time)

    def add(self, item: ApiObject, *, document: Document, base: Path) -> bool:
        """Take an object, with where it stands; one without namespace is in the default.

        What a kustomization changes is not whole: it is left out.
        Returns False for a workload that nobody could walk through.
        """
        place_at(item, document=document, base=base, namespace=self.namespace)
        if document.origin is Origin.MANIFEST and self.patched.changes(
            item.kind, item.metadata.name
        ):
            self.other(msgspec.to_builtins(item), kind=item.kind, document=document)
            return True
        if isinstance(item, Workload) and not self._check_templates(item):
            return False
        self.objects[item.kind].append(item)
        return True

    def other(self, tree: object, *, kind: str, document: Document) -> None:
        """Keep an object of a kind that podwire does not read, where that matters."""
        found = other_of(tree, kind, document=document, namespace=self.namespace)
        if found is not None:
            self.others.append(found)

    def saw_foreign(self, kind: str) -> None:
        """Count an object that makes pods, of a kind that podwire does not read."""
        self.foreign[printable(kind, _KIND_SHOWN)] += 1

    def was_listed(
        self,
        kinds: Collection[str],
        *,
        document: Document,
        namespaces: Iterable[str] | None,
        is_empty: bool = False,
    ) -> None:
        """Note which kinds a List was complete for; namespaces None: for all there are.

        A List without items is of the kind that its file is called after.
        """
        self.list_count += 1
        is_whole = namespaces is None or self.is_everywhere
        if is_empty and is_whole:
            named = kind_of_file(stem_of(document.name))
            kinds = (named,) if named else ()
        known = set(kinds) & set(KINDS)
        spaces = None if is_whole else {*(namespaces or ())}
        for kind in known:
            if document not in self.lists[kind]:
                self.lists[kind].append(document)
            if spaces is None:
                self.whole.add(kind)
            elif KINDS[kind].record.namespaced:
                self.listed[kind] |= spaces - {""}
            else:
                self.listed[kind].add("")

    # --- what is wrong ------------------------------------------------------------------

    def fault(
        self,
        message: str,
        *,
        place: Place,
        slug: str = UNREADABLE,
        is_template: bool = False,
        cure: str = "",
    ) -> None:
        """Report something that could not be read; of many in one document the first."""
        self.fault_count += 1
        found = self._faults.setdefault(place.document, [])
        if len(found) < _FAULTS_LIMIT:
            found.append(
                InputFault(
                    slug=slug, message=message, place=place, is_template=is_template, cure=cure
                )
            )
        elif len(found) == _FAULTS_LIMIT:
            more = f"more than {_FAULTS_LIMIT} things in it cannot be read; these were the first"
            found.append(InputFault(slug=slug, message=more, place=Place(document=place.document)))

    def no_list(self, kind: str, *, document: Document) -> None:
        """Report a file that is called after what it should list, and holds nothing of it."""
        plural = KINDS[kind].plural
        self.fault(
            f"{printable(document.name)} holds no List of {plural}",
            place=Place(document=document),
            cure=f"write it again: kubectl get {plural} -A -o json",
        )

    def refused(self, error: ReadFault, *, document: Document, member: str = "") -> None:
        """Report a file that the file system did not give, or a member of an archive."""
        detail = f": {error.detail}" if error.detail else ""
        name = f"{document.name}: {member}" if member else document.name
        message = f"{printable(name)} {error.trouble.value}{detail}"
        cure = _CURES.get(error.trouble, "")
        self.fault(message, place=Place(document=document), cure=cure)

    def problem(self, problem: Problem, *, document: Document, slug: str = UNREADABLE) -> None:
        """Report what a reader of documents found, with its line where there is one."""
        place = Place(document=document, path=problem.path)
        if not problem.path:
            place = _at(document, problem.position)
        cure = _AGAIN if problem.message == CUT_OFF else ""
        self.fault(problem.message, place=place, slug=slug, cure=cure)

    def template(self, problem: Problem, *, document: Document) -> None:
        """Report a Helm template: nothing is wrong with it, but it is no manifest yet."""
        place = _at(document, problem.position)
        self.fault(problem.message, place=place, is_template=True, cure=_RENDER)

    def patch(self, folder: str, *, document: Document) -> None:
        """Report a patch of Kustomize: neither it nor what it changes is an object yet."""
        message = f"{document.name} is a patch of Kustomize: what it changes is left out"
        cure = f"render it first: kubectl kustomize {folder or '.'} | podwire check -"
        self.fault(message, place=Place(document=document), is_template=True, cure=cure)

    def _check_templates(self, workload: Workload) -> bool:
        if (words := excess(workload.spec, limit=_VALUES_LIMIT)) is not None:
            self.fault(f"{workload.ref} cannot be read: {words}", place=workload.place())
            return False
        for view in views_of(workload):
            if isinstance(view, tuple):
                self._refuse_template(workload, *view)
        return True

    def _refuse_template(self, workload: Workload, path: Path, message: str) -> None:
        tree: Any = {"spec": without_nulls(workload.spec)}
        for step in path:
            tree = tree[step]
        wrong = list(mismatches(tree, PodTemplate)) or [Mismatch(path=(), message=message)]
        for found in wrong:
            where = dotted((*path, *found.path))
            message = f"{workload.ref} has no readable pod template: {where}: {found.message}"
            self.fault(message, place=workload.place(*path, *found.path))

    # --- the end ------------------------------------------------------------------------

    def inventory(self, assumed_versions: dict[str, Version]) -> Inventory:
        """Put everything together."""
        spaces = self._objects(str(Namespace.__struct_config__.tag), spaces=None)
        by_field: dict[str, Any] = {
            field: self._objects(kind.name, spaces=spaces)
            for field, kind in zip(
                (
                    "pods",
                    "nodes",
                    "networks",
                    "config_maps",
                    "events",
                    "webhooks",
                    "namespaces",
                    "device_classes",
                    "runtime_classes",
                    "cluster_policies",
                ),
                CORE,
                strict=True,
            )
        }
        return Inventory(
            **by_field,
            workloads={kind.name: self._objects(kind.name, spaces=spaces) for kind in WORKLOADS},
            node_files=self.nodes,
            pod_files=self.pods,
            plugin_files=tuple(self.plugin_files),
            wirings=tuple(self.wirings),
            helm=self.helm,
            logs=tuple(self.logs),
            assumed_versions=assumed_versions,
            faults=tuple(fault for faults in self._faults.values() for fault in faults),
            unread=tuple(self.unread),
            others=tuple(self.others),
            looked_at=self._looked_at(),
        )

    def _objects(self, kind: str, *, spaces: Objects[Namespace] | None) -> Objects[Any]:
        objects = Objects[Any].of(
            kind,
            self.objects.get(kind, ()),
            plural=KINDS[kind].plural,
            listed=frozenset(self.listed.get(kind, ())),
            is_whole=kind in self.whole,
            lists=tuple(self.lists.get(kind, ())),
        )
        is_namespaced = KINDS[kind].record.namespaced
        return msgspec.structs.replace(objects, spaces=spaces if is_namespaced else None)

    def _looked_at(self) -> LookedAt:
        named = {node.metadata.name for node in self.objects.get("Node", ())}
        times = sorted(self._times, key=datetime.fromisoformat)
        return LookedAt(
            documents=self.document_count,
            objects=self.object_count,
            nodes=len(named | set(self.nodes)),
            oldest=times[0] if times else None,
            newest=times[-1] if times else None,
            foreign=tuple(sorted(self.foreign.items(), key=lambda item: (-item[1], item[0]))),
            is_partial=any(
                spaces - {""} for kind, spaces in self.listed.items() if kind not in self.whole
            ),
        )


def place_at(item: ApiObject, *, document: Document, base: Path, namespace: str) -> None:
    """Complete an object that was just decoded, before anybody else sees it."""
    meta = item.metadata
    wanted = (meta.namespace or namespace) if item.namespaced else ""
    if meta.namespace != wanted:
        # Never in place: objects without metadata share the default.
        meta = msgspec.structs.replace(meta, namespace=wanted)
        msgspec.structs.force_setattr(item, "metadata", meta)
    msgspec.structs.force_setattr(item, "document", document)
    msgspec.structs.force_setattr(item, "base", base)


def _at(document: Document, position: Position | None) -> Place:
    """Place what has no path in a document: where reading it stopped."""
    if position is None:
        return Place(document=document)
    return Place(document=document, line=position.line, column=position.column)
