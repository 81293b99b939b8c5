"""Units beside a stand-in for kubelet, which writes down how many VFs it found."""

from pathlib import Path
from typing import Any

from tests.lab.guest import card
from tests.lab.guest.card import PFS, function
from tests.lab.guest.shell import attempt, run, wait_for
from tests.lab.tables.exec_rows import ARTICLES_UNIT

_UNITS = Path("/etc/systemd/system")
_SAW = Path("/var/lib/kubelet-saw")
_KUBELET = f"""\
[Unit]
Description=stand-in for kubelet

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/bin/sh -c 'cat /sys/bus/pci/devices/0000:?1:00.0/sriov_numvfs >{_SAW}'

[Install]
WantedBy=multi-user.target
"""
_ARTICLES = f"""\
[Unit]
Description=DGX H200 SR-IOV VF Setup
After=network-pre.target
Before=kubelet.service

[Service]
Type=oneshot
{ARTICLES_UNIT}
[Install]
WantedBy=multi-user.target
"""
_ARTICLES_NAME = "dgx-sriov-setup.service"
_LOOP = """\
[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/bin/bash -c 'for pf in 0000:41:00.0 0000:81:00.0; do \\
  echo {count} > /sys/bus/pci/devices/$${{pf}}/sriov_numvfs; \\
  sleep 0.5; \\
done'
"""
_STATES = ("LoadState", "ActiveState", "Result", "ExecMainStatus")


def of_the_article(percent: str = "%") -> dict[str, Any]:
    """Start the article's unit, then kubelet's."""
    (_UNITS / "kubelet.service").write_text(_KUBELET, encoding="utf-8")
    text = _ARTICLES.replace("%", percent)
    (_UNITS / _ARTICLES_NAME).write_text(text, encoding="utf-8")
    run("systemctl", "daemon-reload")
    _, started = attempt("systemctl", "start", _ARTICLES_NAME)
    _, kubelet = attempt("systemctl", "start", "kubelet.service")
    return {
        "start": started,
        "unit": _state(_ARTICLES_NAME),
        "journal": _journal(_ARTICLES_NAME),
        "start of kubelet": kubelet,
        "kubelet": _state("kubelet.service"),
        "kubelet saw": _saw(),
    }


def of_the_article_mended() -> list[dict[str, Any]]:
    """Start the article's first loop as it was meant, and again with another count."""
    seen = []
    for count in (2, 3):
        text = _LOOP.format(count=count)
        (_UNITS / _ARTICLES_NAME).write_text(text, encoding="utf-8")
        run("systemctl", "daemon-reload")
        run("systemctl", "restart", _ARTICLES_NAME)
        card.settle()
        names = {pf: list(card.names(pf).values()) for pf in PFS}
        state, journal = _state(_ARTICLES_NAME), _journal(_ARTICLES_NAME)
        seen.append({"unit": state, "journal": journal, "names": names})
    return seen


def install(spec: str) -> str:
    """Have podwire put its units and names in place, for the next boot; give what it says."""
    (_UNITS / "kubelet.service").write_text(_KUBELET, encoding="utf-8")
    run("systemctl", "daemon-reload")
    run("systemctl", "enable", "kubelet.service")
    return run("podwire", "node", "install", "--spec", spec)


def back(pf: str, count: int) -> dict[str, Any]:
    """Wait for a PF's VFs, which nobody here asks for."""
    wait_for(f"{count} VFs", lambda: len(card.names(pf)) == count, within_s=240)
    unit = f"podwire-node@{pf}.service"
    wait_for(f"the end of {unit}", lambda: _state(unit)["ActiveState"] == "inactive")
    card.settle()
    return {"names": list(card.names(pf).values()), "unit": _state(unit), "journal": _journal(unit)}


def booted() -> dict[str, Any]:
    """Wait for the end of the boot, and tell what it made."""
    attempt("systemctl", "is-system-running", "--wait")
    return {
        "podwire": _state("podwire-node.service"),
        "journal": _journal("podwire-node.service"),
        "kubelet": _state("kubelet.service"),
        "kubelet saw": _saw(),
        "names": {pf: list(card.names(pf).values()) for pf in PFS},
        "order": _order(),
    }


def kubelet_after_failure(spec: str, text: str) -> dict[str, Any]:
    """Stop both, give podwire something it cannot do, and start kubelet."""
    run("systemctl", "stop", "kubelet.service", "podwire-node.service")
    _SAW.unlink()
    Path(spec).write_text(text, encoding="utf-8")
    _, said = attempt("systemctl", "start", "kubelet.service")
    return {
        "start": said,
        "podwire": _state("podwire-node.service"),
        "kubelet": _state("kubelet.service"),
        "kubelet saw": _saw(),
        "vfs": {pf: (function(pf) / "sriov_numvfs").read_text().strip() for pf in PFS},
    }


def _state(unit: str) -> dict[str, str]:
    wanted = [f"-p{name}" for name in _STATES]
    return dict(line.split("=", 1) for line in run("systemctl", "show", *wanted, unit).splitlines())


def _journal(unit: str) -> list[str]:
    lines = run("journalctl", "-b", "-u", unit, "-o", "cat", "--no-pager").splitlines()
    return list(dict.fromkeys(lines))


def _saw() -> list[str]:
    return _SAW.read_text().split() if _SAW.exists() else []


def _order() -> list[str]:
    """Name both units in the order in which they became active."""
    units = ("kubelet.service", "podwire-node.service")
    since = {
        unit: run("systemctl", "show", "-pActiveEnterTimestampMonotonic", "--value", unit)
        for unit in units
    }
    return sorted(units, key=lambda unit: int(since[unit]))
