"""The Topology Manager's answer for a terminal: a table of hints per group of nodes."""

from collections.abc import Iterator

from podwire.peers.kubelet_topology import Hint, Hints
from podwire.present.lines import plain, wrapped
from podwire.present.numa_groups import NumaAnswer, NumaGroup
from podwire.wire.numa.cures import Cure
from podwire.wire.numa.holdings import amount
from podwire.wire.numa.judging import Outcome
from podwire.wire.numa.words import smaller_pods, wants_at

_FEW = 3
_MOST_HINTS = 8
_WHY = {
    "too few": "too few are free, on whatever NUMA nodes",
    "too wide": "alone it needs more NUMA nodes than the policy allows",
    "apart": "alone each fits, not on the NUMA nodes of the others",
    "no whole cores": "they are no whole cores, or not as many are free (full-pcpus-only)",
}
_WHY_NOW = _WHY | {"too wide": "what is free of it is on more NUMA nodes than the policy allows"}


def numa_text(answer: NumaAnswer) -> str:
    """Draw the answer."""
    asks = ", ".join(f"{amount(name, count)} {name}" for name, count in answer.asks)
    lines = wrapped(f"{answer.pod} asks for {asks}", rest="  ")
    for group in answer.groups:
        lines += ["", *_group(group)]
    if not answer.groups:
        lines += ["", "no node that it may run on was given"]
    if answer.assumes:
        lines += ["", *(line for a in answer.assumes for line in wrapped(a, first="assumes: "))]
    return "\n".join(lines) + "\n"


def _group(group: NumaGroup) -> Iterator[str]:
    setup = group.first.setup
    how = f" ({setup.policy}, scope {setup.scope})" if setup else ""
    yield from wrapped(f"{_nodes(group)}: {_outcome(group)}{how}", rest="  ")
    if group.first.missing is not None:
        yield from wrapped(group.first.missing.reason, first="  missing:    ")
        if group.first.missing.give:
            yield from wrapped(group.first.missing.give, first="  to give it: ")
    yield from _table(group)
    for words in _blockers(group):
        yield from wrapped(words, first="  in the way: ")
    on = f" on {group.nodes[0]}" if len(group.nodes) > 1 else ""
    for owner, words in group.held[:8]:
        yield from wrapped(f"{owner} has {words}{on}", first="  held:       ")
    if len(group.held) > 8:
        yield f"  held:       and {len(group.held) - 8} more"
    for cure in group.cures:
        yield from wrapped(cure_text(cure), first="  fits with:  ")


def _nodes(group: NumaGroup) -> str:
    more = len(group.nodes) - _FEW
    return ", ".join(group.nodes[:_FEW]) + (f" and {more} like them" if more > 0 else "")


def _outcome(group: NumaGroup) -> str:
    first = group.first
    if first.outcome is Outcome.SHORT:
        return f"too few of {', '.join(map(str, first.lacks))}, whoever holds them"
    if first.outcome is Outcome.NEVER:
        return "never admitted, not on the empty node either"
    if first.outcome is Outcome.NOT_NOW:
        return "not admitted now; the empty node would admit it"
    if first.fits_empty:
        return "undecided; the empty node would admit it"
    return str(first.outcome.value)


def _table(group: NumaGroup) -> Iterator[str]:
    verdict = group.verdict
    if verdict is None or not verdict.steps or not verdict.steps[-1].hints:
        return
    step = verdict.steps[-1]
    wants = wants_at(step, group.first)
    width = max(len("resource"), *(len(plain(str(name))) for name, _ in step.hints))
    asks = {name: amount(name, wants.get(name, 0)) for name, _ in step.hints}
    room = max(len("asks"), *map(len, asks.values()))
    yield f"  {'resource'.ljust(width)}  {'asks'.rjust(room)}  NUMA nodes (* preferred)"
    for name, hints in step.hints:
        start = f"  {plain(str(name)).ljust(width)}  {asks[name].rjust(room)}  "
        yield from wrapped(hints_text(hints), first=start)


def hints_text(hints: Hints) -> str:
    """Write each set of NUMA nodes: `0* 1* 0+1`."""
    if hints is None:
        return "any"
    if not hints:
        return "none"
    more = f" and {len(hints) - _MOST_HINTS} more" if len(hints) > _MOST_HINTS else ""
    return " ".join(map(_hint, hints[:_MOST_HINTS])) + more


def _hint(hint: Hint) -> str:
    nodes = "any" if hint.nodes is None else "+".join(map(str, hint.nodes))
    return f"{nodes}{'*' if hint.preferred else ''}"


def _blockers(group: NumaGroup) -> Iterator[str]:
    """Name what stands in the way, those together that do so for the same reason."""
    words = _WHY_NOW if group.first.outcome is Outcome.NOT_NOW else _WHY
    names: dict[str, list[str]] = {}
    for blocker in group.blockers:
        names.setdefault(words[blocker.why], []).append(str(blocker.resource))
    for why, each in names.items():
        yield f"{', '.join(each)}: {why}"


def cure_text(cure: Cure) -> str:
    """Say in a line what would let the pod in."""
    useless = f" ({' and '.join(cure.useless)} rejects it too)" if cure.useless else ""
    if cure.policy is not None:
        return f"policy {cure.policy}{useless}"
    if cure.scope is not None:
        return f"scope {cure.scope}"
    if cure.most is not None:
        return f"{amount(*cure.most)} {cure.most[0]} at most"
    if cure.parts:
        return smaller_pods(cure)
    return f"excludeTopology: true for {', '.join(map(str, cure.exclude))}"
