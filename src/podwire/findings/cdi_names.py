"""How a CDI name came about that no spec offers, and the ways out."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from podwire.findings.model import Cause, Fix

if TYPE_CHECKING:
    from podwire.wire.gpu.registrants import Registrant
    from podwire.wire.gpu.uses import Way

_MANAGEMENT = "management.nvidia.com/gpu"


def story(way: "Way", plugin: "Registrant | None") -> str:
    """Tell how a name became one that nobody offers; `plugin` is None where the pod wrote it."""
    kind, _, name = way.unresolved[0].partition("=")
    shown = f"such as {name}" if way.is_example else name
    if plugin is not None:
        shown = f"{shown}, strategy {plugin.strategy}"
    whose = plugin.program.value if plugin else "its NVIDIA_VISIBLE_DEVICES"
    if way.outcome is None:
        return f"{whose} names a device of {kind} ({shown}), which has {_offer(way)}"
    mode = f"mode {way.outcome.mode.value}" if way.outcome.mode else "the NVIDIA runtime"
    return (
        f"{whose} gives a bare name ({shown}), {mode} completes it to the kind {kind}, and that "
        f"has {_offer(way)}"
    )


def _offer(way: "Way") -> str:
    if not way.offered:
        return "no device there"
    names = ", ".join(way.offered[:4])
    return f'only "{names}" there' if len(way.offered) < 5 else f"{names}, ... but no such device"


def sentence(text: str) -> str:
    """Leave out what container runtimes put before their sentence."""
    start = max(text.find(each) for each in ("failed to inject", "CDI device injection"))
    return text[max(start, 0) :]


def cause(kind: str, *, is_proven: bool) -> Cause | None:
    """Say why a kind has no single GPU, where that is by design."""
    if kind != _MANAGEMENT:
        return None
    text = (
        f"{kind} is the default kind of the toolkit's configuration and meant for the GPU "
        "Operator's own containers; by design its spec holds no single GPU, those are in specs of "
        "device plugins with a CDI strategy"
    )
    return Cause(text=text, proven=is_proven)


def fixes(way: "Way", kind: str, plugin: "Registrant | None") -> Iterator[Fix]:
    """Give the ways out, each with what else it does; `plugin` is None where the pod asks."""
    if plugin is None:
        yield Fix(
            text="take NVIDIA_VISIBLE_DEVICES out of the container and request nvidia.com/gpu; one "
            f"that has to see every GPU asks for {_MANAGEMENT}=all, where the operator wrote it"
        )
        yield Fix(
            text="or set NVIDIA_CONTAINER_RUNTIME_MODE=auto for the toolkit: since v1.18 it "
            "resolves such names itself (jit-cdi)",
            breaks="then any pod under that runtime can take any GPU by NVIDIA_VISIBLE_DEVICES",
        )
        return
    if way.outcome is None:
        yield Fix(
            text=f"restart the device plugin on {way.node}: it writes its spec when it starts; its "
            "DEVICE_ID_STRATEGY has to be the one of that spec"
        )
        return
    where = (
        "devicePlugin.deviceListStrategy in HAMi's values"
        if plugin.is_hami
        else ("DEVICE_LIST_STRATEGY of the device plugin")
    )
    yield Fix(
        text=f"set {where} to cdi-cri: it then writes a spec of its own "
        "(k8s.device-plugin.nvidia.com/gpu) and names that",
        breaks="needs CDI in the container runtime: containerd 2.0 and newer have it on",
    )
    yield Fix(
        text="set NVIDIA_CONTAINER_RUNTIME_MODE=auto for the toolkit (ClusterPolicy toolkit.env): "
        "since v1.18 it resolves UUIDs itself (jit-cdi)",
        breaks="then any pod under that runtime can take any GPU by NVIDIA_VISIBLE_DEVICES",
    )
    if kind == _MANAGEMENT:
        yield Fix(
            text="or set cdi.enabled=false in the ClusterPolicy",
            breaks="the GPU Operator makes NVIDIA's the default runtime again",
        )
    else:
        yield Fix(
            text="or write the spec with these names: nvidia-ctk cdi generate "
            "--device-name-strategy=index --device-name-strategy=uuid"
        )
