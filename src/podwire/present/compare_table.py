"""How machines differ, for a terminal."""

from collections.abc import Iterator

from podwire.facts.comparison import Comparison, Difference, TwiceGuid
from podwire.present.lines import counted, wrapped

_FEW = 4


def compare_text(of: Comparison) -> str:
    """Write a difference a paragraph, and what is alike in one."""
    lines: list[str] = wrapped(f"Compared {', '.join(of.machines)}")
    for difference in of.differences:
        lines += ["", *_difference(difference)]
    for twice in of.twice:
        lines += ["", *_twice(twice)]
    lines += ["", *_rest(of)]
    return "\n".join(lines) + "\n"


def _difference(of: Difference) -> Iterator[str]:
    where = ""
    if of.pfs:
        more = f" and {len(of.pfs) - _FEW} more" if len(of.pfs) > _FEW else ""
        where = f" (PF {', '.join(of.pfs[:_FEW])}{more})"
    yield from wrapped(f"{of.aspect}: {of.machine} has {of.value}{where}", rest="  ")
    yield from wrapped(f"others have {of.usual}", first="  ", rest="  ")


def _twice(of: TwiceGuid) -> list[str]:
    more = f" and {len(of.at) - _FEW} more" if len(of.at) > _FEW else ""
    return wrapped(f"GUID {of.guid} occurs twice: {', '.join(of.at[:_FEW])}{more}", rest="  ")


def _rest(of: Comparison) -> Iterator[str]:
    if of.alike:
        yield from wrapped(f"alike: {', '.join(of.alike)}", rest="  ")
    if of.unknown:
        yield from wrapped(f"not read on every machine: {', '.join(of.unknown)}", rest="  ")
    if of.is_alike:
        yield f"no difference among {counted(len(of.machines), 'machine')}"
