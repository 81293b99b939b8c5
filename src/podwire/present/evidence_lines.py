"""What a finding rests on: the places in the order of the wire, the first ones as excerpts."""

from collections.abc import Sequence

from podwire.findings.model import Evidence
from podwire.present.excerpt import excerpt
from podwire.present.lines import WIDTH, plain, wrapped
from podwire.present.places import Places

_MOST = 8
_MOST_EXCERPTS = 2
_ARROW = "  --> "
_SAW_LIMIT = 400


def evidence_lines(evidence: Sequence[Evidence], *, places: Places) -> list[str]:
    """Show each place with what was seen there."""
    lines: list[str] = []
    shown: set[tuple[str, int]] = set()
    for seen in evidence[:_MOST]:
        cut = _excerpt(seen, places=places, shown=shown)
        if cut:
            lines += [*wrapped(_place(seen, places=places), first=_ARROW), *cut]
            lines += _unseen(seen, cut)
        else:
            lines += _place_and_value(seen, places=places)
    if len(evidence) > _MOST:
        lines.append(f"{_ARROW}and {len(evidence) - _MOST} more")
    return lines


def _excerpt(seen: Evidence, *, places: Places, shown: set[tuple[str, int]]) -> list[str]:
    """Cut the line out of a file that people edit, each line once."""
    found = places.located(seen.at)
    if found is None:
        return []
    line = (seen.at.document.name, found.position.line)
    if line in shown or len(shown) == _MOST_EXCERPTS:
        return []
    shown.add(line)
    return excerpt(places.lines(seen.at.document), at=found)


def _unseen(seen: Evidence, cut: list[str]) -> list[str]:
    """Add what was seen where the excerpt does not show it."""
    saw = plain(seen.saw, limit=_SAW_LIMIT)
    if not saw or saw in cut[-2]:
        return []
    margin = cut[0].removesuffix("|")
    return wrapped(saw, first=f"{margin}= ")


def _place(seen: Evidence, *, places: Places) -> str:
    """Write the place, after the word that says what it has to do with the joint."""
    written = places.written(seen.at)
    return f"{seen.role}: {written}" if seen.role else written


def _place_and_value(seen: Evidence, *, places: Places) -> list[str]:
    place = plain(_place(seen, places=places))
    saw = plain(seen.saw, limit=_SAW_LIMIT)
    one_line = f"{_ARROW}{place}: {saw}" if saw else f"{_ARROW}{place}"
    if len(one_line) <= WIDTH:
        return [one_line]
    return [*wrapped(f"{place}:", first=_ARROW), *wrapped(saw, first=" " * len(_ARROW))]
