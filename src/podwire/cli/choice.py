"""Which rules a name stands for; a name that none has is answered with the nearest."""

from collections.abc import Iterable, Sequence

from podwire.findings.model import Rule
from podwire.model.errors import PodwireError


def chosen(catalogue: Sequence[Rule], *, names: Iterable[str]) -> tuple[Rule, ...]:
    """Give the named rules in the catalogue's order; without names, all."""
    wanted = {find(catalogue, name=name).id for name in names}
    return tuple(rule for rule in catalogue if not wanted or rule.id in wanted)


def find(catalogue: Sequence[Rule], *, name: str) -> Rule:
    """Look a rule up by id or slug, whatever its case.

    Raises:
        PodwireError: there is none; the hint names the nearest.
    """
    low = name.strip().lower()
    by_name = {key: rule for rule in catalogue for key in (rule.id.lower(), rule.slug)}
    if low in by_name:
        return by_name[low]
    import difflib

    near = difflib.get_close_matches(low, sorted(by_name), n=3, cutoff=0.5)
    rules = dict.fromkeys(f"{by_name[key].id} {by_name[key].slug}" for key in near)
    hint = f"nearest: {', '.join(rules)}" if rules else "an id is written like PW103"
    raise PodwireError(f"no rule has the id or slug {name!r}", hint=hint)
