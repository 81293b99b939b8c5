"""One JSON object a line over a Unix socket: how QEMU (QMP) and the guest's agent are spoken to."""

import json
import socket
import threading
import time
from pathlib import Path
from typing import Any, TypeAlias

Message: TypeAlias = dict[str, Any]
_LONGEST = 120.0  # seconds; a busy machine without KVM takes its time


class RefusedError(Exception):
    """The other side's own words."""


class Line:
    """A connection."""

    def __init__(self, path: Path, *, patience: float) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        self._read = b""
        deadline = time.monotonic() + patience
        while True:
            try:
                self._socket.connect(str(path))
            except OSError:
                if time.monotonic() > deadline:
                    raise
                threading.Event().wait(0.05)
            else:
                return

    def ask(self, command: str, **arguments: object) -> Any:  # noqa: ANN401 - whatever it answers
        self.send(command, **arguments)
        while True:  # events come in between
            message = self.receive(_LONGEST)
            if "error" in message:
                raise RefusedError(f"{command}: {message['error']['desc']}")
            if "return" in message:
                return message["return"]

    def await_event(self, name: str, *, patience: float = _LONGEST) -> Message:
        deadline = time.monotonic() + patience
        while True:
            message = self.receive(deadline - time.monotonic())
            if message.get("event") == name:
                return message

    def send(self, command: str, **arguments: object) -> None:
        asked = {"execute": command, **({"arguments": arguments} if arguments else {})}
        self._socket.sendall(json.dumps(asked).encode() + b"\n")

    def receive(self, patience: float) -> Message:
        self._socket.settimeout(max(patience, 0.01))
        while b"\n" not in self._read:
            more = self._socket.recv(1 << 20)
            if not more:
                raise EOFError("QEMU went away")
            self._read += more
        line, _, self._read = self._read.partition(b"\n")
        return json.loads(line.replace(b"\xff", b"") or b"{}")  # type: ignore[no-any-return]

    def close(self) -> None:
        self._socket.close()
