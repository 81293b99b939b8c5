"""The network that an attachment names, as far as what was listed can tell."""

from podwire.facts.objects import Network
from podwire.model.evidence import Answer, Known, Unknown
from podwire.wire.joined.pods import Attachment
from podwire.wire.picture import Picture


def network_of(attachment: Attachment, picture: Picture) -> Answer[Network | None]:
    """Look it up; where no network of its namespace is in sight, a pod that has it wins.

    A List in a bundle stands for all namespaces, and may have been made of one.
    """
    found = attachment.network
    is_lacking = isinstance(found, Known) and found.value is None
    is_seen = picture.facts.networks.by_namespace.get(attachment.selection.namespace)
    if is_lacking and not is_seen and attachment.full_name in picture.reported:
        return Unknown(
            reason=f"a running pod has {attachment.full_name} attached, and no network of that "
            "namespace was listed",
            give="kubectl get net-attach-def -A -o json",
            fact="the networks of namespaces that were not listed",
        )
    return found
