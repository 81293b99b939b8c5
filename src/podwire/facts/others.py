"""Objects of kinds that podwire does not read, of which it matters that they are in sight."""

import msgspec

from podwire.model.evidence import Document
from podwire.model.names import Ref

# What operators make NADs from; a NAD has the name of what it was made from.
NETWORK_MAKERS = frozenset(
    {
        "SriovNetwork",
        "SriovIBNetwork",
        "OVSNetwork",
        "HostDeviceNetwork",
        "MacvlanNetwork",
        "IPoIBNetwork",
        "SpiderMultusConfig",
        "UserDefinedNetwork",
        "ClusterUserDefinedNetwork",
    }
)
# What operators make pools from; a NicClusterPolicy holds a whole configuration.
POOL_MAKERS = frozenset({"SriovNetworkNodePolicy", "NicClusterPolicy"})
CLAIMS = frozenset({"ResourceClaim", "ResourceClaimTemplate", "ResourceSlice"})
LIMIT_RANGE = "LimitRange"
_CHANGED = "NetworkAttachmentDefinition"  # one that a patch in sight changes
KEPT = NETWORK_MAKERS | POOL_MAKERS | CLAIMS | {LIMIT_RANGE, _CHANGED}


class Other(msgspec.Struct, frozen=True, gc=False):
    """One such object: its name, and what its spec says about what it makes.

    `network_namespace` is where its NAD lies, empty for any. `resource` is the name of its
    pool, without the prefix.
    """

    kind: str
    name: str
    namespace: str
    document: Document
    network_namespace: str = ""
    resource: str = ""

    @property
    def ref(self) -> Ref:
        """What messages call it."""
        return Ref(kind=self.kind, name=self.name, namespace=self.namespace)

    def makes_network(self, name: str, *, namespace: str) -> bool:
        """Say whether a NAD of this name comes from it."""
        is_there = self.network_namespace in {"", namespace}
        is_maker = self.kind in NETWORK_MAKERS or self.kind == _CHANGED
        return is_maker and self.name == name and is_there

    def makes_pool(self, name: str) -> bool:
        """Say whether a pool of this name comes from it, or may."""
        return self.kind in POOL_MAKERS and self.resource in {"", name}
