"""The annotation keys of secondary networks, and which of them a misspelt key was meant to be.

A misspelt key is the silent fault: the pod runs, the interface is missing, no event says so.
"""

NETWORKS = "k8s.v1.cni.cncf.io/networks"
NETWORK_STATUS = "k8s.v1.cni.cncf.io/network-status"
OLD_STATUS = "k8s.v1.cni.cncf.io/networks-status"
RESOURCE_NAME = "k8s.v1.cni.cncf.io/resourceName"
DEFAULT_NETWORK = "v1.multus-cni.io/default-network"
NODE_SELECTOR = "k8s.v1.cni.cncf.io/nodeSelector"

# Keys that somebody reads, or once wrote (OLD_STATUS): they look like a slip and are none.
# NODE_SELECTOR: network-resources-injector v1.9.0 pkg/webhook/webhook.go. policy-for:
# multi-networkpolicy. The two without v1: attributes of devices, multus-cni after v4.3.0.
_REAL = frozenset(
    {
        NETWORKS,
        NETWORK_STATUS,
        OLD_STATUS,
        RESOURCE_NAME,
        DEFAULT_NETWORK,
        NODE_SELECTOR,
        "k8s.v1.cni.cncf.io/policy-for",
        "k8s.cni.cncf.io/resourceName",
        "k8s.cni.cncf.io/deviceID",
    }
)

_MEANT = (NETWORKS, RESOURCE_NAME, DEFAULT_NETWORK)

# Domains that people write from memory where one of the two above belongs.
_KIN = frozenset(
    {
        "k8s.v1.cni.cncf.io",
        "v1.multus-cni.io",
        "cni.cncf.io",
        "k8s.cni.cncf.io",
        "kubernetes.v1.cni.cncf.io",
        "multus-cni.io",
    }
)

_NAME_SLIPS = 2  # letters that may differ after the slash
_DOMAIN_SLIPS = 3  # and before it: "v1." left out


def near_miss_key(key: str) -> str | None:
    """Say which key was probably meant; None for a right key and for anything far from one."""
    if key in _REAL:
        return None
    folded = key.casefold()
    domain, slash, name = folded.partition("/")
    for meant in _MEANT:
        right_domain, _, right_name = meant.casefold().partition("/")
        if not slash:
            if _differ(folded, f"{right_domain}/{right_name}", at_most=1) <= 1:
                return meant
        elif _differ(name, right_name, at_most=_NAME_SLIPS) <= _NAME_SLIPS and (
            domain in _KIN or _differ(domain, right_domain, at_most=_DOMAIN_SLIPS) <= _DOMAIN_SLIPS
        ):
            return meant
    return None


def _differ(one: str, other: str, *, at_most: int) -> int:
    """Count the letters to insert, drop or change; more than `at_most` is not counted out."""
    if abs(len(one) - len(other)) > at_most:
        return at_most + 1
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        before, row[0] = row[0], i
        for j, right in enumerate(other, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (letter != right))
    return row[-1]
