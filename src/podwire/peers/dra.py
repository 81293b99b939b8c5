"""Dynamic Resource Allocation, as far as it concerns extended resources."""

from typing import Final

from podwire.model.evidence import Answer
from podwire.model.versions import Table, Version, by_version

# DRAExtendedResource: alpha in 1.34 (kubernetes v1.34.0 pkg/features/kube_features.go).
_SERVES: Final[Table[bool]] = Table(
    component="kubernetes",
    newest="v1.37.2",
    rows=(("v1.26.0", False), ("v1.34.0", True)),
)


def classes_serve_resources(version: Answer[Version]) -> Answer[bool]:
    """Say whether a DeviceClass may serve an extended resource (`extendedResourceName`)."""
    return by_version(version, _SERVES)
