"""What the arguments name, opened and read: here adapters are picked, and nowhere else."""

import argparse
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec

from podwire.adapters.given import STDIN, fs_of
from podwire.adapters.rootfs import RootFs
from podwire.cli.arguments import COMPONENTS
from podwire.cli.progress import Progress
from podwire.collect.collecting import collect
from podwire.collect.given import Input
from podwire.collect.sources import FileSources
from podwire.facts.inventory import Inventory
from podwire.model.errors import PodwireError
from podwire.model.versions import Version
from podwire.ports.hostfs import HostFs, ReadFault, Trouble
from podwire.present.places import Sources

_DUMP = "kubectl get pods,nodes,net-attach-def,configmaps,daemonsets -A -o json"


class Given(msgspec.Struct, frozen=True):
    """All facts, and whoever can read their documents again."""

    facts: Inventory
    sources: Sources


def read(options: argparse.Namespace, *, progress: Progress) -> Given:
    """Read everything that was given.

    Raises:
        PodwireError: nothing was given, something is not there, or nothing in it is known.
    """
    if not options.path and not options.node_root:
        raise PodwireError(
            "nothing to read was given, and podwire does not ask a cluster itself yet",
            hint=f"{_typed(options)} PATH...; or {_DUMP} | {_typed(options)} -",
        )
    versions = _versions(options.assume)
    inputs = tuple(_inputs(options))
    progress.stage("reading")
    facts = collect(
        inputs,
        namespace=options.namespace,
        assumed_versions=versions,
        is_everywhere=options.all_namespaces,
    )
    if not facts.looked_at.documents and not facts.faults:
        names = ", ".join(given.typed for given in inputs)
        raise PodwireError(
            f"{names}: nothing in there is known to podwire",
            hint="it reads manifests (YAML, JSON), kubectl's JSON and bundles",
        )
    return Given(facts=facts, sources=FileSources(inputs))


def _typed(options: argparse.Namespace) -> str:
    """Write the command as it is typed, up to its paths."""
    of = getattr(options, "of", None)
    called: str = getattr(options, "called", f"podwire {options.command}")
    return f"{called} {of}" if isinstance(of, str) else called


def _inputs(options: argparse.Namespace) -> Iterator[Input]:
    for path in dict.fromkeys(options.path):
        if not path:
            raise PodwireError("a path is empty", hint="the folder one is in is .")
        if path == STDIN and sys.stdin.isatty():
            raise PodwireError(
                "- reads standard input, and nothing is piped into it",
                hint=f"{_DUMP} | {_typed(options)} -",
            )
        try:
            yield Input(typed=path, files=fs_of(path, stdin=sys.stdin.buffer))
        except ReadFault as error:
            raise _refused(path, error) from error
    if options.node_root:
        yield Input(typed=options.node_root, files=_node_root(options.node_root), is_node_root=True)


def _node_root(path: str) -> HostFs:
    try:
        files = RootFs(path)
        if files.is_dir():
            return files
    except ReadFault as error:
        raise _refused(path, error) from error
    raise PodwireError(f"--node-root {path} is no folder", hint="of this machine it is /")


def _refused(path: str, error: ReadFault) -> PodwireError:
    detail = f": {error.detail}" if error.detail else ""
    hint = _nearest(Path(path)) if error.trouble is Trouble.ABSENT else "give what can be read"
    return PodwireError(f"{path} {error.trouble.value}{detail}", hint=hint)


def _nearest(path: Path) -> str:
    """Name what is there instead."""
    import difflib

    for folder in path.parents:
        names = _names_in(folder)
        if names is not None:
            wanted = path.relative_to(folder).parts[0]
            near = difflib.get_close_matches(wanted, names, n=3)
            where = "here" if folder == Path() else f"in {folder}"
            return f"{where}: {', '.join(near)}" if near else f"nothing {where} has a like name"
    return ""


def _names_in(folder: Path) -> list[str] | None:
    """List a folder; None where there is none, or none that may be read."""
    try:
        return sorted(entry.name for entry in folder.iterdir())
    except (OSError, ValueError):  # A name too long, or with a NUL byte in it.
        return None


def _versions(assumed: list[str]) -> Mapping[str, Version]:
    found: dict[str, Version] = {}
    for written in assumed:
        name, _, version = written.partition("=")
        if name not in COMPONENTS:
            raise PodwireError(f"--assume {written}: {name!r} is no component", hint=_like(name))
        try:
            found[name] = Version.parse(version)
        except ValueError as error:
            raise PodwireError(
                f"--assume {written}: {error}", hint="--assume multus=4.2.2"
            ) from error
    return found


def _like(component: str) -> str:
    import difflib

    near = difflib.get_close_matches(component.lower(), COMPONENTS, n=1)
    return f"did you mean {near[0]}?" if near else f"one of {', '.join(COMPONENTS)}"
