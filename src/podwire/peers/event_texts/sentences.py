"""What a user will see, as the components print it; three dots stand for what nobody knows yet."""

_SANDBOX = (
    'Failed to create pod sandbox: ... plugin type="multus" name="multus-cni-network" '
    "failed (add): "
)


def sandbox_event(sentence: str, *, network: str, namespace: str, pod: str) -> str:
    """Write kubelet's FailedCreatePodSandBox around what a CNI plugin says.

    `network` is the name in the CNI configuration (the network's own where it has none).
    Source: kubelet v1.36.2, containerd 1.7.24, multus-cni v4.3.0 cmdPluginErr; seen when run.
    """
    where = f"[{namespace}/{pod or '...'}/...:{network}]"
    return f'{_SANDBOX}{where}: error adding container to network "{network}": {sentence}'


def missing_network_event(network: str, *, network_namespace: str, namespace: str, pod: str) -> str:
    """Write the same event for a network that does not exist (multus-cni v4.3.0)."""
    return (
        f"{_SANDBOX}Multus: [{namespace}/{pod or '...'}/...]: ... cannot find a "
        f"network-attachment-definition ({network}) in namespace ({network_namespace}): "
        f'network-attachment-definitions.k8s.cni.cncf.io "{network}" not found'
    )


def unschedulable_event(resource: str, *, nodes: int | None = None) -> str:
    """Write the scheduler's FailedScheduling for a resource that no node has enough of.

    Without `nodes` other reasons may follow, behind a comma: nodes with a taint or other labels.
    Source: kubernetes v1.37.2 pkg/scheduler/framework/types.go FitError; seen when run.
    """
    if nodes is None:
        return f"0/... nodes are available: ... Insufficient {resource}"
    return f"0/{nodes} nodes are available: {nodes} Insufficient {resource}."
