"""A line that some program prints: the situation it tells of, and the names in it."""

import functools
import re
from collections.abc import Mapping
from typing import Literal, TypeAlias

import msgspec

from podwire.model.names import ResourceName

Situation: TypeAlias = Literal[
    # A network and its plugin
    "annotation-unreadable",
    "cni-plugin-missing",
    "default-route-twice",
    "device-in-use",
    "dhcp-unsupported",
    "guid-refused",
    "guid-unset",
    "ib-kubernetes-pending",
    "interface-added",
    "interface-name-twice",
    "ipam-range-unreadable",
    "ipam-storage-missing",
    "ipam-without-address",
    "link-state-invalid",
    "namespace-isolated",
    "network-config-unreadable",
    "network-missing",
    "no-device",
    "rdma-mode-shared",
    "rdma-mode-unreadable",
    "vf-lookup-failed",
    "vfio-mode-missing",
    # Scheduling and admission
    "amount-not-whole",
    "devices-unavailable",
    "devices-unhealthy",
    "device-unregistered",
    "insufficient-resource",
    "limit-missing",
    "limit-unequal",
    "nodes-excluded",
    "out-of-resource",
    "plugin-already-connected",
    "resource-name-invalid",
    "resource-without-domain",
    "runtime-class-missing",
    "topology-affinity",
    "unexpected-admission",
    # The SR-IOV device plugin
    "device-already-taken",
    "device-type-unsupported",
    "plugin-config-refused",
    "plugin-config-unreadable",
    "pool-empty",
    "pool-name-duplicate",
    "pool-name-invalid",
    "pools-missing",
    "rdma-and-vdpa",
    "registration-refused",
    "selectors-dropped",
    # GPUs
    "cdi-unresolvable",
    "hami-node-assigned",
    "hami-node-unregistered",
    "hami-privileged",
    "nvml-missing",
]


class Line(msgspec.Struct, frozen=True):
    """One kind of line; the pattern begins with a literal, which keeps the search fast."""

    situation: Situation
    component: str
    text: str

    @property
    def pattern(self) -> re.Pattern[str]:
        """The pattern, compiled when a text is decoded and not before."""
        return _compiled(self.text)


class Decoded(msgspec.Struct, frozen=True, gc=False):
    """What a text tells of.

    `namespace`, `pod` and `network` come from Multus' own brackets, and are empty where it
    did not print them; `network` is the name in the CNI configuration, which may differ from
    the network's own. `names` holds what else the line names, by what it is.
    """

    situation: Situation
    component: str
    namespace: str = ""
    pod: str = ""
    network: str = ""
    names: Mapping[str, str] = {}

    @property
    def resource(self) -> ResourceName | None:
        """The extended resource that the line names."""
        try:
            return ResourceName.parse(self.names.get("resource", ""))
        except ValueError:
            return None


def line(situation: Situation, component: str, pattern: str) -> Line:
    """Write one row of a table."""
    return Line(situation=situation, component=component, text=pattern)


_compiled = functools.cache(re.compile)
