"""`python -m tests.lab.timing`: one JSON line."""

import json
import sys

from tests.lab.lab import built_lab

_SPEC = """\
apiVersion: podwire.io/v1alpha1
kind: Wiring
metadata: {name: lab}
nodes:
- names: [lab]
  fabric:
    pfs: {linkLayer: Ethernet, pciAddresses: ["0000:41:00.0", "0000:81:00.0"]}
    vfsPerPf: 7
    mtu: 1400
"""

if __name__ == "__main__":
    with built_lab().thawed(more={"wiring.yaml": _SPEC.encode()}) as guest:
        taken = guest.call("timing.compared", spec="/lab/wiring.yaml", count=7)
    sys.stdout.write(json.dumps({"lab": taken}) + "\n")
