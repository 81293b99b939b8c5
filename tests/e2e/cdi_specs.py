"""CDI specs for a real node, one kind for each question, and who asks for which name."""

import json
from typing import TypeAlias

import msgspec

Edits: TypeAlias = dict[str, object]

# A device that every machine has, described so that nothing has to be looked up.
NULL: Edits = {"deviceNodes": [{"path": "/dev/cdi0", "hostPath": "/dev/null", "type": "c",
                                "major": 1, "minor": 3}]}  # fmt: skip


class Question(msgspec.Struct, frozen=True):
    """What lies in the folder, and the devices that a container asks for.

    `{kind}` in a text stands for the kind that is this question's own.
    """

    name: str
    files: dict[str, str]
    wants: tuple[str, ...]

    @property
    def kind(self) -> str:
        return f"{self.name}.example.com/gpu"

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(f"{self.kind}={want}" for want in self.wants)

    @property
    def texts(self) -> dict[str, str]:
        return {
            f"{folder}{slash}{self.name}-{name}": text.replace("{kind}", self.kind)
            for path, text in self.files.items()
            for folder, slash, name in [path.rpartition("/")]
        }


def spec(*names: str, version: str = "0.6.0", edits: Edits = NULL, **more: object) -> str:
    devices = [{"name": name, "containerEdits": edits} for name in names]
    return json.dumps({"cdiVersion": version, "kind": "{kind}", "devices": devices, **more})


QUESTIONS = (
    Question("good", {"a.json": spec("0", "GPU-1")}, ("GPU-1",)),
    Question("address", {"a.yaml": spec("0000:18:00.2")}, ("0000:18:00.2",)),
    Question("whole", {"a.json": spec("0", containerEdits={"env": ["CDI=1"]})}, ("0",)),
    Question("management", {"a.yaml": spec("all")}, ("GPU-1",)),
    Question("partly", {"a.yaml": spec("0")}, ("0", "1")),
    Question("neither", {"a.yaml": spec("all")}, ("0", "1")),
    Question("conflict", {"a.yaml": spec("0", "1"), "b.json": spec("0")}, ("0",)),
    Question("no-conflict", {"a.yaml": spec("0", "1"), "b.json": spec("0")}, ("1",)),
    Question("old", {"a.yaml": spec("0", version="0.4.0")}, ("0",)),
    Question("never", {"a.yaml": spec("0", version="9.9.9")}, ("0",)),
    Question("field", {"a.yaml": spec("0", comment="x")}, ("0",)),
    Question("case", {"a.yaml": spec("0").replace('"kind"', '"Kind"')}, ("0",)),
    Question("twice", {"a.yaml": spec("0", "0")}, ("0",)),
    Question("empty", {"a.yaml": spec("0", edits={})}, ("0",)),
    Question("hook", {"a.yaml": spec("0", edits={"hooks": [{"hookName": "x"}]})}, ("0",)),
    Question("beside", {"a.yaml": spec("0"), "b.yaml": "kind: ["}, ("0",)),
    Question("yml", {"a.yml": spec("0")}, ("0",)),
    Question("below", {"sub/a.yaml": spec("0")}, ("0",)),
    Question("second", {"a.yaml": f"{spec('0')}\n---\n{spec('1')}\n"}, ("1",)),
    Question("nothing", {"a.yaml": "# later\n"}, ("0",)),
    Question("upper", {"a.yaml": spec("gpu0")}, ("GPU0",)),
)
