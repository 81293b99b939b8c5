"""Files that commands about one machine are given: the spec, labels, a root."""

import os
from collections.abc import Mapping
from typing import NoReturn

from podwire.adapters.rootfs import RootFs
from podwire.documents import yaml
from podwire.documents.text import Problem, decode_text
from podwire.model.errors import PodwireError
from podwire.model.evidence import Document, Origin, dotted
from podwire.ports.hostfs import HostFs, ReadFault
from podwire.spec.parse import is_wiring, parse
from podwire.spec.wiring import Wiring

_LIMIT = 16 << 20


def wiring_of(path: str) -> Wiring:
    """Read the one spec in a file; what it says twice, or unreadably, is not acted upon."""
    loaded = yaml.load(text_at(path))
    for document in loaded:
        for problem in (document.problem, *document.duplicates):
            if problem is not None:
                _refuse_text(path, problem)
    found = [d.value for d in loaded if is_wiring(d.value)]
    if not found:
        raise PodwireError(f"{path} has no document of kind: Wiring", hint="podwire schema spec")
    if len(found) > 1:
        raise PodwireError(f"{path} has {len(found)} documents of kind: Wiring", hint="give one")
    parsed = parse(found[0], document=Document(name=path, origin=Origin.SPEC))
    if isinstance(parsed, Wiring):
        return parsed
    wrong = "; ".join(f"{dotted(each.path) or '.'}: {each.message}" for each in parsed)
    raise PodwireError(f"{path} is no spec: {wrong}", hint="podwire schema spec")


def text_at(path: str) -> str:
    """Read a text file that was named, in UTF-8."""
    text, problems = decode_text(read_file(path))
    if problems:
        _refuse_text(path, problems[0])
    return text


def labels_of(written: list[str]) -> Mapping[str, str]:
    """Read `--label KEY=VALUE`."""
    found = {}
    for text in written:
        key, equals, value = text.partition("=")
        if not (key and equals):
            raise PodwireError(f"--label {text}: no label", hint="--label KEY=VALUE")
        found[key] = value
    return found


def root_at(path: str) -> HostFs:
    """Open the machine whose root is at a path."""
    _refuse_empty(path, "--root")
    try:
        files = RootFs(path)
        if files.is_dir():
            files.entries()
            return files
    except ReadFault as error:
        _refuse(f"--root {path}", error)
    raise PodwireError(f"--root {path} is no folder", hint="of this machine it is /")


def is_this_machine(root: str) -> bool:
    """Say whether a root is that of the machine that runs, and no copy."""
    return os.path.realpath(root) == "/"


def refuse_copy(root: str, flag: str) -> None:
    """Refuse what only the machine that runs can answer."""
    if not is_this_machine(root):
        raise PodwireError(f"{flag} asks the machine that runs, and --root {root} is a copy of one")


def spec_at(path: str) -> HostFs:
    """Open the file of a spec as an input."""
    return RootFs(path)


def read_file(path: str) -> bytes:
    """Read a file that was named."""
    _refuse_empty(path, "a file")
    try:
        return RootFs(path).read(limit=_LIMIT)
    except ReadFault as error:
        _refuse(path, error)


def _refuse_empty(path: str, what: str) -> None:
    """An empty name, of a shell variable that is not set, would be the current folder."""
    if not path:
        raise PodwireError(f"{what} is named by an empty text")


def _refuse_text(path: str, problem: Problem) -> NoReturn:
    at = f":{problem.position.line}:{problem.position.column}" if problem.position else ""
    raise PodwireError(f"{path}{at}: {problem.message}")


def _refuse(path: str, error: ReadFault) -> NoReturn:
    detail = f": {error.detail}" if error.detail else ""
    raise PodwireError(f"{path} {error.trouble.value}{detail}") from error
