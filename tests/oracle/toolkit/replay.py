"""Hold podwire's model against what the real runtime did."""

import re
from collections.abc import Iterator

from podwire.facts.node import Card, TextFile
from podwire.model.addresses import GpuUuid
from podwire.model.evidence import Answer, Document, Known, Origin, Unknown
from podwire.model.versions import Version
from podwire.peers.cdi import Registry, registry
from podwire.peers.nvidia_toolkit import (
    Mode,
    Mount,
    Node,
    Outcome,
    Program,
    Request,
    Stage,
    ToolkitConfig,
    outcome,
    read_config,
)
from tests.oracle.toolkit.running import FOLDER, Row
from tests.oracle.toolkit.specs import texts, uuid

_GPU = re.compile(r"/dev/nvidia([0-9]+)")
_FABRIC = ("/dev/infiniband/rdma_cm", "/dev/infiniband/uverbs0")
_IMEX = "/dev/nvidia-caps-imex-channels/channel"


def differences(version: str, row: Row, answer: Row) -> list[str]:
    """List where the model and the runtime differ; a row that the model leaves open: none."""
    config = read_config(_config_file(row))
    made = outcome(
        _request(row),
        config,
        version=Known(value=Version.parse(version)),
        node=Node(cards=_cards(row), registry=Known(value=_registry(row, config))),
        program=Program(row["program"]),
    )
    if isinstance(made, Unknown):
        return [f"undecided: {made.reason}"]
    found = made.value
    if found.mode is Mode.CSV and isinstance(found.says, Unknown):
        return []
    return list(_unlike(found, row, answer))


def _unlike(found: Outcome, row: Row, answer: Row) -> Iterator[str]:
    if isinstance(found.says, Unknown):
        yield f"undecided: {found.says.reason}"
        return
    theirs = _their_sentence(answer)
    is_refused = answer["code"] != 0 or bool(answer["hook"] and answer["hook"]["code"])
    ours = found.says.value
    if found.stage is Stage.CLI:  # nvidia-container-cli has a stand-in, which takes everything
        ours, is_silent = "", False
    else:
        is_silent = found.stage is Stage.HOOK and not ours
    if not _alike(ours, theirs) or is_refused != (bool(ours) or is_silent):
        yield f"says {ours!r}, the toolkit {theirs!r} ({is_refused=})"
    if not is_refused and not ours:
        yield from _unlike_devices(found, row, answer)
    yield from _unlike_notes(found, answer)


def _alike(ours: str, theirs: str) -> bool:
    """Compare sentences; `...` of ours stands for anything."""
    pattern = ".*".join(map(re.escape, ours.split("...")))
    return re.fullmatch(pattern, theirs, re.DOTALL) is not None


def _their_sentence(answer: Row) -> str:
    if answer["error"] is not None:
        return str(answer["error"])
    hook = answer["hook"]
    return hook["says"][-1] if hook and hook["code"] and hook["says"] else ""


def _unlike_devices(found: Outcome, row: Row, answer: Row) -> Iterator[str]:
    hook = answer["hook"]
    if _is_marked(row):
        yield from _unlike_marks(found, answer)
    if (found.mode is Mode.LEGACY) != (hook is not None):
        yield f"mode {found.mode}, the toolkit's hook {hook}"
    if hook is not None:
        yield from _unlike_call(found, hook)
    elif found.cdi is None or not _is_marked(row):
        yield from _unlike_nodes(found, answer)
    fabric = [each for each in answer["devices"] if each in _FABRIC]
    # A row without GPUs has no device nodes at all.
    if row["gpus"] is not None and ("mofed" in found.features) != bool(fabric):
        yield f"features {found.features}, the toolkit {fabric}"


def _is_marked(row: Row) -> bool:
    """The specs of generated rows leave marks; those that nvidia-ctk wrote have devices."""
    return all("GOT " in text for text in texts(row["specs"]).values())


