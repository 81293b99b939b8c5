"""Cases for the CDI oracle: folders of specs and names to ask for, made up from a seed."""

import json
import random
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

from tests.oracle.cdi.words import (
    CLOS,
    DEVICES,
    DIRS,
    ENV,
    FILES,
    FOLDERS,
    KINDS,
    NAMES,
    NUMBERS,
    ODD_DEVICES,
    ODD_ENV,
    ODD_FILES,
    ODD_KINDS,
    ODD_VERSIONS,
    STRINGS,
    VERSIONS,
)
from tests.oracle.cdi.yaml_text import Raw, has_raw, lines

Case: TypeAlias = dict[str, Any]


def cases(seed: int) -> Iterator[Case]:
    """Make cases without end, the same for the same seed."""
    chance = random.Random(seed)  # noqa: S311 - cases, not secrets
    while True:
        yield _case(chance)


def _case(chance: random.Random) -> Case:
    files = {}
    for _ in range(chance.choice((1, 1, 2, 2, 3, 4))):
        names = ODD_FILES if chance.random() < 0.08 else FILES
        files[f"{chance.choice(FOLDERS)}/{chance.choice(names)}"] = _text(chance)
    return {
        "files": files,
        "dirs": chance.choice(DIRS),
        "names": [_name(chance) for _ in range(chance.choice((1, 1, 2, 3)))],
        "annotations": _annotations(chance),
    }


def _name(chance: random.Random) -> str:
    if chance.random() < 0.2:
        return chance.choice(NAMES)
    return f"{chance.choice(KINDS)}={chance.choice(DEVICES)}"


def _annotations(chance: random.Random) -> dict[str, str]:
    keys = chance.sample(("cdi.k8s.io/a", "cdi.k8s.io/b", "nvidia.cdi.k8s.io/c", "cdi.k8s.io"), 2)
    if chance.random() < 0.3:  # With two that are wrong, any of them is named.
        keys = keys[:1]
    good = {key: ",".join(_good(chance) for _ in range(chance.choice((1, 2)))) for key in keys}
    if chance.random() < 0.3:
        good[keys[0]] = chance.choice((*NAMES, "a/b=c,", "nvidia.com/gpu=0, nvidia.com/gpu=1"))
    return good


def _good(chance: random.Random) -> str:
    return f"{chance.choice(KINDS)}={chance.choice(DEVICES)}"


def _text(chance: random.Random) -> str:
    spec = _spec(chance)
    faults = chance.choice((0, 0, 0, 1, 1, 2))
    for _ in range(faults):
        chance.choice(_FAULTS)(spec, chance)
    if chance.random() < 0.3 and not has_raw(spec):
        return json.dumps(spec, indent=chance.choice((None, 2)), ensure_ascii=chance.random() < 0.5)
    text = "".join(f"{line}\n" for line in lines(spec))
    return _around(text, chance) if chance.random() < 0.15 else text


def _around(text: str, chance: random.Random) -> str:
    return chance.choice(
        (
            f"# generated\n\n---\n{text}",
            f"---\n{text}---\nkind: other/thing\n",
            f"%YAML 1.1\n---\n{text}",
            text.replace("\n", "\r\n"),
            f"{text}foo: bar\n",
            f"{text}kind: nvidia.com/gpu\n",
            f"{text}\n{text}",
            f"x: &x {{env: [A=1]}}\n{text}",
            text.replace("containerEdits:", "containerEdits: &e", 1).replace(
                "containerEdits:\n", "containerEdits: *e\n", 1
            ),
            "",
            "# nothing\n",
            "---\n",
            "null\n",
            "just text\n",
            "[1, 2]\n",
            f"{text}  - broken: [\n",
            f"\t{text}",
            f"{text}devices: {{\n",
        )
    )


def _spec(chance: random.Random) -> Case:
    names = chance.sample(DEVICES, chance.choice((1, 1, 2, 3)))
    spec: Case = {
        "cdiVersion": chance.choice(VERSIONS),
        "kind": chance.choice(KINDS),
        "devices": [{"name": name, "containerEdits": _edits(chance)} for name in names],
    }
    if chance.random() < 0.4:
        spec["containerEdits"] = _edits(chance)
    return spec


def _edits(chance: random.Random) -> Case:
    edits: Case = {}
    if chance.random() < 0.7:
        path = f"/dev/nvidia{chance.randrange(4)}"
        edits["deviceNodes"] = [{"path": path, "type": "c", "major": 195, "minor": 0}]
    if chance.random() < 0.4 or not edits:
        edits["env"] = chance.sample(ENV, 2)
    if chance.random() < 0.2:
        edits["mounts"] = [{"hostPath": "/usr/lib/x.so", "containerPath": "/usr/lib/x.so"}]
    if chance.random() < 0.2:
        edits["hooks"] = [{"hookName": "createContainer", "path": "/usr/bin/nvidia-ctk"}]
    return edits


def _some_edits(spec: Case, chance: random.Random) -> Case:
    places = [device["containerEdits"] for device in spec["devices"]]
    if chance.random() < 0.3:
        places.append(spec.setdefault("containerEdits", {}))
    found = chance.choice(places) if places else spec.setdefault("containerEdits", {})
    return found if isinstance(found, dict) else {}


def _some_device(spec: Case, chance: random.Random) -> Case:
    devices: list[Case] = [device for device in spec["devices"] if isinstance(device, dict)]
    return chance.choice(devices) if devices else {}


def _a_version(spec: Case, chance: random.Random) -> None:
    spec["cdiVersion"] = chance.choice(ODD_VERSIONS)


def _a_kind(spec: Case, chance: random.Random) -> None:
    spec["kind"] = chance.choice(ODD_KINDS)


