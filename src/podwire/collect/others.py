"""Reads of objects that podwire does not know what others hang on."""

import msgspec

from podwire.facts.others import KEPT, Other
from podwire.model.evidence import Document
from podwire.spec.shape import without_nulls

_EVERYWHERE = frozenset({"ClusterUserDefinedNetwork"})  # by a selector of namespaces
_CLUSTER = (
    frozenset(
        {"HostDeviceNetwork", "MacvlanNetwork", "IPoIBNetwork", "NicClusterPolicy", "ResourceSlice"}
    )
    | _EVERYWHERE
)
_DEFAULT = "default"  # where the operators put a network that names no namespace
_SPIDER_NAME = "multus.spidernet.io/cr-name"


class _Meta(msgspec.Struct):
    name: str = ""
    namespace: str = ""
    annotations: dict[str, str] = {}


class _Spec(msgspec.Struct, rename="camel"):
    network_namespace: str = ""
    resource_name: str = ""


class _Object(msgspec.Struct):
    metadata: _Meta = msgspec.field(default_factory=_Meta)
    spec: _Spec = msgspec.field(default_factory=_Spec)


def other_of(tree: object, kind: str, *, document: Document, namespace: str) -> Other | None:
    """Read one object; None where its kind does not matter, or it is of another form.

    `namespace` is that of objects which name none.
    """
    if kind not in KEPT:
        return None
    try:
        read = msgspec.convert(without_nulls(tree), _Object)
    except msgspec.ValidationError:
        return None
    own = "" if kind in _CLUSTER else read.metadata.namespace or namespace
    there = read.spec.network_namespace or own or _DEFAULT
    return Other(
        kind=kind,
        name=read.metadata.annotations.get(_SPIDER_NAME, read.metadata.name),
        namespace=own,
        document=document,
        network_namespace="" if kind in _EVERYWHERE else there,
        resource=read.spec.resource_name,
    )
