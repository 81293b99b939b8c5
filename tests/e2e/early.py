"""What takes minutes and next to no work: begun before all tests, and looked at after them."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import msgspec

from tests.e2e.cluster import Cluster, namespace_of
from tests.e2e.device_plugin.pools import devices, offered
from tests.e2e.scenarios import pod
from tests.oracle.kubelet import VERSIONS

COUNTS = dict(zip(VERSIONS, (100_000, 10_000), strict=True))
GRACE_S = 300  # kubelet's endpointStopGracePeriod
_RESOURCE, _NAMESPACE = "example.com/long_gone_vf", "plugin-long-gone"


class Comparison:
    """A process that compares podwire's model with kubelet's code in generated cases."""

    def __init__(self, version: str, *, said: Path) -> None:
        self._said = said
        command = [
            *("nice", "-n", "15", sys.executable, "-m", "tests.oracle", "--jobs", "2"),
            *("--kubelet", version, "--cases", str(COUNTS[version])),
        ]
        with said.open("w") as output:
            self._running = subprocess.Popen(  # noqa: S603 - ours
                command, stdout=output, stderr=output, start_new_session=True
            )

    def result(self) -> tuple[int, str]:
        """Wait for it, and give status and output."""
        status = self._running.wait(timeout=1200)
        return status, self._said.read_text()

    def end(self) -> None:
        """End it and the processes that it shares its cases among."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._running.pid, signal.SIGKILL)
        self._running.wait()


class GonePlugin(msgspec.Struct, frozen=True):
    """A plugin that has ended, while a pod has a device of it."""

    ended_at: float
    resource: str = _RESOURCE
    holder: str = f"{_NAMESPACE}/holder"


def end_a_plugin(cluster: Cluster) -> GonePlugin:
    """Offer devices, let a pod have one, and end."""
    with offered(cluster.node, {_RESOURCE: devices("0000:b1:00")}):
        cluster.node.await_amounts(_RESOURCE, capacity=8, allocatable=8)
        holder = pod("holder", None, namespace=_NAMESPACE, resource=_RESOURCE)
        cluster.apply([namespace_of(_NAMESPACE), holder])
        cluster.await_fate(f"{_NAMESPACE}/holder", "runs")
    gone = GonePlugin(ended_at=time.monotonic())
    cluster.node.await_amounts(_RESOURCE, capacity=8, allocatable=0)
    return gone
