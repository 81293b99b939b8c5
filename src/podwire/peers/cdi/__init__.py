"""Container Device Interface: which qualified name gives a container which device files.

What a runtime loads from its folders of specs (`registry`), what it makes of a request
(`Registry.resolve`), and what is a name at all (`parse_qualified`, `annotated`), by the version
of the library that the runtime has (`library_of`). Whether a runtime asks the library is its own
configuration's: `peers/runtime_config`.
"""

from podwire.peers.cdi.libraries import CONTAINERD, LIBRARIES, NEWEST, TOOLKIT, Library, library_of
from podwire.peers.cdi.names import (
    ANNOTATION_PREFIX,
    QualifiedName,
    RefusedNameError,
    annotated,
    is_qualified,
    parse_qualified,
)
from podwire.peers.cdi.records import (
    CdiDevice,
    DeviceNode,
    Edits,
    Fault,
    Hook,
    Mount,
    NetDevice,
    Registry,
    Resolution,
)
from podwire.peers.cdi.registry import SPEC_DIRS, conflict_sentence, registry

__all__ = [
    "ANNOTATION_PREFIX",
    "CONTAINERD",
    "LIBRARIES",
    "NEWEST",
    "SPEC_DIRS",
    "TOOLKIT",
    "CdiDevice",
    "DeviceNode",
    "Edits",
    "Fault",
    "Hook",
    "Library",
    "Mount",
    "NetDevice",
    "QualifiedName",
    "RefusedNameError",
    "Registry",
    "Resolution",
    "annotated",
    "conflict_sentence",
    "is_qualified",
    "library_of",
    "parse_qualified",
    "registry",
]
