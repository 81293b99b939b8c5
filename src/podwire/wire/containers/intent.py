"""What shows that a container means to use RDMA, not only an interface that carries IP."""

import re
from collections.abc import Iterable

from podwire.model.evidence import Known
from podwire.wire.containers import pod_outputs
from podwire.wire.containers.locked_memory import names_lock
from podwire.wire.containers.rdma import Observed
from podwire.wire.joined.pod_parts import PodContainer
from podwire.wire.picture import Picture

_ENV = re.compile(r"(NCCL|RCCL|UCX|OMPI|I_MPI|MPI|MV2|MPICH|NVSHMEM|FI)_\w+")
_COMMAND = re.compile(
    r"\b(nccl\w*|rccl\w*|ucx_\w+|mpirun|mpiexec|torchrun|deepspeed"
    r"|ib_(write|read|send|atomic)_(bw|lat)|ibv_\w+|rping)\b"
)
_GPU = "nvidia.com/gpu"


def by_intent(
    containers: Iterable[PodContainer], picture: Picture
) -> tuple[tuple[PodContainer, ...], Observed | None]:
    """Put those that mean to use RDMA first, and give what shows it of the first."""
    judged = [(container, rdma_intent(container, picture)) for container in containers]
    judged.sort(key=lambda each: each[1] is None)
    return tuple(container for container, _ in judged), judged[0][1] if judged else None


def rdma_intent(container: PodContainer, picture: Picture) -> Observed | None:
    """Find what says that a container is to use RDMA; None where nothing does.

    Locked memory, GPUs and the variables or programs of NCCL, UCX and MPI count, and that
    somebody looked for its RDMA devices.
    """
    lock = names_lock(container)
    if lock is not None:
        return Observed(value="IPC_LOCK", place=lock)
    return intent_beside_lock(container, picture)


def intent_beside_lock(container: PodContainer, picture: Picture) -> Observed | None:
    """Find the same, locked memory aside: a vault locks it for reasons of its own."""
    for request in container.requests:
        if str(request.resource) == _GPU and request.count != 0:
            return Observed(value=_GPU, place=request.place)
    return _written(container) or _printed(container, picture)


def _written(container: PodContainer) -> Observed | None:
    spec = container.container
    for index, variable in enumerate(spec.env):
        if _ENV.fullmatch(variable.name):
            return Observed(value=variable.name, place=container.place("env", index, "name"))
    for key, words in (("command", spec.command), ("args", spec.args)):
        for index, word in enumerate(words):
            if found := _COMMAND.search(word):
                return Observed(value=found[0], place=container.place(key, index))
    return None


def _printed(container: PodContainer, picture: Picture) -> Observed | None:
    listed = pod_outputs.rdma_devices(container, picture)
    if isinstance(listed, Known):
        return Observed(value="looked for RDMA devices", place=listed.places[0])
    line = pod_outputs.line_with(container.pod.pod, "nccl.log", "NCCL", picture=picture)
    return Observed(value=line[0], place=line[1]) if line else None
