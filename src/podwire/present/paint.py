"""Colours for a terminal that was asked for them: a small table of ANSI codes."""

import enum


class Role(enum.Enum):
    """What a piece of text is, as the parameters of its ANSI sequence."""

    ERROR = "1;31"
    WARNING = "1;33"
    NOTE = "1;36"
    STRONG = "1"
    MARGIN = "34"
    GOOD = "32"


class Paint:
    """Paints or leaves text alone; it never changes how wide the text is."""

    def __init__(self, *, colour: bool) -> None:
        self._colour = colour

    def text(self, text: str, *, role: Role) -> str:
        """Wrap a piece of one line."""
        return f"\x1b[{role.value}m{text}\x1b[0m" if self._colour else text

    def start(self, line: str, *, piece: str, role: Role) -> str:
        """Paint the piece where the line begins with it, indentation aside."""
        indent = line[: len(line) - len(line.lstrip())]
        body = line[len(indent) :]
        if not body.startswith(piece):
            return line
        return indent + self.text(piece, role=role) + body[len(piece) :]
