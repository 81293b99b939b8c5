"""CRI-O's configuration: /etc/crio/crio.conf, then every file below /etc/crio/crio.conf.d.

A later file's handler replaces an earlier one of the same name whole. CDI is always on.
Source: cri-o c0202e05 pkg/config/config.go UpdateFromPath, UpdateFromDropInFile, Validate.
"""

import posixpath
from collections.abc import Iterable, Iterator

import msgspec

from podwire.model.evidence import Answer, Known, Place, Unknown
from podwire.peers.runtime_config.importing import Files
from podwire.peers.runtime_config.records import Cdi, Handler, RuntimeConfig
from podwire.peers.runtime_config.settings import Leaf, Table, settings_of

NAME = "cri-o"
MAIN = "/etc/crio/crio.conf"
DROP_INS = "/etc/crio/crio.conf.d"


def crio_config(files: Files) -> Answer[RuntimeConfig]:
    """Read the configuration; what nobody looked for is assumed not to be there.

    CRI-O starts without its main file. Where no file at all was collected nothing is known.
    """
    paths = [*files.matching(MAIN), *files.below(DROP_INS)]
    if not paths:
        return Unknown(
            reason=f"{MAIN} and {DROP_INS}{files.of} were not collected",
            give=f"cat {MAIN} {DROP_INS}/*",
            fact="the container runtime's configuration",
        )
    config = RuntimeConfig(
        runtime=NAME, handlers={}, default_name="", cdi=Known(value=Cdi(is_on=True))
    )
    places: list[Place] = []
    for path in paths:
        read = files.read(path)
        if isinstance(read, Unknown):
            return read
        document = read.file.document
        places.append(Place(document=document))
        runtime = settings_of(read.tree, document=document).below("crio", "runtime")
        if runtime is not None:
            config = _updated(config, runtime)
    assumes = tuple(_assumed(files, paths))
    return Known(value=_finished(config), places=tuple(places), assumes=assumes)


def _assumed(files: Files, paths: Iterable[str]) -> Iterator[str]:
    if MAIN not in paths and not files.has_listed(posixpath.dirname(MAIN)):
        yield f"there is no {MAIN}{files.of}"
    if not files.has_listed(DROP_INS):
        yield f"{DROP_INS}{files.of} has no file beside those collected"


def _updated(config: RuntimeConfig, runtime: Table) -> RuntimeConfig:
    handlers = dict(config.handlers)
    runtimes = runtime.table("runtimes")
    for name, table in {} if runtimes is None else runtimes.items.items():
        if isinstance(table, Table):
            handlers[name] = _handler(name, table)
    named: Leaf | None = runtime.leaf("default_runtime")
    return msgspec.structs.replace(
        config,
        handlers=handlers,
        default_name=runtime.text("default_runtime", config.default_name),
        default_place=config.default_place if named is None else named.place,
        cdi=_cdi(config.cdi, runtime),
    )


def _handler(name: str, table: Table) -> Handler:
    inherits = table.flag("inherit_default_runtime")
    return Handler(
        name=name,
        # Without a path the handler's name is looked up in $PATH.
        binary="" if inherits else table.text("runtime_path") or name,
        runtime_type=table.text("runtime_type"),
        pod_annotations=table.texts("allowed_annotations") or (),
        privileged_without_host_devices=table.flag("privileged_without_host_devices"),
        place=table.place,
    )


def _cdi(known: Answer[Cdi], runtime: Table) -> Answer[Cdi]:
    dirs = runtime.texts("cdi_spec_dirs")
    leaf = runtime.leaf("cdi_spec_dirs")
    if dirs is None or leaf is None:
        return known
    return Known(value=Cdi(is_on=True, spec_dirs=dirs, place=leaf.place))


def _finished(config: RuntimeConfig) -> RuntimeConfig:
    """Fill in the built-in runtime, and the default's program where a handler inherits it."""
    handlers = dict(config.handlers)
    handlers.setdefault(config.default_name, Handler(name=config.default_name))
    binary = handlers[config.default_name].binary
    for name, handler in handlers.items():
        if not handler.binary:
            handlers[name] = msgspec.structs.replace(handler, binary=binary)
    return msgspec.structs.replace(config, handlers=dict(sorted(handlers.items())))
