"""The SR-IOV operator's file of GUIDs, so that it gives VFs the GUIDs that podwire would.

Without the file the operator's daemon takes random GUIDs, also for PFs that a policy calls
externallyManaged. Source: sriov-network-operator d98f27d
pkg/host/internal/infiniband/ib_guid_config.go.
"""

import json
from collections.abc import Mapping, Sequence

PATH = "etc/sriov-operator/infiniband/guids"


def operator_guids(by_pf: Mapping[str, Sequence[str]]) -> str:
    """Write GUIDs in the order of VFs, by the PF's PCI address."""
    entries = [{"pciAddress": pf, "guids": list(guids)} for pf, guids in sorted(by_pf.items())]
    return json.dumps(entries, indent=2) + "\n"
