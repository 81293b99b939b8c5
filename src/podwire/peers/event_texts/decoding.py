"""From a text to the situation it tells of."""

import re

from podwire.peers.event_texts.line import Decoded
from podwire.peers.event_texts.network_lines import NETWORK_LINES
from podwire.peers.event_texts.node_lines import NODE_LINES
from podwire.peers.event_texts.scheduling import insufficient, is_in_use

_LONGEST = 65_536  # characters: an event has at most 1,024, a log line seldom more than this

# [namespace/pod/uid:network]: as multus-cni v4.0.2 to v4.3.0 pkg/multus cmdErr, cmdPluginErr
# print it; older ones leave the uid out.
_POD = re.compile(
    r"\[(?P<namespace>[a-z0-9-]{1,63})/(?P<pod>[a-z0-9.-]{1,253})"
    r"(?:/[^\s/\]:]{0,64})?(?::(?P<network>[^\s\]]{0,253}))?\]:"
)
# The first of the reasons; kubernetes v1.37.2, seen when run.
_EXCLUDED = re.compile(
    r"nodes are available: [0-9]{1,9} node\(s\) (?P<why>didn't match Pod's node "
    r"affinity/selector|had untolerated taint\(s\)|were unschedulable)"
)
_NETWORK = re.compile(r"error adding container to network \"(?P<network>[^\"\n]{0,253})\"")


def decode(text: str) -> Decoded | None:
    """Recognise an event or a log line; None for a text that tells of nothing known."""
    short = text[:_LONGEST]
    for line in (*NETWORK_LINES, *NODE_LINES):
        found = line.pattern.search(short)
        if found is not None:
            names = {k: v for k, v in found.groupdict().items() if v is not None}
            return _with_pod(
                Decoded(situation=line.situation, component=line.component, names=names), short
            )
    return _decode_shortage(short)


def _decode_shortage(text: str) -> Decoded | None:
    short = insufficient(text)
    if not short:
        return _decode_exclusion(text)
    first = next((s for s in short if s.resource is not None), short[0])
    return Decoded(
        situation="insufficient-resource",
        component="kube-scheduler",
        names={"resource": first.name, "nodes": str(first.nodes), **_why(text)},
    )


def _decode_exclusion(text: str) -> Decoded | None:
    """Recognise a pod that no node takes, and none of them for want of anything."""
    found = _EXCLUDED.search(text)
    if found is None:
        return None
    return Decoded(
        situation="nodes-excluded", component="kube-scheduler", names={"why": found["why"]}
    )


def _why(text: str) -> dict[str, str]:
    in_use = is_in_use(text)
    return {} if in_use is None else {"why": "in use" if in_use else "beyond allocatable"}


def _with_pod(decoded: Decoded, text: str) -> Decoded:
    pod = _POD.search(text)
    network = _NETWORK.search(text)
    return Decoded(
        situation=decoded.situation,
        component=decoded.component,
        namespace=pod["namespace"] if pod else "",
        pod=pod["pod"] if pod else "",
        network=network["network"] if network else (pod["network"] or "" if pod else ""),
        names=decoded.names,
    )
