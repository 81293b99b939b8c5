"""What following a script needs everywhere: its state, and the ways to leave a piece of it."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence

from podwire.peers.shell.state import State
from podwire.peers.shell.tree import Node
from podwire.peers.shell.words import Words

_WHOLE = frozenset({"comment", "heredoc_body", "heredoc_end", "heredoc_start"})


class ExitError(Exception):
    """`exit`; what follows it in doubt catches it.

    `is_failure`: with a number that is not 0, or that nobody can tell.
    """

    def __init__(self, code: str = "") -> None:
        super().__init__(code)
        self.is_failure = code not in {"", "0"}


class LeaveError(Exception):
    """`break`, `continue` or `return`."""

    def __init__(self, word: str, *, status: bool | None = None) -> None:
        super().__init__(word)
        self.word = word
        self.status = status


class Follower(ABC):
    """Follows pieces of one script; the status of each is None where nobody can tell it."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._words = Words(state, self._capture)
        self._out: list[str] = []

    @abstractmethod
    def statement(self, node: Node) -> bool | None:
        """Follow one statement."""

    @abstractmethod
    def _capture(self, node: Node) -> str:
        """Run `$(...)` for what it prints."""

    def statements(self, nodes: Sequence[Node]) -> bool | None:
        """Follow a list; its status is that of its last command."""
        status: bool | None = True
        for node in nodes:
            if node.is_named and node.kind not in _WHOLE:
                status = self.statement(node)
        return status

    def _perhaps(self, nodes: Sequence[Node], *, is_loop: bool = False) -> bool | None:
        """Follow what may happen, or happen many times; how that ends nobody can tell."""
        with self._state.in_doubt(is_loop=is_loop):
            self._guarded(lambda: self.statements(nodes))
        return None

    def _guarded(self, follow: Callable[[], object]) -> None:
        """Follow what may leave the script; that it does is in doubt as well.

        After an exit with a failure nothing of interest is done by another way, so that what
        follows it counts as done; after one without it may have been done before.
        """
        try:
            follow()
        except ExitError as left:
            self._state.may_have_exited |= not left.is_failure
        except LeaveError as left:
            self._state.may_have_returned |= left.word == "return"
            is_skip = left.word == "return" and left.status is not False
            self._state.may_have_turned |= is_skip or left.word == "continue"
            self._state.may_have_broken |= left.word == "break"
