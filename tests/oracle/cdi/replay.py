"""Hold podwire's model of the CDI cache against an answer of the library itself."""

from collections.abc import Iterator

from podwire.facts.node import TextFile
from podwire.model.evidence import Document, Origin
from podwire.peers.cdi import (
    Library,
    RefusedNameError,
    Registry,
    annotated,
    parse_qualified,
    registry,
)
from tests.oracle.cdi.cases import Case

_CONFLICT = "conflicting device "
# The host's device files are not known to the model.
_HOST = "failed to inject devices: "


def registry_of(case: Case, *, library: Library) -> Registry:
    files = {
        name: TextFile(
            document=Document(name=f"nodes/n/{name}", origin=Origin.NODE, owner="n"), text=text
        )
        for name, text in case["files"].items()
    }
    return registry(files, spec_dirs=tuple(case["dirs"]), library=library)


def differences(case: Case, answer: Case, *, library: Library) -> list[str]:
    """List where the model and the library differ."""
    if "panic" in answer:
        return []  # A kind of one letter does that to versions before 1.1.1.
    found = list(_name_differences(case, answer))
    known = registry_of(case, library=library)
    devices = {name: device.file for name, device in known.devices.items()}
    if devices != answer["devices"]:
        found.append(f"devices: {devices}, library {answer['devices']}")
    found += _fault_differences(known, answer)
    found += _injection_differences(case, known, answer)
    return found


def _name_differences(case: Case, answer: Case) -> Iterator[str]:
    for name, theirs in zip(case["names"], answer["parsed"] or (), strict=False):
        ours = ""
        try:
            parse_qualified(name)
        except RefusedNameError as error:
            ours = str(error)
        if ours != theirs and not theirs.startswith("panic"):
            yield f"name: {ours!r}, library {theirs!r}"
    try:
        names = sorted(annotated(case["annotations"]))
    except RefusedNameError as error:
        names = ["error", str(error)]
    if names != (answer["annotated"] or []):
        yield f"annotations: {names}, library {answer['annotated']}"


def _fault_differences(known: Registry, answer: Case) -> Iterator[str]:
    theirs = {
        path: [each for each in sentences if not each.startswith(_CONFLICT)]
        for path, sentences in answer["faults"].items()
    }
    conflicts = {
        each.removeprefix(_CONFLICT)[1:].partition('" (specs ')[0]
        for sentences in answer["faults"].values()
        for each in sentences
        if each.startswith(_CONFLICT)
    }
    if conflicts != set(known.conflicts):
        yield f"conflicts: {sorted(known.conflicts)}, library {sorted(conflicts)}"
    for path in sorted({path for path in theirs if theirs[path]} | set(known.faults)):
        fault, sentences = known.faults.get(path), theirs.get(path) or []
        if fault is None or not sentences:
            yield f"fault of {path}: {fault}, library {sentences}"
        elif fault.is_exact:
            if fault.sentence != sentences[0]:
                yield f"sentence: {fault.sentence!r}, library {sentences[0]!r}"
        else:
            certain = fault.sentence.partition("unmarshal CDI Spec: ")[0]
            if not sentences[0].startswith(certain):
                yield f"start: {fault.sentence!r}, library {sentences[0]!r}"


def _injection_differences(case: Case, known: Registry, answer: Case) -> Iterator[str]:
    resolution = known.resolve(case["names"])
    if list(resolution.unresolved) != (answer["unresolved"] or []):
        yield f"unresolved: {resolution.unresolved}, library {answer['unresolved']}"
    if answer["sentence"].startswith(_HOST) and not resolution.unresolved:
        return
    if resolution.sentence != answer["sentence"]:
        yield f"answer: {resolution.sentence!r}, library {answer['sentence']!r}"
    nodes = [node.path for node in resolution.edits.device_nodes]
    env = dict(variable.split("=", 1) for variable in resolution.edits.env)
    theirs = dict(variable.split("=", 1) for variable in answer["env"] or ())
    if set(nodes) != set(answer["nodes"] or ()):
        yield f"device nodes: {nodes}, library {answer['nodes']}"
    if env != theirs:
        yield f"env: {env}, library {theirs}"
