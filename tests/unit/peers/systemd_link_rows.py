"""Answers of a real udev (tests/lab) as the model meets them: files, devices, names."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from podwire.model.evidence import Answer, Document, Origin, Unknown
from podwire.peers.systemd_link.applying import Named, applied, named
from podwire.peers.systemd_link.reading import read_link
from podwire.peers.systemd_link.records import LinkDevice, LinkFile, Naming

RECORDED = Path(__file__).parents[2] / "lab" / "recorded" / "link.json"
PACKAGED = "/usr/lib/systemd/network"
DEFAULT = """[Match]
OriginalName=*

[Link]
NamePolicy=keep kernel database onboard slot path
AlternativeNamesPolicy=database onboard slot path mac
MACAddressPolicy=persistent
"""
_FOLDERS = ("/etc", "/run", "/usr/local/lib", "/usr/lib")
_TYPES = {"1": "ether", "32": "infiniband"}
_NAMES = (
    "ID_NET_NAME_FROM_DATABASE",
    "ID_NET_NAME_ONBOARD",
    "ID_NET_NAME_SLOT",
    "ID_NET_NAME_PATH",
    "ID_NET_NAME_MAC",
    "DEVTYPE",
)


class Row(msgspec.Struct, frozen=True):
    """One question to udev: these files, that device; and its answer."""

    name: str
    files: Mapping[str, str | None]
    device: LinkDevice
    answer: dict[str, Any]


class Predicted(msgspec.Struct, frozen=True):
    """What the model says: the file that applies, the name, what is printed of each file."""

    file: str
    name: str


def rows() -> list[Row]:
    recorded = json.loads(RECORDED.read_text(encoding="utf-8"))
    devices = {name: _device(facts) for name, facts in recorded["devices"].items()}
    return [
        Row(name=row["name"], files=row["files"], device=devices[device], answer=answer)
        for row in recorded["rows"]
        for device, answer in row["answers"].items()
    ]


def _device(recorded: Mapping[str, str]) -> LinkDevice:
    type_name = _TYPES.get(recorded["sysfs.type"])
    facts: dict[str, str | None] = {
        "OriginalName": recorded["INTERFACE"],
        "Driver": recorded.get("ID_NET_DRIVER"),
        "Path": recorded.get("ID_PATH"),
        "MACAddress": recorded["sysfs.address"] or None,
        "Type": type_name,
        "Kind": "tun" if recorded["INTERFACE"] == "ib-tun" else None,
    }
    properties: dict[str, str | None] = dict.fromkeys(_NAMES)
    properties |= {k: v for k, v in recorded.items() if not k.startswith("sysfs.")}
    naming = recorded["sysfs.name_assign_type"]
    return LinkDevice(
        name=recorded["INTERFACE"],
        facts=facts,
        properties=properties,
        naming=Naming(naming) if naming else Naming.ENUM,
    )


def links_of(files: Mapping[str, str | None]) -> dict[str, tuple[str, LinkFile]]:
    """Read the files that count, by their names: the path and what is in it."""
    every: dict[str, str | None] = {f"{PACKAGED}/99-default.link": DEFAULT, **files}
    found: dict[str, tuple[str, LinkFile]] = {}
    for top in _FOLDERS:
        for path, text in every.items():
            folder, _, name = path.rpartition("/")
            if folder != f"{top}/systemd/network" or not name.endswith(".link"):
                continue
            if name not in found:
                texts = [(_document(path), text or ""), *_drop_ins(name, every)]
                found[name] = (path, read_link(name, texts))
    return {n: (p, link) for n, (p, link) in found.items() if (every[p] or "").strip()}


def _drop_ins(name: str, every: Mapping[str, str | None]) -> list[tuple[Document, str]]:
    found: dict[str, tuple[Document, str]] = {}
    for top in _FOLDERS:
        for path, text in every.items():
            folder, _, last = path.rpartition("/")
            if folder == f"{top}/systemd/network/{name}.d" and last.endswith(".conf"):
                found.setdefault(last, (_document(path), text or ""))
    return [each for _, each in sorted(found.items())]


def _document(path: str) -> Document:
    return Document(name=path, origin=Origin.NODE, owner="lab")


def predicted(row: Row) -> Predicted | Unknown:
    links = links_of(row.files)
    file: Answer[LinkFile | None] = applied([link for _, link in links.values()], row.device)
    if isinstance(file, Unknown):
        return file
    if file.value is None:
        return Predicted(file="", name="")
    path = next(path for path, link in links.values() if link is file.value)
    name: Answer[Named] = named(file.value, row.device)
    if isinstance(name, Unknown):
        return name
    return Predicted(file=path, name=name.value.name or row.device.name)
