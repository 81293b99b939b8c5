"""A pool serves InfiniBand functions without their RDMA devices.

What you see
    The pod runs and has its interface, but no /dev/infiniband: ibv_devices
    lists nothing that can be opened. NCCL logs "NET/IB : No device found."
    and goes on over TCP sockets, many times slower. What only uses IP works.

Why
    The device plugin hands a function's character devices (uverbs, umad,
    issm and the shared rdma_cm) to the container only where the selector
    that took the function says isRdma.

Fix
    Add "isRdma": true to the selector, restart the device plugin, then
    recreate the pods that hold functions: devices are handed over when a
    container is created, never later.
"""

from collections.abc import Iterator

from podwire.findings.model import Cause, Evidence, Finding, Fix, Joint, Rule, Severity, Symptom
from podwire.model.evidence import Known, Origin
from podwire.wire.containers import pod_outputs, rdma
from podwire.wire.containers.intent import by_intent
from podwire.wire.containers.rdma import Bare
from podwire.wire.joined.plugins import Pool
from podwire.wire.joined.pod_parts import PodContainer
from podwire.wire.picture import Picture

_SEES = 'ibv_devices finds no device that opens, NCCL logs "NET/IB : No device found." and uses TCP'
_SEES_IP = "IP over InfiniBand works, RDMA programs find no device"


def check(pool: Pool, picture: Picture) -> Iterator[Finding]:
    """Look for a selector that takes InfiniBand functions and does not say isRdma."""
    bare = rdma.infiniband_without_rdma(pool, picture).need()
    if not bare.value:
        return
    without, intent = by_intent(rdma.users_without_devices(pool, picture), picture)
    who = without[0].full_name if without else "a container with one of those functions"
    cause = _cause(pool)
    is_meant = intent is not None or cause is not None
    yield Finding(
        severity=Severity.ERROR if is_meant else Severity.WARNING,
        message=f"pool {pool.resource} of {pool.ref.full_name} serves InfiniBand without isRdma: "
        f"{who} gets the interface and nothing in {rdma.FOLDER}",
        evidence=(
            *(seen for container in without[:1] for seen in _of_pod(container, pool, picture)),
            *_of_pool(pool, bare.value),
            *((Evidence(at=intent.place, saw=intent.value),) if intent else ()),
        ),
        sees=f"pods run with the interface and without {rdma.FOLDER}/uverbs*: "
        + (_SEES if is_meant else _SEES_IP),
        cause=cause,
        fix=(
            Fix(
                text=("" if is_meant else "where pods are to use RDMA, ")
                + 'add "isRdma": true to the selector, restart the device plugin, then '
                "recreate the pods that hold functions of the pool",
                breaks="functions without an RDMA device leave the pool",
            ),
        ),
        assumes=bare.assumes,
        also=tuple(dict.fromkeys(c.pod.ref for c in without)),
        group=str(pool.resource),
        explains=tuple(
            Symptom(slug=slug, of=container.ref)
            for container in without
            for slug in ("rdma-devices-missing", "host-path-infiniband")
        ),
    )


def _of_pod(container: PodContainer, pool: Pool, picture: Picture) -> Iterator[Evidence]:
    for request in container.requests:
        if request.resource == pool.resource:
            yield Evidence(at=request.place, saw=str(request.count))
    listed = pod_outputs.rdma_devices(container, picture)
    if isinstance(listed, Known):
        yield Evidence(at=listed.places[0], saw=", ".join(listed.value) or f"no {rdma.FOLDER}")
    said = ("nccl.log", "NET/IB : No device found")
    if line := pod_outputs.line_with(container.pod.pod, *said, picture=picture):
        yield Evidence(at=line[1], saw=line[0])


def _of_pool(pool: Pool, bare: tuple[Bare, ...]) -> Iterator[Evidence]:
    """Show the selectors, and what shows InfiniBand on its side of them."""
    shows = bare[0].shows
    link = Evidence(at=shows.place, saw=shows.value)
    is_beyond = shows.place.document.origin is Origin.NODE
    yield from () if is_beyond else (link,)
    for each in bare:
        yield Evidence(at=pool.text.place_at(each.selector.at("isRdma")), saw="no isRdma")
    yield from (link,) if is_beyond else ()


def _cause(pool: Pool) -> Cause | None:
    """Name a key that was meant to be isRdma and that the plugin ignores."""
    keys = (*pool.entry.unknown, *(k for s in pool.entry.selectors for k in s.unknown))
    wrong = [k.key for k in keys if k.nearest == "isRdma" or k.key.casefold() == "isrdma"]
    text = (
        f"the plugin ignores {''.join(wrong[:1])} where it stands; isRdma belongs in the selector"
    )
    return Cause(text=text, proven=True) if wrong else None


RULE = Rule(
    id="PW201",
    slug="pool-without-rdma",
    title="Pool serves InfiniBand without its RDMA devices",
    since="0.1",
    joint=Joint.RDMA,
    refs=(
        "sriov-network-device-plugin v3.11.0 pkg/netdevice/netDeviceProvider.go",
        "sriov-network-device-plugin v3.11.0 pkg/infoprovider/rdmaInfoProvider.go",
    ),
    over=lambda picture: picture.pools,
    check=check,
    is_symptom=True,  # Of a misspelt isRdma.
)
