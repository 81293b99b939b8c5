"""Devices that come by resource claims (DRA), which podwire does not follow yet."""

from podwire.facts.inventory import Inventory
from podwire.facts.others import CLAIMS
from podwire.facts.workloads import PodView
from podwire.model.evidence import Unknown

CLAIMED = Unknown(
    reason="which devices a resource claim brings",
    give="kubectl get resourceclaims,resourceclaimtemplates -A -o json",
)


def has_claims(pod: PodView) -> bool:
    """Whether a container has devices by a claim."""
    return any(view.container.resources.claims for view in pod.containers())


def are_in_use(facts: Inventory) -> bool:
    """Whether something in sight shows that devices come by claims here."""
    return any(other.kind in CLAIMS for other in facts.others)
