"""`podwire node` on two real SR-IOV cards: Ethernet, so without GUIDs."""

import json
import os
import re
from typing import Any

import pytest

from tests.lab.lab import Guest, Output

pytestmark = pytest.mark.lab

FIRST, SECOND = "0000:41:00.0", "0000:81:00.0"
# Three minutes more, and the same ends at the same writes.
_THOROUGH = pytest.mark.skipif(
    "PODWIRE_LAB_ALL" not in os.environ, reason="PODWIRE_LAB_ALL is not set"
)
_SPEC = "/etc/podwire/wiring.yaml"
_WIRING = """\
apiVersion: podwire.io/v1alpha1
kind: Wiring
metadata: {{name: lab}}
nodes:
- names: [lab]
  fabric:
    pfs: {{linkLayer: Ethernet, pciAddresses: {pfs}}}
    vfsPerPf: {vfs}
    mtu: 1400
"""


def test_apply_makes_the_vfs_of_both_cards_and_says_that_they_have_no_guids(guest: Guest) -> None:
    _want(guest, vfs=2)
    planned = json.loads(_node(guest, "plan -o json", status=0))
    assert {(pf["pf"], *pf["notes"]) for pf in planned["pfs"]} == {
        (pf, "an Ethernet PF: its VFs have no GUIDs") for pf in (FIRST, SECOND)
    }
    done = json.loads(_node(guest, "apply -o json", status=0))
    assert done["done"]
    assert sum(pf["written"] for pf in done["pfs"]) == planned["writes"] == 14
    assert _vfs(guest) == {
        pf: [{"driver": "igbvf", "netdev": f"{name}v{n}", "mtu": "1400"} for n in range(2)]
        for pf, name in ((FIRST, "ens1"), (SECOND, "ens2"))
    }
    assert "nothing to do" in _node(guest, "verify", status=0)


def test_a_second_apply_opens_nothing_for_writing_but_its_lock(guest: Guest) -> None:
    _want(guest, pfs=[FIRST], vfs=1)
    _node(guest, "apply", status=0)
    traced = "strace -f --seccomp-bpf -e trace=openat,unlink,rename,renameat2 -o /lab/trace"
    assert guest.run(f"{traced} podwire node apply --spec {_SPEC}").status == 0
    touched = guest.run("grep -E 'O_WRONLY|O_RDWR|O_CREAT|unlink|rename' /lab/trace").text
    own = ("/dev/null", "__pycache__", "ENOENT")
    lines = [line for line in touched.splitlines() if not any(word in line for word in own)]
    assert len(lines) == 1
    assert '"/run/podwire/node.lock"' in lines[0]


def test_a_first_apply_succeeds_before_the_vfs_driver_is_loaded(guest: Guest) -> None:
    assert guest.run("grep -q ^igbvf /proc/modules").status == 1
    _want(guest, vfs=1)
    assert json.loads(_node(guest, "apply -o json", status=0))["done"]


@pytest.mark.parametrize(
    ("hold", "holder"),
    [
        ("ip netns exec pod sleep 600 >/dev/null 2>&1 & sleep 1", "sleep)"),
        ("true", "(no process of it was found)"),
    ],
    ids=["a process", "no process"],
)
def test_a_vf_in_another_namespace_is_not_taken_away(guest: Guest, hold: str, holder: str) -> None:
    _want(guest, vfs=1)
    _node(guest, "apply", status=0)
    guest.run(f"ip netns add pod; ip link set ens1v0 netns pod; {hold}")
    _want(guest, vfs=2)
    said = " ".join(_node(guest, "apply", status=1).split())
    assert "ens2 (0000:81:00.0): done, 8 writes" in said
    assert "refused: VF 0 (0000:41:10.0) is held by" in said
    assert holder in said
    assert guest.run("ip -n pod -br link show ens1v0").status == 0


def test_a_card_that_is_gone_stops_everything_until_it_is_back(guest: Guest) -> None:
    _want(guest, vfs=1)
    _node(guest, "apply", status=0)
    guest.unplug(0)
    said = " ".join(_node(guest, "apply", status=1).split())
    assert "repair: PF 0000:41:00.0 of the spec is not there" in said
    guest.plug(0)
    guest.run("until [ -e /sys/class/net/ens1 ]; do udevadm settle; sleep 0.2; done", patience=60)
    _node(guest, "apply", status=0)
    assert [len(vfs) for vfs in _vfs(guest).values()] == [1, 1]


