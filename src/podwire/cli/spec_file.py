"""Files that commands about one machine are given: the spec, labels, a root."""

from collections.abc import Mapping
from typing import NoReturn

from podwire.adapters.rootfs import RootFs
from podwire.documents import yaml
from podwire.model.errors import PodwireError
from podwire.model.evidence import Document, Origin, dotted
from podwire.ports.hostfs import HostFs, ReadFault
from podwire.spec.parse import is_wiring, parse
from podwire.spec.wiring import Wiring

_LIMIT = 16 << 20


def wiring_of(path: str) -> Wiring:
    """Read the one spec in a file."""
    found = [d for d in yaml.load(read_file(path).decode(errors="replace")) if is_wiring(d.value)]
    if not found:
        raise PodwireError(f"{path} has no document of kind: Wiring", hint="podwire schema spec")
    if len(found) > 1:
        raise PodwireError(f"{path} has {len(found)} documents of kind: Wiring", hint="give one")
    parsed = parse(found[0].value, document=Document(name=path, origin=Origin.SPEC))
    if isinstance(parsed, Wiring):
        return parsed
    lines = (f"{dotted(wrong.path) or '.'}: {wrong.message}" for wrong in parsed)
    raise PodwireError(f"{path} is no spec:\n" + "\n".join(lines), hint="podwire schema spec")


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
    try:
        files = RootFs(path)
        if files.is_dir():
            return files
    except ReadFault as error:
        _refuse(path, error)
    raise PodwireError(f"--root {path} is no folder", hint="of this machine it is /")


def spec_at(path: str) -> HostFs:
    """Open the file of a spec as an input."""
    return RootFs(path)


def read_file(path: str) -> bytes:
    """Read a file that was named."""
    try:
        return RootFs(path).read(limit=_LIMIT)
    except ReadFault as error:
        _refuse(path, error)


def _refuse(path: str, error: ReadFault) -> NoReturn:
    detail = f": {error.detail}" if error.detail else ""
    raise PodwireError(f"{path} {error.trouble.value}{detail}") from error