def _unlike_marks(found: Outcome, answer: Row) -> Iterator[str]:
    devices = found.cdi.devices if found.cdi else ()
    ours = {f"GOT {device.name.replace('=', '#')}=1" for device in devices}
    theirs = {each for each in answer["env"] if each.startswith("GOT ")}
    if ours != theirs:
        yield f"CDI {ours}, the toolkit {theirs}"


def _unlike_nodes(found: Outcome, answer: Row) -> Iterator[str]:
    if isinstance(found.gpus, Unknown):
        yield f"GPUs undecided: {found.gpus.reason}"
        return
    theirs = sorted(
        uuid(int(match[1])) for each in answer["devices"] if (match := _GPU.fullmatch(each))
    )
    ours = sorted(each.text for each in found.gpus.value)
    if ours != theirs:
        yield f"GPUs {ours}, the toolkit {theirs}"
    channels = {each.removeprefix(_IMEX) for each in answer["devices"] if _IMEX in each}
    wanted = {each.removeprefix("channel") for each in found.imex}
    wanted = {"0", "1"} if "all" in wanted else wanted
    if wanted != channels:
        yield f"IMEX {found.imex}, the toolkit {channels}"


def _unlike_call(found: Outcome, hook: Row) -> Iterator[str]:
    if hook["cli"] is None:
        if found.asked:
            yield f"asked {found.asked}, the toolkit's hook does nothing"
        return
    devices = ",".join(found.asked)
    imex = ",".join(found.imex)
    ours = [
        *([f"--device={devices}"] if devices else []),
        *([f"--imex-channel={imex}"] if imex else []),
        *(f"--require={each}" for each in found.requirements),
        *(f"--{each}" for each in found.capabilities),
    ]
    theirs = [each for each in hook["cli"] if not each.startswith("--mig-")]
    if sorted(ours) != sorted(theirs):
        yield f"hands over {sorted(ours)}, the toolkit {theirs}"


def _unlike_notes(found: Outcome, answer: Row) -> Iterator[str]:
    said = [*answer["warnings"], *(answer["hook"]["says"] if answer["hook"] else [])]
    about = ("Ignoring devices", "Ignoring invalid mount")
    theirs = {each.rstrip() for each in map(_message, said) if each.startswith(about)}
    if {each.rstrip() for each in found.notes} != theirs:
        yield f"notes {found.notes}, the toolkit {theirs}"


def _message(line: str) -> str:
    """Take a line of the hook's own log apart, which it writes since v1.18."""
    match = re.search(r'level=warning msg="(.*)"', line)
    return match[1] if match else line


def _config_file(row: Row) -> TextFile | None:
    if row["config"] is None:
        return None
    document = Document(name="config.toml", origin=Origin.NODE, owner="node")
    return TextFile(document=document, text=row["config"])


def _request(row: Row) -> Request:
    return Request(
        env=tuple(row["env"]),
        mounts=tuple(Mount(source=source, destination=to) for source, to in row["mounts"]),
        capabilities=frozenset(row["capabilities"]),
        annotations=row["annotations"],
    )


def _cards(row: Row) -> Answer[tuple[Card, ...] | None]:
    if row["gpus"] is None:
        return Known(value=None)
    cards = (
        Card(index=index, model="NVIDIA H200", uuid=GpuUuid(text=uuid(index)))
        for index in range(row["gpus"])
    )
    return Known(value=tuple(cards))


def _registry(row: Row, config: ToolkitConfig) -> Registry:
    folder = FOLDER.removeprefix("/")
    files = {
        f"{folder}/{name}": TextFile(
            document=Document(name=name, origin=Origin.NODE, owner="node"), text=text
        )
        for name, text in texts(row["specs"]).items()
    }
    folders = [each.removeprefix("/") for each in config.spec_dirs]
    listings = {
        each: tuple(n.rpartition("/")[2] for n in files if n.rpartition("/")[0] == each)
        for each in folders
    }
    return registry(files, spec_dirs=config.spec_dirs, listings=listings)
