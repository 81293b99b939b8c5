"""Pieces of a script by their role: branches, patterns, redirections, prefixes of commands."""

from collections.abc import Sequence

from podwire.peers.shell.records import HOLE
from podwire.peers.shell.tree import Node

_SAME = frozenset({"echo", "printf", "seq", "tee", "cat", "true", "false", "sleep"})
_PREFIXES = {"sudo": 0, "nohup": 0, "exec": 0, "command": 0, "time": 0, "timeout": 1, "nice": 0}


def program_of(node: Node) -> Node:
    """Give the word that names a command's program; any other piece as it is."""
    return node.named[0] if node.kind == "command_name" and node.named else node


def without_prefix(argv: tuple[str, ...]) -> tuple[str, ...]:
    """Take `sudo` and its like away; their options with values are not read."""
    while argv and (skip := _PREFIXES.get(argv[0].rpartition("/")[2])) is not None:
        rest = list(argv[1:])
        while rest and rest[0].startswith("-"):
            rest.pop(0)
        argv = tuple(rest[skip:])
    return argv


def plain(argv: tuple[str, ...]) -> tuple[str, ...]:
    """Call `/usr/bin/echo` echo: what the shell has too does the same as a program."""
    folder, _, name = argv[0].rpartition("/") if argv else ("", "", "")
    is_same = folder in {"/bin", "/usr/bin"} and name in _SAME
    return (name, *argv[1:]) if is_same else argv


def script_in(argv: tuple[str, ...]) -> str | None:
    """Give the script of `bash -c SCRIPT`."""
    if argv[0].rpartition("/")[2] not in {"bash", "sh", "dash"} or len(argv) < 3:
        return None
    is_script = argv[1].startswith("-") and "c" in argv[1] and HOLE not in argv[2]
    return argv[2] if is_script else None


def branches_of(node: Node) -> list[tuple[list[Node] | None, list[Node]]]:
    """Give conditions and bodies of an if in order; `else` has no condition."""
    found: list[tuple[list[Node] | None, list[Node]]] = []
    condition: list[Node] = []
    body: list[Node] = []
    is_body = False
    for child in node.children:
        if child.text == "then" and not child.is_named:
            is_body = True
        elif child.kind == "else_clause":
            found.append((None, list(child.named)))
        elif child.kind == "elif_clause":
            found += branches_of(child)
        elif child.is_named:
            (body if is_body else condition).append(child)
    return [(condition, body), *found]


def patterns_of(item: Node) -> list[Node]:
    """Give what stands before the `)` of a case."""
    found = []
    for child in item.children:
        if child.text == ")" and not child.is_named:
            break
        if child.is_named:
            found.append(child)
    return found


def fits(text: str, patterns: Sequence[Node]) -> bool | None:
    """Say whether a case applies; None: nobody can tell here."""
    literal = [pattern.text.strip("\"'") for pattern in patterns]
    if "*" in literal:
        return True
    if HOLE in text or any(c in word for word in literal for c in "*?[$"):
        return None
    return text in literal


def file_redirects(redirects: Sequence[Node]) -> list[Node]:
    """Give redirections to files, those behind a here-document too."""
    found = []
    for redirect in redirects:
        found += [n for n in redirect.every() if n.kind == "file_redirect"]
    return found


def is_output(redirect: Node) -> bool:
    """Whether standard output goes there."""
    descriptor = redirect.field("descriptor")
    sign = next((c.text for c in redirect.children if not c.is_named), "")
    return sign in {">", ">>", ">|", "&>", "&>>"} and (descriptor is None or descriptor.text == "1")
