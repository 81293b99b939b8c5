"""How the kubelet of a node is set up, as far as it decides who is admitted.

Read from its configuration; flags on kubelet's command line, which stand above the file, show
in `/configz` only.
"""

import msgspec

from podwire.facts.node import KubeletConfig
from podwire.model.evidence import Answer, Known, Unknown
from podwire.model.versions import Version, by_version
from podwire.peers.kubelet_topology import GROUP_CHECKS, SPANS, Setup, Span, read_setup
from podwire.wire.picture import Picture

STRICT = frozenset({"restricted", "single-numa-node"})  # policies that reject


def config_of(node: str, picture: Picture) -> Answer[KubeletConfig]:
    """Give kubelet's configuration on a node."""
    files = picture.files(node)
    if files is not None:
        return files.kubelet
    return Unknown(
        reason=f"kubelet's configuration of node {node} was not read",
        give=f"kubectl get --raw /api/v1/nodes/{node}/proxy/configz",
        fact="kubelet's configuration of a node",
    )


def setup_of(node: str, picture: Picture) -> Answer[Setup]:
    """Say which policy holds on a node; Unknown too where kubelet does not start with it.

    Source: kubernetes v1.37.2.

    Where the version is not known the span is the newest: it decides only for a container
    that asks for none of a resource (`span_of`).
    """
    config = config_of(node, picture)
    if isinstance(config, Unknown):
        return config
    span = span_of(node, picture)
    try:
        setup = read_setup(
            # Empty is the default (pkg/kubelet/apis/config/v1beta1/defaults.go).
            config.value.topology_manager_policy or "none",
            config.value.topology_manager_scope or "container",
            config.value.topology_manager_policy_options,
            span=span.value if isinstance(span, Known) else Span.NODES_WITH_DEVICES,
        )
    except ValueError as error:
        return Unknown(
            reason=f"kubelet of {node} does not start with its configuration: {error}",
            fact="a configuration that kubelet starts with",
        )
    check = msgspec.structs.replace(setup, has_group_check=_has_group_check(node, picture))
    return Known(value=check, places=config.places)


def default_setup(node: str, picture: Picture) -> Setup:
    """Give kubelet's default set-up, as of the version on a node."""
    span = span_of(node, picture)
    return Setup(
        span=span.value if isinstance(span, Known) else Span.NODES_WITH_DEVICES,
        has_group_check=_has_group_check(node, picture),
    )


def _has_group_check(node: str, picture: Picture) -> bool | None:
    answer = by_version(_version(node, picture), GROUP_CHECKS)
    return answer.value if isinstance(answer, Known) else None


def span_of(node: str, picture: Picture) -> Answer[Span]:
    """Say of which NUMA nodes the device manager makes masks, by kubelet's version."""
    return by_version(_version(node, picture), SPANS)


def _version(node: str, picture: Picture) -> Answer[Version]:
    found = picture.node(node)
    try:
        return Known(value=Version.parse(found.status.node_info.kubelet_version if found else ""))
    except ValueError:
        return Unknown(
            reason=f"kubelet's version on {node} was not read",
            give="kubectl get nodes -o json",
            fact="kubelet's version",
        )
