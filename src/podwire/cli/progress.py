"""A word on stderr about work that takes long; nothing where nobody watches."""

import threading
from contextlib import suppress
from types import TracebackType
from typing import Self, TextIO

_PATIENCE_S = 2.0
_ERASE = "\r\x1b[K"


class Progress:
    """Shows the stage of the work, once it has taken two seconds, on a terminal only."""

    def __init__(self, stream: TextIO, *, patience_s: float = _PATIENCE_S) -> None:
        self._stream = stream
        self._timer = threading.Timer(patience_s, self._show) if stream.isatty() else None
        self._stage = ""
        self._is_shown = False

    def __enter__(self) -> Self:
        if self._timer is not None:
            self._timer.daemon = True
            self._timer.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._timer is not None:
            self._timer.cancel()
        if self._is_shown:
            self._write(_ERASE)

    def stage(self, text: str) -> None:
        """Say what is being done from now on."""
        self._stage = text
        if self._is_shown:
            self._show()

    def _show(self) -> None:
        self._is_shown = True
        self._write(f"{_ERASE}{self._stage} ...")

    def _write(self, text: str) -> None:
        with suppress(OSError):  # The terminal was closed: nobody watches any more.
            self._stream.write(text)
            self._stream.flush()
