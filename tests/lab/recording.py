"""What the guest's systemd and udev said about the tables, kept for runs without a guest.

`python -m tests.lab.recording NAME...` asks again and writes; no name means all.
"""

import json
import sys
from pathlib import Path
from typing import Any, TypeAlias

Recording: TypeAlias = dict[str, Any]

FOLDER = Path(__file__).parent / "recorded"
NAMES = ("link", "exec")


def recorded(name: str) -> Recording:
    return json.loads((FOLDER / f"{name}.json").read_text())  # type: ignore[no-any-return]


def written(recording: Recording) -> str:
    """Give one line to each row, so that a change is one line of a diff."""
    lines = []
    for key, value in recording.items():
        if isinstance(value, list):
            rows = ",\n".join(f"    {json.dumps(row)}" for row in value)
            lines.append(f'  "{key}": [\n{rows}\n  ]')
        else:
            inner = json.dumps(value, indent=2).replace("\n", "\n  ")
            lines.append(f'  "{key}": {inner}')
    return "{\n" + ",\n".join(lines) + "\n}\n"


if __name__ == "__main__":
    from tests.lab.lab import built_lab

    lab = built_lab()
    for asked in sys.argv[1:] or NAMES:
        with lab.thawed() as guest:
            answer = guest.call(f"{asked}s.record")
        (FOLDER / f"{asked}.json").write_text(written(answer))
