"""Which namespaces a pod may take networks from.

A short name means the pod's own namespace. Another one may be named, unless Multus runs
with `namespaceIsolation`; then only the namespaces in `globalNamespaces` are open to all.
Source: multus-cni v4.3.0 pkg/k8sclient GetNetworkDelegates, pkg/types/conf.go LoadNetConf.
"""

from collections.abc import Mapping

import msgspec

from podwire.model.evidence import Answer, Known, derived
from podwire.peers.multus.go_json import value_of

_OPEN = ("default",)


class Isolation(msgspec.Struct, frozen=True, gc=False):
    """How Multus was configured; as it stands here it is what Multus does unasked."""

    enabled: bool = False
    global_namespaces: tuple[str, ...] = _OPEN

    @classmethod
    def of(cls, config: Mapping[str, object]) -> "Isolation":
        """Read `namespaceIsolation` and `globalNamespaces` of a Multus configuration."""
        listed = value_of(config, "globalNamespaces")
        named = listed.split(",") if isinstance(listed, str) and listed else _OPEN
        return cls(
            enabled=value_of(config, "namespaceIsolation") is True,
            global_namespaces=tuple(name.strip() for name in named),
        )

    def opens(self, target: str, *, namespace: str) -> bool:
        """Whether a pod of `namespace` may take a network of `target`."""
        return not self.enabled or target == namespace or target in self.global_namespaces


def visible(target: str, *, namespace: str, isolation: Answer[Isolation]) -> Answer[bool]:
    """Say whether a pod may take a network of `target`; its own namespace it always may."""
    if target == namespace:
        return Known(value=True)
    return derived(isolation, lambda known: known.opens(target, namespace=namespace))


def isolation_refusal(target: str, *, namespace: str) -> str:
    """Write what Multus says when it refuses a network for its namespace."""
    return (
        "namespace isolation enabled, annotation violates permission, "
        f"pod is in namespace {namespace} but refers to target namespace {target}"
    )
