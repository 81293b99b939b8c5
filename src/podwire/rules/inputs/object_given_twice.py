"""An object was given twice, and the two differ.

What you see
    podwire's verdicts are about one of the two. Applied one after the other,
    the later one stays in the cluster, whichever that is.

Why
    Two files, or two documents of one file, have the same kind, namespace
    and name: an old copy lies beside the new one, a block was copied and
    not renamed, or the files are for clusters that never meet. The one that
    podwire read last was judged. Equal copies are no finding, and neither
    are a manifest and what a cluster has of it.

Fix
    Delete one, rename one, or give podwire only what is applied together.
    A kustomization is rendered first: kustomize build DIR | podwire check -
"""

from collections.abc import Iterator

import msgspec

from podwire.facts.inventory import Shadowed
from podwire.findings.model import Evidence, Finding, Fix, Joint, Rule, Severity
from podwire.model.evidence import Path
from podwire.wire.picture import Picture

_OURS = "podwire.io/"  # fields that the reader fills in; no file has them


def check(twins: Shadowed, _: Picture) -> Iterator[Finding]:
    """Say which of the two was judged."""
    judged, other = twins.stands, twins.other
    files = (other.document.name, judged.document.name)
    where = f"twice in {files[0]}" if files[0] == files[1] else f"in {files[0]} and in {files[1]}"
    at = _difference(msgspec.to_builtins(judged), msgspec.to_builtins(other))
    which = "the last one" if files[0] == files[1] else files[1]
    yield Finding(
        severity=Severity.WARNING,
        message=f"{judged.ref} stands {where} and differs; {which} was judged",
        evidence=(
            Evidence(at=judged.place(*at), saw="", role="judged"),
            Evidence(at=other.place(*at), saw="", role="not judged"),
        ),
        sees="whichever is applied last stays in the cluster; nothing is said here about the "
        "other one",
        fix=(
            Fix(text="delete or rename one of the two"),
            Fix(text="give podwire only what is applied together"),
        ),
        group="\0".join(files),
    )


def _difference(one: object, other: object) -> Path:
    """Lead to the first value that differs, or to what lacks it."""
    if isinstance(one, dict) and isinstance(other, dict):
        keys = (key for key in {**one, **other} if not key.startswith(_OURS))
        for key in keys:
            if key not in one or key not in other:
                return ()
            if one[key] != other[key]:
                return (key, *_difference(one[key], other[key]))
    elif isinstance(one, tuple) and isinstance(other, tuple) and len(one) == len(other):
        for index, pair in enumerate(zip(one, other, strict=True)):
            if pair[0] != pair[1]:
                return (index, *_difference(*pair))
    return ()


RULE = Rule(
    id="PW003",
    slug="object-given-twice",
    title="An object was given twice, and the two differ",
    since="0.1",
    joint=Joint.INPUT,
    refs=("kubernetes v1.36.2 staging/src/k8s.io/kubectl/pkg/cmd/apply/apply.go",),
    over=lambda picture: tuple(s for objects in picture.facts.kinds for s in objects.shadowed),
    check=check,
)
