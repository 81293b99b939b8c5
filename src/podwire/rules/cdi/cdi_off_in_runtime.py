"""A device plugin names CDI devices to a container runtime that has CDI off.

What you see
    With containerd up to 2.2 the pod runs, has a GPU by its request and none
    inside, and no event says so. containerd 2.3 and newer refuse the
    container: CDI devices (...) requested but CDI support is explicitly
    disabled.

Why
    The strategies cdi-cri and cdi-annotations leave it to the container
    runtime to look the names up. containerd does so since 2.0, and in 1.7
    only where enable_cdi is set.

Fix
    Turn CDI on in the runtime's configuration, or let the plugin use
    another strategy.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from podwire.findings.model import Evidence, Finding, Fix, Joint, Rule, Severity
from podwire.wire.picture import Picture

if TYPE_CHECKING:
    from podwire.wire.gpu.uses import JudgedUse


def check(judged: "JudgedUse", picture: Picture) -> Iterator[Finding]:
    """Look whether anybody looks the names up."""
    use, gpus = judged.use, picture.gpus
    way = judged.known
    plugin = way.plugin
    if gpus is None or plugin is None:
        return
    if way.fault != "names unread" and not (way.fault == "refused" and way.outcome is None):
        return
    node = gpus.node(way.node)
    place = node.cdi_place
    at = place or next(iter(node.runtime_places))
    names = ", ".join((way.handed.named or way.handed.annotated)[:2])
    yield Finding(
        severity=Severity.ERROR,
        message=f"{use.full_name} gets no GPU on {way.node}: {plugin.text} names CDI devices "
        f"({names}), and the container runtime there has CDI off",
        evidence=(
            Evidence(at=use.place("resources"), saw=f"requests {use.resource}"),
            Evidence(at=plugin.settings_place, saw=plugin.strategy_shown),
            Evidence(at=at, saw="enable_cdi = false" if place else "CDI is off by default"),
        ),
        sees=way.says or "the container starts without a GPU, and no event says so",
        fix=(
            Fix(
                text="set enable_cdi = true in the CRI plugin's section of containerd's "
                "config.toml, and restart containerd"
            ),
            Fix(
                text="or let the plugin hand GPUs over by envvar",
                breaks="then pods need NVIDIA's runtime, which takes the variable from any pod",
            ),
        ),
        assumes=way.assumes,
        also=(plugin.ref,),
        group=f"{plugin.ref} {way.node}",
    )


RULE = Rule(
    id="PW602",
    slug="cdi-off-in-runtime",
    title="Device plugin names CDI devices to a runtime that has CDI off",
    since="0.1",
    joint=Joint.HANDOVER,
    refs=(
        "containerd v2.4.2 internal/cri/server/container_create.go",
        "containerd v1.7.24 pkg/cri/config/config.go EnableCDI",
    ),
    over=lambda picture: picture.gpus.known_ways if picture.gpus else (),
    check=check,
)
