"""What may still happen to a pod that was not made yet, where webhooks were not listed."""

from podwire.facts.inventory import Inventory
from podwire.facts.workloads import PodView, Stage


def unseen_webhooks(pod: PodView, facts: Inventory, *, does: str) -> tuple[str, ...]:
    """Assume that no webhook does something to a pod; nothing of one that has been through."""
    is_sure = pod.stage is not Stage.PLANNED or facts.webhooks.is_complete()
    return () if is_sure else (f"no webhook {does} (the webhooks were not listed)",)
