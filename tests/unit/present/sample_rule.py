"""A network asks for a resource name that no device plugin pool makes.

What you see
    The pod is scheduled and then stays in ContainerCreating. The sandbox
    error names neither resource.

Why
    Multus looks the annotated name up among the devices that kubelet gave
    the pod:

        resourceName == prefix/name

Fix
    Set the annotation to the name that the pool advertises.
"""

from collections.abc import Iterator

from podwire.findings.model import Finding
from podwire.wire.picture import Picture


def check(_: object, picture: Picture) -> Iterator[Finding]:
    del picture
    yield from ()
