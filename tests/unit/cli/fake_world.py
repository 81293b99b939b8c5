"""A world with three small rules, a fixed day and an empty environment.

What you see
    Whatever the test wants.

Why
    Real rules say more than a test of the command line needs.

Fix
    None.
"""

from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime

from podwire.cli.world import World
from podwire.facts.objects import Network
from podwire.findings.model import Evidence, Finding, Fix, Joint, Rule, Severity
from podwire.model.evidence import Unknown
from podwire.wire.picture import Picture

NOW = datetime(2026, 11, 29, 12, tzinfo=UTC)

Check = Callable[[Network, Picture], Iterator[Finding]]


def by_name(name: str, severity: Severity) -> Check:
    """Find fault with the network of this name."""

    def check(network: Network, picture: Picture) -> Iterator[Finding]:
        del picture
        if network.metadata.name.startswith(name):
            yield Finding(
                severity=severity,
                message=f"{network.ref.full_name} is {name}",
                evidence=(Evidence(at=network.place("metadata", "name"), saw=name),),
                sees="nothing good",
                fix=(Fix(text="call it otherwise"),),
            )
        elif network.metadata.name == "unknown":
            Unknown(reason="a fact", give="kubectl get facts").need()

    check.__module__ = __name__
    return check


def rule(number: int, name: str, severity: Severity) -> Rule:
    return Rule(
        id=f"PW{number}",
        slug=f"network-{name}",
        title=f"A network is {name}",
        since="0.1",
        joint=Joint.ANNOTATION,
        refs=("this file",),
        over=lambda picture: picture.facts.networks.items,
        check=by_name(name, severity),
    )


RULES = (
    rule(101, "bad", Severity.ERROR),
    rule(102, "poor", Severity.WARNING),
    rule(103, "odd", Severity.NOTE),
)


def world(environ: Mapping[str, str] | None = None, *, now: datetime = NOW) -> World:
    return World(catalogue=lambda: RULES, now=lambda: now, environ=environ or {})


def nad(*names: str) -> str:
    """Write networks as a manifest."""
    return "---\n".join(
        "apiVersion: k8s.cni.cncf.io/v1\nkind: NetworkAttachmentDefinition\n"
        f'metadata:\n  name: "{name}"\n  namespace: train\n'
        for name in names
    )
