"""What keeps the port of a VF down: all but the subnet manager excluded."""

from podwire.model.evidence import Answer, Known, all_of, derived
from podwire.wire.fabric.ports import Port

DOWN, ACTIVE, INIT, LINK_UP = "DOWN", "ACTIVE", "INIT", "LinkUp"


def is_left_down(port: Port) -> Answer[bool]:
    """Say whether a VF's port is down with everything on this machine in order.

    Its PF is ACTIVE, its own link is up, it has a GUID, and its policy lets it up.
    """
    of_pf = port.pf_port
    if of_pf is None:
        return Known(value=False)
    return all_of(
        (
            derived(port.state, lambda state: state == DOWN),
            derived(port.phys_state, lambda state: state == LINK_UP),
            derived(of_pf.state, lambda state: state == ACTIVE),
            derived(port.node_guid, lambda guid: guid is not None and guid.is_set),
            derived(port.policy, lambda policy: policy in {"Follow", "Up"}),
        )
    )
