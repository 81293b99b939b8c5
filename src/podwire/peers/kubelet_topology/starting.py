"""Whether kubelet starts with its Topology Manager settings on a machine.

Source: kubernetes v1.37.2 pkg/kubelet/cm/topologymanager/topology_manager.go NewManager,
policy_options.go, numa_info.go.
"""

import re
from collections.abc import Mapping
from typing import get_args

import msgspec

from podwire.peers.go_text import parse_bool
from podwire.peers.kubelet_topology.records import Machine, Options, Policy, Scope, Setup, Span

CLOSEST = "prefer-closest-numa-nodes"
MOST_NODES = "max-allowable-numa-nodes"
_FEWEST_ALLOWABLE = 8
_LONGEST = 200  # digits, zeros before the number among them


def read_setup(
    policy: str,
    scope: str,
    options: Mapping[str, str],
    *,
    span: Span = Span.NODES_WITH_DEVICES,
) -> Setup:
    """Read kubelet's settings; with the policy `none` it looks at nothing else.

    Raises:
        ValueError: kubelet does not start; the text is its own.
    """
    if policy == "none":
        return Setup(span=span)
    chosen = _options(options)
    names: tuple[Policy, ...] = get_args(Policy)
    scopes: tuple[Scope, ...] = get_args(Scope)
    for known in names:
        for known_scope in scopes:
            if (known, known_scope) == (policy, scope):
                return Setup(policy=known, scope=known_scope, options=chosen, span=span)
    if policy not in names:
        raise ValueError(f'unknown policy: "{policy}"')
    raise ValueError(f'unknown scope: "{scope}"')


def refusal(machine: Machine, setup: Setup) -> str:
    """Say why kubelet does not start on a machine; nothing when it does."""
    most = setup.options.max_allowable_numa_nodes
    if setup.policy != "none" and len(machine.numa) > most:
        return f"unsupported on machines with more than {most} NUMA Nodes"
    return ""


def _options(written: Mapping[str, str]) -> Options:
    options = Options()
    for name, value in sorted(written.items()):
        if name == CLOSEST:
            closest = _bool(name, value)
            options = msgspec.structs.replace(options, prefer_closest_numa_nodes=closest)
        elif name == MOST_NODES:
            most = _most_nodes(name, value)
            options = msgspec.structs.replace(options, max_allowable_numa_nodes=most)
        else:
            raise ValueError(f'unknown Topology Manager Policy option: "{name}"')
    return options


def _bool(name: str, value: str) -> bool:
    found = parse_bool(value)
    if found is not None:
        return found
    why = f'strconv.ParseBool: parsing "{value}": invalid syntax'
    raise ValueError(f'bad value for option "{name}": {why}')


def _most_nodes(name: str, value: str) -> int:
    if not re.fullmatch(r"[+-]?[0-9]+", value):
        why = f'strconv.Atoi: parsing "{value}": invalid syntax'
        raise ValueError(f'unable to convert policy option to integer "{name}": {why}')
    if len(value) > _LONGEST or not -(2**63) <= int(value) < 2**63:
        why = f'strconv.Atoi: parsing "{value}": value out of range'
        raise ValueError(f'unable to convert policy option to integer "{name}": {why}')
    most = int(value)
    if most < _FEWEST_ALLOWABLE:
        raise ValueError(
            f'the minimum value of "{name}" should not be less than {_FEWEST_ALLOWABLE}'
        )
    return most
