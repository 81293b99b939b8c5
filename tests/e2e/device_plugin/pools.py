"""The pools that the plugin for tests offers, and the plugin as a process."""

import contextlib
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TypeAlias

import msgspec

from tests.e2e.node import Node


class Device(msgspec.Struct, frozen=True, omit_defaults=True):
    """A made-up VF, or any other device; `cdi` is what kubelet passes on to the runtime.

    `strategy` has it handed over as NVIDIA's plugin does by that strategy (`envvar`).
    """

    id: str
    numa: int | tuple[int, ...] | None = None
    is_healthy: bool = True
    cdi: str = ""
    strategy: str = ""


Pools: TypeAlias = Mapping[str, tuple[Device, ...]]  # by resource name


def numbered(
    name: str, count: int, *, numa: int | None = None, cdi: str = ""
) -> tuple[Device, ...]:
    """Make devices that have a name and a number, such as gpu0."""
    return tuple(
        Device(f"{name}{n}", numa=numa, cdi=cdi.format(n) if cdi else "") for n in range(count)
    )


def devices(*cards: str, numa: int | None = 0) -> tuple[Device, ...]:
    """Make the eight functions behind each card's address, such as 0000:1a:00."""
    return tuple(Device(f"{card}.{number}", numa=numa) for card in cards for number in range(8))


@contextlib.contextmanager
def offered(node: Node, pools: Pools, *, is_watched: bool = False) -> Iterator[Path]:
    """Offer pools until the block ends, then die as a plugin does.

    Gives the pools' file; who writes it anew changes devices and their health. The plugin
    tells kubelet of itself, or, watched, waits for kubelet to find its socket.
    """
    name = next(iter(pools)).replace("/", "-")
    file = node.folder / f"{name}.json"
    write(file, pools)
    command = [sys.executable, "-m", "tests.e2e.device_plugin", str(file), str(node.folder)]
    if is_watched:
        command.append("--watched")
    log = node.folder / f"plugin-{name}.log"
    with log.open("a") as errors:
        plugin = subprocess.Popen(  # noqa: S603 - ours
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors
        )
    try:
        assert plugin.stdout is not None
        assert plugin.stdout.readline(), log.read_text()
        yield file
    finally:
        plugin.kill()
        plugin.communicate()


def write(file: Path, pools: Pools) -> None:
    whole = file.with_suffix(".new")
    whole.write_bytes(msgspec.json.encode(pools))
    whole.replace(file)
