"""Follows a script statement by statement."""

from collections.abc import Callable, Mapping, Sequence

from podwire.peers.shell.commands import Commands
from podwire.peers.shell.follower import ExitError, LeaveError
from podwire.peers.shell.records import Gap, Ran
from podwire.peers.shell.state import State, TooMuchError
from podwire.peers.shell.tree import Node, parse


def run(
    script: str,
    *,
    variables: Mapping[str, str] | None = None,
    arguments: Sequence[str] = (),
) -> Ran:
    """Follow a whole script.

    Args:
        script: its text.
        variables: its environment; what is in neither is unknown.
        arguments: `$1` and so on.

    Raises:
        NoGrammarError: tree-sitter or tree-sitter-bash is not installed.
    """
    root = parse(script)
    state = State(dict(variables or {}), tuple(arguments))
    try:
        Evaluator(state).statements(root.children)
    except (TooMuchError, RecursionError):
        state.gap("more than podwire follows", 0)
    except (ExitError, LeaveError):
        pass
    return Ran(acts=tuple(state.acts))


class Evaluator(Commands):
    """Knows who follows which kind of statement."""

    def __init__(self, state: State) -> None:
        super().__init__(state)
        self._handlers: dict[str, Callable[[Node], bool | None]] = {
            "command": self._command,
            "list": self._list,
            "pipeline": self._pipeline,
            "redirected_statement": self._redirected,
            "negated_command": self._negated,
            "test_command": self._test,
            "compound_statement": self._group,
            "do_group": self._group,
            "program": self._group,
            "subshell": self._subshell,
            "function_definition": self._function,
            "variable_assignment": self._assignment,
            "variable_assignments": self._assignments,
            "declaration_command": self._assignments,
            "unset_command": self._assignments,
            "if_statement": self._if,
            "case_statement": self._case,
            "for_statement": self._for,
            "c_style_for_statement": self._c_for,
            "while_statement": self._while,
            "ERROR": self._error,
        }

    def statement(self, node: Node) -> bool | None:
        """Follow one statement; one of a kind that is not modelled is a gap."""
        self._state.step()
        handler = self._handlers.get(node.kind)
        if handler is None:
            self._state.gap(node.kind.replace("_", " "), node.start)
            return None
        try:
            return handler(node)
        except IndexError:  # The grammar mends a broken text with pieces that hold nothing.
            return self._error(node)

    def _error(self, node: Node) -> bool | None:
        self._state.acts.append(Gap(construct="a piece that is no bash", at=node.start))
        return None