def _a_name(spec: Case, chance: random.Random) -> None:
    _some_device(spec, chance)["name"] = chance.choice(ODD_DEVICES)


def _a_twin(spec: Case, chance: random.Random) -> None:
    device = _some_device(spec, chance)
    if device:
        spec["devices"] = [*spec["devices"], dict(device)]


def _no_devices(spec: Case, chance: random.Random) -> None:
    spec["devices"] = []
    if chance.random() < 0.5:
        del spec["devices"]
        spec["devices"] = []


def _no_edits(spec: Case, chance: random.Random) -> None:
    _some_edits(spec, chance).clear()


def _annotated(spec: Case, chance: random.Random) -> None:
    place = chance.choice((spec, _some_device(spec, chance)))
    place["annotations"] = chance.choice(({"a": "b"}, {}, {"a b": "c!"}, {"a": Raw("5")}, Raw("~")))


def _an_env(spec: Case, chance: random.Random) -> None:
    _some_edits(spec, chance)["env"] = [chance.choice(ODD_ENV)]


def _a_node(spec: Case, chance: random.Random) -> None:
    _some_edits(spec, chance)["deviceNodes"] = [
        {"path": "/dev/null"},
        chance.choice(
            (
                {"path": ""},
                {"path": "/dev/null", "type": "x"},
                {"path": "/dev/null", "hostPath": "/dev/zero"},
                {"path": "/dev/null", "permissions": "rwx"},
                {"path": "/dev/null", "permissions": "none"},
                {"path": "/dev/null", "permissions": "mrw"},
                {"path": "/dev/null", "type": "c", "major": -1, "minor": 5},
                {"path": "/dev/null", "fileMode": 438, "uid": 0, "gid": 5},
                {"path": "/dev/\u00e9\n", "type": "zz"},
                {},
            )
        ),
    ]


def _a_hook(spec: Case, chance: random.Random) -> None:
    _some_edits(spec, chance)["hooks"] = [
        chance.choice(
            (
                {"hookName": "prestart", "path": "/x", "args": ["a"], "env": ["A=1"]},
                {"hookName": "other", "path": "/x"},
                {"hookName": "poststop", "path": ""},
                {"hookName": "poststop", "path": "/x", "env": ["A"]},
                {"hookName": "poststop", "path": "/x", "timeout": 5},
                {"path": "/x"},
            )
        )
    ]


def _a_mount(spec: Case, chance: random.Random) -> None:
    _some_edits(spec, chance)["mounts"] = [
        chance.choice(
            (
                {"hostPath": "", "containerPath": "/x"},
                {"hostPath": "/x"},
                {"hostPath": "/x", "containerPath": "/x", "type": "bind"},
                {"hostPath": "/x", "containerPath": "/x", "options": ["ro"]},
            )
        )
    ]


def _newer_edits(spec: Case, chance: random.Random) -> None:
    name, value = chance.choice(
        (
            ("additionalGids", [5]),
            ("additionalGids", []),
            ("additionalGids", [-1]),
            ("intelRdt", {}),
            ("intelRdt", {"closID": chance.choice(CLOS)}),
            ("intelRdt", {"enableMonitoring": Raw("on")}),
            ("intelRdt", {"enableCMT": True}),
            ("intelRdt", {"schemata": []}),
            ("intelRdt", Raw("~")),
            ("netDevices", [{"hostInterfaceName": "ib0", "name": "net1"}]),
            ("netDevices", [{"hostInterfaceName": "", "name": "net1"}]),
            ("netDevices", [{"hostInterfaceName": "ib0"}]),
            ("netDevices", [{"hostInterfaceName": "a", "name": n} for n in ("x", "y")]),
            ("netDevices", [{"hostInterfaceName": n, "name": "x"} for n in ("a", "b")]),
            ("netDevices", []),
        )
    )  # fmt: skip
    _some_edits(spec, chance)[name] = value


def _unknown(spec: Case, chance: random.Random) -> None:
    places = [spec, _some_device(spec, chance), _some_edits(spec, chance)]
    lists = [items for items in _some_edits(spec, chance).values() if isinstance(items, list)]
    places.extend(items[0] for items in lists if items and isinstance(items[0], dict))
    name = chance.choice(
        ("foo", "zzz", "aaa", "cdiversion", "Kind", "NAME", "containeredits", "x y")
    )
    chance.choice(places)[name] = chance.choice(("x", 1, ["a"], {"a": 1}, Raw("~")))


def _a_string(spec: Case, chance: random.Random) -> None:
    field = Raw(chance.choice(STRINGS))
    edits, device = _some_edits(spec, chance), _some_device(spec, chance)
    where: tuple[tuple[Case, str], ...] = (
        (spec, "kind"), (spec, "cdiVersion"), (device, "name"), (edits, "env"),
        (spec, "devices"), (device, "containerEdits"),
    )  # fmt: skip
    place, name = chance.choice(where)
    if chance.random() < 0.3:
        edits["env"] = ["A=1", field]
    elif chance.random() < 0.3:
        edits["deviceNodes"] = [{"path": "/dev/null", "permissions": field}]
    elif name != "devices" or chance.random() < 0.3:
        place[name] = [] if name == "devices" else field


def _a_number(spec: Case, chance: random.Random) -> None:
    field = Raw(chance.choice(NUMBERS))
    name = chance.choice(("major", "minor", "fileMode", "uid", "gid"))
    _some_edits(spec, chance)["deviceNodes"] = [{"path": "/dev/null", name: field}]


_FAULTS: tuple[Callable[[Case, random.Random], None], ...] = (
    _a_version, _a_kind, _a_name, _a_twin, _no_devices, _no_edits, _annotated, _an_env, _a_node,
    _a_hook, _a_mount, _newer_edits, _newer_edits, _unknown, _unknown, _a_string, _a_number,
)  # fmt: skip