def test_apply_waits_for_a_card_and_keeps_a_second_apply_out_meanwhile(guest: Guest) -> None:
    _want(guest, vfs=1)
    guest.unplug(0)
    _start(guest, "first")
    guest.run("until [ -s /run/podwire/node.lock ]; do sleep 0.1; done", patience=60)
    refused = guest.run(f"podwire node apply --spec {_SPEC}")
    assert refused.status == 2
    assert "podwire node apply (process " in refused.text
    _start(guest, "second")
    guest.plug(0)
    assert _ended(guest, "first").endswith("lab: as the spec wants it\n0\n")
    assert "nothing to do" in _ended(guest, "second")
    assert [len(vfs) for vfs in _vfs(guest).values()] == [1, 1]


def _start(guest: Guest, name: str) -> None:
    """Run an apply that waits, in the background; its words and its status go to a file."""
    apply = f"podwire node apply --wait 120 --spec {_SPEC}; echo $?; touch /lab/{name}.ended"
    guest.run(f"({apply}) >/lab/{name} 2>&1 &")


def _ended(guest: Guest, name: str) -> str:
    return guest.run(f"until [ -e /lab/{name}.ended ]; do sleep 0.2; done; cat /lab/{name}").text


def test_show_tells_both_cards_their_numa_nodes_and_who_holds_a_vf(guest: Guest) -> None:
    _want(guest, vfs=7)
    _node(guest, "apply", status=0)
    hold = "ip netns exec pod sleep 600 >/dev/null 2>&1 & sleep 1"
    guest.run(f"ip netns add pod; ip link set ens1v1 netns pod; {hold}")
    shown = json.loads(guest.run("podwire node show -o json --holders").text)
    pfs = [(pf["address"], pf["netdev"], pf["numaNode"], len(pf["vfs"])) for pf in shown["pfs"]]
    assert pfs == [(FIRST, "ens1", "0", 7), (SECOND, "ens2", "1", 7)]
    holders = {vf["address"]: vf["holder"] for pf in shown["pfs"] for vf in pf["vfs"]}
    held = {vf: holder for vf, holder in holders.items() if holder}
    assert list(held) == ["0000:41:10.2"]
    assert re.fullmatch(r"process \d+ sleep", held["0000:41:10.2"])


@pytest.mark.parametrize(
    ("before", "vfs"),
    [
        pytest.param(0, 1, id="no VF"),
        pytest.param(1, 2, id="another count", marks=_THOROUGH),
    ],
)
def test_apply_killed_before_any_of_its_writes_is_finished_by_the_next(
    guest: Guest, before: int, vfs: int
) -> None:
    _want(guest, pfs=[FIRST], vfs=vfs)
    cuts = guest.call("kills.killed_everywhere", spec=_SPEC, start=before)
    writes = 3 + 2 * vfs + (1 if before else 0)
    assert len(cuts) == 2 * writes + 2  # the journal's, too
    assert {"0", "1"} == {cut["left"]["autoprobe"] for cut in cuts}
    whole = {"autoprobe": "1", "count": vfs, "bound": vfs, "journals": 0, "mtus": ["1400"] * vfs}
    ends = [(cut["apply"], cut["verify"], cut["then"]) for cut in cuts]
    assert ends == [(0, 0, whole)] * len(cuts)


def _want(guest: Guest, *, vfs: int, pfs: list[str] | None = None) -> None:
    guest.run("mkdir -p /etc/podwire")
    text = _WIRING.format(pfs=json.dumps(pfs or [FIRST, SECOND]), vfs=vfs)
    guest.write(_SPEC, text.encode())


def _node(guest: Guest, command: str, *, status: int) -> str:
    """Run `podwire node` and give its standard output."""
    done: Output = guest.run(f"podwire node {command} --spec {_SPEC} 2>/lab/stderr")
    assert done.status == status, done.text + guest.run("cat /lab/stderr").text
    return done.text


def _vfs(guest: Guest) -> dict[str, list[dict[str, Any]]]:
    seen = guest.call("vfs.all_vfs")
    assert isinstance(seen, dict)
    return seen
