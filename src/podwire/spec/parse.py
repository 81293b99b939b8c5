"""From a tree to the spec, or to everything that is wrong with it at once."""

import msgspec

from podwire.documents.text import printable
from podwire.model.evidence import Document
from podwire.spec.shape import Mismatch, mismatches, without_nulls
from podwire.spec.wiring import API_VERSION, KIND, Wiring

_GROUP = API_VERSION.partition("/")[0]


def is_wiring(tree: object) -> bool:
    """Tell podwire's own file from another's kind of the same name."""
    if not isinstance(tree, dict) or tree.get("kind") != KIND:
        return False
    version = tree.get("apiVersion")
    return not isinstance(version, str) or version.partition("/")[0] == _GROUP


def parse(tree: object, *, document: Document) -> Wiring | tuple[Mismatch, ...]:
    """Read the spec; null means empty."""
    given = without_nulls(tree)
    wrong = [*_version(given), *mismatches(given, Wiring)]
    if wrong:
        return tuple(wrong)
    try:
        wiring = msgspec.convert(given, Wiring)
    except msgspec.ValidationError as error:
        return (Mismatch(path=(), message=str(error)),)
    return msgspec.structs.replace(wiring, document=document)


def _version(tree: object) -> tuple[Mismatch, ...]:
    version = tree.get("apiVersion") if isinstance(tree, dict) else None
    if version == API_VERSION or not isinstance(version, str):
        return ()
    message = f"apiVersion is {printable(version, 40)}; this podwire reads {API_VERSION}"
    return (Mismatch(path=("apiVersion",), message=message),)
