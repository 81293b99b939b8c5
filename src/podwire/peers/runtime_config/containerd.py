"""containerd's configuration as its CRI plugin gets it.

Older forms of a file are brought into the newest one before files are merged.
Sources: as in `eras`.
"""

import re
from collections.abc import Iterable, Sequence

import msgspec

from podwire.documents.text import printable
from podwire.model.evidence import Answer, Known, Unknown
from podwire.model.versions import Version
from podwire.peers.runtime_config.eras import Era, Merging, eras_of
from podwire.peers.runtime_config.importing import Files, Imported, imported
from podwire.peers.runtime_config.records import Cdi, Handler, RuntimeConfig
from podwire.peers.runtime_config.settings import (
    Leaf,
    Setting,
    Table,
    beside,
    laid_over,
    settings_of,
)

NAME = "containerd"

_OLD = "io.containerd.grpc.v1.cri"
_NEW = "io.containerd.cri.v1.runtime"
_RUNC = "runc"
_RUNC_TYPE = "io.containerd.runc.v2"
_URI = re.compile(r"io\.containerd\.[^.]*\.")
_FACT = "the container runtime's configuration"


def containerd_config(files: Files, *, version: Answer[Version]) -> Answer[RuntimeConfig]:
    """Read the configuration; without a version only what all that read the files agree on."""
    read = imported(files)
    if isinstance(read, Unknown):
        return read
    eras = eras_of(version)
    if isinstance(eras, Unknown):
        return eras
    found = [_config(read.value, era) for era in eras.value]
    configs = [each for each in found if isinstance(each, RuntimeConfig)]
    if not configs:
        return next(each for each in found if isinstance(each, Unknown))
    first = configs[0]
    if any(_runtimes(each) != _runtimes(first) for each in configs):
        return _by_version(version, "which runtimes containerd has")
    if any(each.cdi != first.cdi for each in configs):
        cdi = _by_version(version, "whether containerd does CDI")
        first = msgspec.structs.replace(first, cdi=cdi)
    return Known(value=first, places=read.places, assumes=read.assumes)


def _runtimes(config: RuntimeConfig) -> tuple[object, ...]:
    return (config.handlers, config.default_name)


def _by_version(version: Answer[Version], what: str) -> Unknown:
    known = version if isinstance(version, Unknown) else None
    return Unknown(
        reason=f"{what} depends on its version",
        give=known.give if known and known.give else "kubectl get nodes -o json",
        fact="the version of containerd",
    )


def _config(files: Sequence[Imported], era: Era) -> RuntimeConfig | Unknown:
    """Merge the files as one version does."""
    refusal = _refusal(files, era)
    if refusal:
        return Unknown(reason=refusal, fact=_FACT)
    if era.merging is Merging.SECTIONS:
        section = _replaced(files)
    elif era.merging is Merging.AS_A_WHOLE:
        section = _merged_as_a_whole(files, era)
    else:
        section = _merged_file_by_file(files, era)
    return _of_section(section, era)


def _refusal(files: Sequence[Imported], era: Era) -> str:
    """Say why containerd does not start with these files; empty: it does."""
    main = 0
    for each in _judged(files, era):
        number, name = _number(each), each.file.document.name
        if number > era.newest_file:
            most = era.newest_file
            return f"{name} has version {number}, and this containerd starts with {most} at most"
        main = main or number
        if era.bounds_drop_ins and number > main:
            return (
                f"drop-in config version {number} ({name}) higher than root config version {main}"
            )
    return _key_refusal(files) if era.merging is Merging.SECTIONS else ""


def _key_refusal(files: Sequence[Imported]) -> str:
    """Refuse short names of plugins in files of version 2, as containerd before 2.0 does."""
    numbers = [number for each in files if (number := _number(each))]
    keys = (key for each in files for key in _plugins(each).items)
    short = next((key for key in keys if not _URI.match(key)), None)
    if numbers[-1:] != [2] or short is None:
        return ""
    return f'invalid plugin key URI "{printable(short, 60)}" expect io.containerd.x.vx'


def _judged(files: Sequence[Imported], era: Era) -> Sequence[Imported]:
    """Give the files whose version has to be known: before 2.3 the last one that has any.

    A file of version 1 is brought up to the one before it, which has to be known then.
    """
    if era.merging is Merging.FILE_BY_FILE:
        return files
    if era.merging is Merging.SECTIONS:
        return [each for each in files if _number(each)][-1:]
    judged: list[Imported] = []
    in_force: list[Imported] = []
    for each in files:
        if _number(each) > 1:
            in_force = [each]
        else:
            judged += in_force
    return [*judged, *in_force]


def _number(file: Imported) -> int:
    number = file.tree.get("version")
    return number if isinstance(number, int) else 0


def _plugins(file: Imported) -> Table:
    whole = settings_of(file.tree, document=file.file.document)
    return whole.table("plugins") or Table(items={}, place=whole.place)


