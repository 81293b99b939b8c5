"""Policies of the Topology Manager side by side, for a terminal of 80 columns."""

from collections.abc import Iterable, Iterator, Sequence

from podwire.model.evidence import Answer, Unknown
from podwire.peers.kubelet_topology import Setup
from podwire.present.lines import counted, wrapped
from podwire.present.numa_policy import Counts, NodeKind, PodKind, PolicyAnswer, Row
from podwire.wire.numa.aligning import Aligned
from podwire.wire.numa.holdings import amount
from podwire.wire.numa.judging import Outcome
from podwire.wire.numa.trials import WAYS, Tried
from podwire.wire.numa.words import listed

_MOST = 8  # kinds of pods that are named for one reason
_HEAD = (
    "                                                            surely aligned",
    "  policy            scope      admits  not now  never  open  containers   pods",
)
_LEGEND = (
    "admits: on the node when nothing is in use; not now: of those, what is in use leaves none "
    "of these nodes for them; open: not decided; surely aligned: devices of all admitted come "
    "from one NUMA node, or from as few as could hold them"
)


def policy_text(answer: PolicyAnswer) -> str:
    """Draw a table for each kind of node."""
    pods = sum(kind.count for kind in answer.kinds)
    lines = wrapped(
        f"{counted(pods, 'pod')} of {counted(len(answer.kinds), 'kind')} "
        f"{'asks' if pods == 1 else 'ask'} for devices"
    )
    for kind in answer.kinds[:_MOST]:
        lines += wrapped(f"{_name(kind)}: {_asks(kind)}", first="  ", rest="    ")
    if len(answer.kinds) > _MOST:
        lines.append(f"  and {len(answer.kinds) - _MOST} kinds more")
    for node in answer.nodes:
        lines += ["", *_node(node)]
    for kind in answer.nowhere:
        lines += ["", *wrapped(f"{_name(kind)}: no node that it may run on was given")]
    if answer.nodes:
        lines += ["", *wrapped(_LEGEND, rest="  ")]
    if answer.assumes:
        lines += ["", *(line for a in answer.assumes for line in wrapped(a, first="assumes: "))]
    return "\n".join(lines) + "\n"


def _name(kind: PodKind) -> str:
    more = len(kind.names) - 1
    alike = f" and {more} like it" if more else ""
    return f"{kind.names[0]}{alike}" + (f" ({kind.count} pods)" if kind.count > 1 else "")


def _asks(kind: PodKind) -> str:
    return ", ".join(f"{amount(name, count)} {name}" for name, count in kind.asks)


def _node(node: NodeKind) -> Iterator[str]:
    has = _devices(node.devices)
    yield from wrapped(f"{listed(node.nodes)}: {has}; {_now(node.now)}", rest="  ")
    for kind, tried in node.short:
        lacks = ", ".join(map(str, tried.lacks))
        yield from wrapped(f"{_name(kind)} ({lacks})", first="  too few devices for: ")
    if len(node.short) == len(node.tried):
        return
    yield from _HEAD
    yield from (_line(row) for row in node.rows)
    yield from _reasons(node)
    for missing in node.missing[:3]:
        yield from wrapped(missing.reason, first="  missing:    ")
        if missing.give:
            yield from wrapped(missing.give, first="  to give it: ")
    if node.strictest is not None:
        every = "all of them" if sum(k.count for k, _ in node.tried) > 1 else "it"
        yield from wrapped(f"{node.strictest}", first=f"  strictest that admits {every}: ")


def _now(now: Answer[Setup]) -> str:
    if isinstance(now, Unknown):
        return "its policy is not known"
    setup = now.value
    return f"now {setup.policy}" + ("" if setup.policy == "none" else f", scope {setup.scope}")


def _devices(counts: Counts | None) -> str:
    if counts is None:
        return "devices not read"
    each = []
    for name, sets in counts:
        nodes = sorted({n for numa, _ in sets for n in numa})
        total = sum(count for _, count in sets)
        where = f" on NUMA node{'s' if len(nodes) > 1 else ''} {_and(nodes)}" if nodes else ""
        each.append(f"{total} {name}{where}")
    return ", ".join(each) or "none of these devices"


def _and(numbers: Sequence[int]) -> str:
    *first, last = map(str, numbers)
    return f"{', '.join(first)} and {last}" if first else last


def _line(row: Row) -> str:
    scope = "-" if row.way.policy == "none" else row.way.scope
    not_now = "?" if row.not_now is None else str(row.not_now)
    return (
        f"  {row.way.policy:16}  {scope:9}  {row.admits:6}  {not_now:>7}  {row.never:5}  "
        f"{row.undecided:4}  {_share(row.containers):>10}  {_share(row.pods):>5}"
    )


def _share(aligned: Aligned) -> str:
    return f"{aligned.sure}/{aligned.of}" if aligned.of else "-"


def _reasons(node: NodeKind) -> Iterator[str]:
    """Say which pods are never admitted, those together that the same ways reject."""
    by_ways: dict[str, list[str]] = {}
    for kind, tried in node.tried:
        never = [index for index, t in enumerate(tried) if t.outcome is Outcome.NEVER]
        if never:
            named = f"{_name(kind)}{_in_the_way(tried[never[0]])}"
            by_ways.setdefault(_ways(never), []).append(named)
    for ways, names in by_ways.items():
        more = f" and {len(names) - 3} kinds more" if len(names) > 3 else ""
        text = f"{', '.join(names[:3])}{more}"
        yield from wrapped(text, first=f"  never with {ways}: ", rest="    ")


def _in_the_way(tried: Tried) -> str:
    return f" (in the way: {listed(list(map(str, tried.blockers)))})" if tried.blockers else ""


def _ways(indexes: Iterable[int]) -> str:
    """Name policies; a scope only where the other one admits."""
    scopes: dict[str, list[str]] = {}
    for index in indexes:
        scopes.setdefault(WAYS[index].policy, []).append(WAYS[index].scope)
    return ", ".join(
        policy if len(mine) > 1 or policy == "none" else f"{policy} (scope {mine[0]})"
        for policy, mine in scopes.items()
    )
