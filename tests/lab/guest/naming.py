"""Names of VFs under a .link file: made anew, in another order, and after pods that died."""

from pathlib import Path
from typing import Any

from tests.lab.guest import card
from tests.lab.guest.card import PFS, function, write
from tests.lab.guest.shell import run, wait_for

_LINKS = Path("/etc/systemd/network")


def lives(files: dict[str, str], count: int = 3) -> dict[str, Any]:
    """Give names by VF, new and after two pods were killed with one in each."""
    _install(files)
    card.make(count)
    new = card.names()
    _kill_pods()
    return {"new": new, "after": card.names(), "said": _complaints()}


def stays(files: dict[str, str]) -> list[dict[str, str]]:
    """Give names of both cards' VFs over deletion, another order and count, and a rebind."""
    _install(files)
    seen = []
    for counts in ((3, 1), (3, 1), (1, 2)):
        for pf, count in zip(PFS, counts, strict=True):
            card.make(count, pf)
        seen.append(_all())
    for pf in PFS:
        write(function(pf) / "sriov_numvfs", "0")
    for pf in reversed(PFS):
        card.make(2, pf)
    seen.append(_all())
    _rebind(card.vfs())
    seen.append(_all())
    return seen


def _all() -> dict[str, str]:
    return {vf: name for pf in PFS for vf, name in card.names(pf).items()}


def _install(files: dict[str, str]) -> None:
    for name, text in files.items():
        (_LINKS / name).write_text(text, encoding="utf-8")
    run("udevadm", "control", "--reload")


def _kill_pods() -> None:
    """End two namespaces that each hold a VF as net1, without anybody giving it back."""
    held = card.vfs()[:2]
    for number, vf in enumerate(held):
        pod, name = f"pod{number}", card.netdev(vf)
        run("ip", "netns", "add", pod)
        run("ip", "link", "set", name, "netns", pod)
        run("ip", "-n", pod, "link", "set", name, "name", "net1")
    for number in range(len(held)):
        run("ip", "netns", "del", f"pod{number}")
    wait_for("the VFs' return", lambda: all(card.netdev(vf) for vf in held))
    card.settle()


def _rebind(vfs: list[str]) -> None:
    driver = card.BUS / "drivers/igbvf"
    for vf in vfs:
        write(driver / "unbind", vf)
    for vf in reversed(vfs):
        write(driver / "bind", vf)
    card.settle()


def _complaints() -> list[str]:
    """Give what udev said about files and renaming, each once."""
    lines = run("journalctl", "-b", "-u", "systemd-udevd", "-o", "cat", "--no-pager").splitlines()
    words = ("ignoring assignment", "Failed to rename", "ignoring file")
    return list(dict.fromkeys(line for line in lines if any(word in line for word in words)))