def _replaced(files: Iterable[Imported]) -> Table | None:
    """Take the CRI plugin's section from the last file that has it, under the version's name."""
    version = 1
    sections: dict[str, Setting] = {}
    for each in files:
        version = _number(each) or version
        sections |= _plugins(each).items
    found = sections.get("cri" if version == 1 else _OLD)
    return found if isinstance(found, Table) else None


def _merged_as_a_whole(files: Iterable[Imported], era: Era) -> Table | None:
    """Merge, then move the old section where the last file's version is old.

    A file of version 1 counts as of the version reached so far, which is the newest at first:
    its section is then not moved, and lost.
    """
    version = era.newest_file
    merged: Table | None = None
    for each in files:
        number = _number(each)
        plugins = _plugins(each) if number > 1 else _renamed(_plugins(each))
        merged = plugins if merged is None else laid_over(merged, plugins)
        version = number if number > 1 else version
    if merged is not None and version < era.newest_file:
        merged = _moved(merged)
    return None if merged is None else merged.table(_NEW)


def _merged_file_by_file(files: Iterable[Imported], era: Era) -> Table | None:
    """Bring each file into the newest form, then merge.

    The old section counts in any file that is not of the newest version.
    """
    merged: Table | None = None
    for each in files:
        number = _number(each)
        plugins = _plugins(each) if number > 1 else _renamed(_plugins(each))
        if number < era.newest_file:
            plugins = _moved(plugins)
        merged = plugins if merged is None else laid_over(merged, plugins)
    return None if merged is None else merged.table(_NEW)


def _renamed(plugins: Table) -> Table:
    """Give the CRI plugin of a file of version 1 its full name."""
    items = dict(plugins.items)
    if "cri" in items:
        items[_OLD] = items.pop("cri")
    return Table(items=items, place=plugins.place)


def _moved(plugins: Table) -> Table:
    """Bring the CRI plugin's old section into the place of the new one, which counts more."""
    items = dict(plugins.items)
    old, new = items.pop(_OLD, None), items.get(_NEW)
    if isinstance(old, Table):
        items[_NEW] = _beside_section(new, old) if isinstance(new, Table) else old
    return Table(items=items, place=plugins.place)


def _beside_section(new: Table, old: Table) -> Table:
    """Add what the newer section lacks; in its table `containerd` each key for itself."""
    both = dict(beside(new, old).items)
    have, add = new.table("containerd"), old.table("containerd")
    if have is not None and add is not None:
        both["containerd"] = beside(have, add)
    return Table(items=both, place=new.place)


def _of_section(section: Table | None, era: Era) -> RuntimeConfig:
    containerd = None if section is None else section.table("containerd")
    runtimes = None if containerd is None else containerd.table("runtimes")
    handlers: dict[str, Handler] = {}
    if runtimes is None or era.merging is not Merging.SECTIONS:
        handlers[_RUNC] = Handler(name=_RUNC, runtime_type=_RUNC_TYPE)
    for name, table in {} if runtimes is None else runtimes.items.items():
        if isinstance(table, Table):
            handlers[name] = _handler(name, table, handlers.get(name))
    name = _RUNC if containerd is None else containerd.text("default_runtime_name", _RUNC)
    place = None if containerd is None else containerd.leaf("default_runtime_name")
    has_legacy = containerd is not None and era.merging is Merging.SECTIONS
    legacy = containerd.table("default_runtime") if containerd and has_legacy else None
    if legacy is not None and legacy.text("runtime_type"):
        name = "default"
        handlers[name] = _handler(name, legacy, None)
    return RuntimeConfig(
        runtime=NAME,
        handlers=dict(sorted(handlers.items())),
        default_name=name,
        default_place=None if place is None else place.place,
        cdi=Known(value=_cdi(section, era)),
    )


def _handler(name: str, table: Table, built_in: Handler | None) -> Handler:
    old = built_in or Handler(name=name)
    options = table.table("options")
    privileged = "privileged_without_host_devices"
    return Handler(
        name=name,
        binary=old.binary if options is None else options.text("BinaryName"),
        runtime_type=table.text("runtime_type", old.runtime_type),
        pod_annotations=table.texts("pod_annotations") or (),
        container_annotations=table.texts("container_annotations") or (),
        privileged_without_host_devices=table.flag(privileged),
        place=table.place,
    )


def _cdi(section: Table | None, era: Era) -> Cdi:
    built_in = Cdi(is_on=era.cdi, refuses=era.refuses and not era.cdi)
    if section is None:
        return built_in
    switch: Leaf | None = section.leaf("enable_cdi") if era.switches_cdi else None
    is_on = section.flag("enable_cdi", default=era.cdi) if era.switches_cdi else era.cdi
    dirs = section.texts("cdi_spec_dirs")
    where = switch or section.leaf("cdi_spec_dirs")
    return Cdi(
        is_on=is_on,
        spec_dirs=built_in.spec_dirs if dirs is None else dirs,
        refuses=era.refuses and not is_on,
        place=None if where is None else where.place,
    )
