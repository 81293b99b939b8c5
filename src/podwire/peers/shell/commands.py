"""Commands of a script, where their output goes, and what functions do."""

from collections.abc import Callable, Sequence

from podwire.peers.shell.clauses import (
    file_redirects,
    is_output,
    plain,
    program_of,
    script_in,
    without_prefix,
)
from podwire.peers.shell.flow import Flow
from podwire.peers.shell.follower import ExitError, LeaveError
from podwire.peers.shell.output import printed
from podwire.peers.shell.records import HOLE
from podwire.peers.shell.state import TooMuchError
from podwire.peers.shell.tree import Node, parse

_PRINTS = {"echo", "printf", "seq"}
_QUIET = _PRINTS | {":", "true", "set", "shopt", "trap"}
_FORGETS = {"read", "mapfile", "readarray", "unset", "shift", "let", "getopts"}
_GAPS = {"eval": "eval", "source": "source", ".": "source"}
_DEEPEST = 40


class Commands(Flow):
    """What is carried out."""

    def _redirected(self, node: Node) -> bool | None:
        """Follow a statement; `>` behind a list or a pipeline is of its last command."""
        body = node.field("body")
        redirects = [child for child in node.named if child is not body]
        if body is None:
            return self._into(redirects, lambda: True)
        if body.kind in {"list", "pipeline"} and any(r.kind == "file_redirect" for r in redirects):
            if body.kind == "pipeline":
                return self._into(redirects, lambda: self._pipeline(body))
            return self._last_into(redirects, body)
        return self._into(redirects, lambda: self.statement(body))

    def _last_into(self, redirects: Sequence[Node], body: Node) -> bool | None:
        first, last = body.named[0], body.named[-1]
        is_and = any(child.text == "&&" for child in body.children if not child.is_named)
        status = self.statement(first)
        if status is None:
            with self._state.in_doubt():
                self._into(redirects, lambda: self.statement(last))
            return None
        return self._into(redirects, lambda: self.statement(last)) if status is is_and else status

    def _into(self, redirects: Sequence[Node], follow: Callable[[], bool | None]) -> bool | None:
        kept, self._out = self._out, []
        status = follow()
        text = "\n".join(self._out)
        self._out = kept
        is_taken = False
        for redirect in file_redirects(redirects):
            destination = redirect.field("destination")
            if destination is None or not is_output(redirect):
                continue
            is_taken = True
            for path in self._words.fields([destination]):
                self._state.wrote(path, text, destination.start)
            status = None if status else status  # The kernel may refuse the write.
        if not is_taken and text:
            self._out.append(text)
        return status

    def _pipeline(self, node: Node) -> bool | None:
        text, status = "", None
        kept = self._out
        for child in node.named:
            self._out = []
            status = self._piped(child, text)
            text = "\n".join(self._out)
        self._out = [*kept, text] if text else kept
        return status

    def _piped(self, node: Node, text: str) -> bool | None:
        """Follow a command that reads what came before it: tee writes that."""
        if node.kind == "redirected_statement" and (body := node.field("body")) is not None:
            rest = [child for child in node.named if child is not body]
            return self._into(rest, lambda: self._piped(body, text))
        if node.kind != "command":
            return self.statement(node)
        argv = plain(without_prefix(self._argv(node)))
        if argv[:1] == ("tee",):
            for path in argv[1:]:
                if not path.startswith("-"):
                    self._state.wrote(path, text, node.start)
            self._out.append(text)
            return None
        if argv[:1] == ("cat",) and len(argv) == 1:
            self._out.append(text)
            return True
        return self.statement(node)

    def _argv(self, node: Node) -> tuple[str, ...]:
        parts = [
            child
            for child in node.named
            if child.kind not in {"variable_assignment", "herestring_redirect"}
            and "redirect" not in child.kind
        ]
        return self._words.fields([program_of(part) for part in parts])

    def _command(self, node: Node) -> bool | None:
        argv = plain(without_prefix(self._argv(node)))
        if not argv:
            return self._assignments(node)
        here = [c for c in node.named if c.kind == "herestring_redirect"]
        if argv[0] == "tee" and here:
            text = self._words.text(here[0].named[-1])
            for path in argv[1:]:
                self._state.wrote(path, text, node.start)
            return None
        return self._started(argv, node)

    def _started(self, argv: tuple[str, ...], node: Node) -> bool | None:
        name = argv[0]
        if name in self._state.functions:
            return self._called(name, argv[1:])
        inner = script_in(argv)
        if inner is not None and self._state.depth < _DEEPEST:
            return self._nested(inner)
        if name in _QUIET:
            return self._builtin(argv)
        if name in {"exit", "return", "break", "continue"}:
            self._left(argv)
        if name in _GAPS:
            self._state.gap(_GAPS[name], node.start)
        elif name in _FORGETS:
            self._forget(name, argv[1:])
        else:
            self._out.append(HOLE)
            self._state.started(argv, node.start)
        return False if name == "false" else None

    def _builtin(self, argv: tuple[str, ...]) -> bool | None:
        if argv[0] in _PRINTS:
            self._out.append(printed(argv))
        return True

    def _left(self, argv: tuple[str, ...]) -> None:
        """Leave; behind a return that may have happened the end of a function is in doubt."""
        word, code = argv[0], argv[1] if len(argv) > 1 else ""
        if self._state.may_have_returned and word in {"exit", "return"}:
            return
        if word == "exit":
            raise ExitError(code)
        raise LeaveError(word, status=code == "0" if code.isdigit() else None)

    def _forget(self, name: str, words: tuple[str, ...]) -> None:
        for word in words:
            self._state.set(word.partition("=")[0].lstrip("-"), HOLE)
        if name == "shift":
            self._state.arguments = self._state.arguments[1:]

    def _called(self, name: str, arguments: tuple[str, ...]) -> bool | None:
        if self._state.depth >= _DEEPEST:
            raise TooMuchError
        kept, has_returned = self._state.arguments, self._state.may_have_returned
        self._state.arguments, self._state.may_have_returned = arguments, False
        self._state.depth += 1
        try:
            with self._state.turning():
                return self.statement(self._state.functions[name])
        except LeaveError as left:
            return left.status
        finally:
            self._state.depth -= 1
            self._state.arguments, self._state.may_have_returned = kept, has_returned

    def _nested(self, script: str) -> bool | None:
        """Follow `bash -c`; its own places are lost, and its variables stay its own."""
        self._state.depth += 1
        try:
            with self._state.apart():
                return self.statements(parse(script).children)
        except (ExitError, LeaveError):
            return None
        finally:
            self._state.depth -= 1

    def _capture(self, node: Node) -> str:
        """Run `$(...)` for what it prints; what else it does is noted too."""
        inside = [c for c in node.children if c.text not in {"$(", ")", "`"}]
        if inside and all(c.kind == "file_redirect" for c in inside):
            return HOLE  # $(<FILE) is what the file holds.
        kept, self._out = self._out, []
        try:
            with self._state.apart():
                self.statements(inside)
            text = "\n".join(self._out)
        except (ExitError, LeaveError):
            text = HOLE
        self._out = kept
        return text.rstrip("\n")
