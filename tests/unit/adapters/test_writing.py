"""Real writes below a root, real locks between processes, a clock and processes."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from podwire.adapters.flocks import FileLocks
from podwire.adapters.rootwriter import RootWriter
from podwire.adapters.this_machine import KernelRing, ProcFs, SystemClock, Udevadm
from podwire.adapters.within import StillRunning, within
from podwire.ports.writing import LockHeld, WriteFault


def test_a_write_replaces_an_attributes_value(tmp_path: Path) -> None:
    (tmp_path / "sriov_numvfs").write_text("12\n")
    RootWriter(str(tmp_path)).write("sriov_numvfs", "4", limit_s=5)
    assert (tmp_path / "sriov_numvfs").read_text() == "4"


def test_a_write_never_makes_a_file(tmp_path: Path) -> None:
    with pytest.raises(WriteFault, match="4 to sriov_numvfs: ENOENT"):
        RootWriter(str(tmp_path)).write("sriov_numvfs", "4", limit_s=5)
    assert not list(tmp_path.iterdir())


def test_a_write_follows_links_inside_the_root(tmp_path: Path) -> None:
    (tmp_path / "vf").mkdir()
    (tmp_path / "vf/mtu").write_text("2044")
    (tmp_path / "virtfn0").symlink_to("vf")
    RootWriter(str(tmp_path)).write("virtfn0/mtu", "4092", limit_s=5)
    assert (tmp_path / "vf/mtu").read_text() == "4092"


def test_a_write_does_not_leave_the_root(tmp_path: Path) -> None:
    (tmp_path / "out").symlink_to("../../../../../../../etc")
    with pytest.raises(WriteFault, match="ELOOP"):
        RootWriter(str(tmp_path)).write("out/hostname", "x", limit_s=5)


def test_a_write_that_does_not_return_is_given_up(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "hangs")  # Nobody reads it: opening it for writing waits for ever.
    with pytest.raises(WriteFault, match="no answer"):
        RootWriter(str(tmp_path)).write("hangs", "1", limit_s=0.05)
    os.close(os.open(tmp_path / "hangs", os.O_RDONLY | os.O_NONBLOCK))


def test_a_file_is_replaced_whole_in_folders_that_are_made(tmp_path: Path) -> None:
    writer = RootWriter(str(tmp_path))
    writer.replace("var/lib/podwire/guids.json", b"one")
    writer.replace("var/lib/podwire/guids.json", b"two")
    folder = tmp_path / "var/lib/podwire"
    assert [(p.name, p.read_bytes()) for p in folder.iterdir()] == [("guids.json", b"two")]


def test_a_file_that_is_not_there_is_removed_without_a_word(tmp_path: Path) -> None:
    writer = RootWriter(str(tmp_path))
    writer.replace("a", b"")
    writer.remove("a")
    writer.remove("a")
    assert not list(tmp_path.iterdir())


def test_a_call_that_fails_fails_for_whoever_waits() -> None:
    def fails() -> None:
        raise OSError(5, "no luck")

    with pytest.raises(OSError, match="no luck"):
        within(5, fails)


def _waits(end: threading.Event) -> None:
    end.wait()


def test_a_call_that_hangs_is_left_behind() -> None:
    end = threading.Event()
    with pytest.raises(StillRunning):
        within(0.02, lambda: _waits(end))
    end.set()


def test_a_lock_keeps_another_process_out_and_names_its_holder(tmp_path: Path) -> None:
    take = (
        "import sys; from podwire.adapters.flocks import FileLocks\n"
        "with FileLocks(sys.argv[1], note='first').hold('run/a.lock', limit_s=1):\n"
        "    print('held', flush=True); sys.stdin.readline()\n"
    )
    with subprocess.Popen(  # noqa: S603 - our own program
        [sys.executable, "-c", take, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as first:
        assert first.stdout is not None
        assert first.stdin is not None
        assert first.stdout.readline() == "held\n"
        locks = FileLocks(str(tmp_path), note="second")
        with (
            pytest.raises(LockHeld, match=rf"first \(process {first.pid}\)"),
            locks.hold("run/a.lock", limit_s=0),
        ):
            raise AssertionError
        first.stdin.write("\n")
        first.stdin.flush()
        assert first.wait(timeout=20) == 0
        with locks.hold("run/a.lock", limit_s=0):
            assert "second" in (tmp_path / "run/a.lock").read_text()


def test_open_devices_and_pods_are_found_below_proc(tmp_path: Path) -> None:
    process = tmp_path / "4711"
    (process / "fd").mkdir(parents=True)
    (process / "ns").mkdir()
    (process / "fd/3").symlink_to("/dev/infiniband/uverbs2")
    (process / "fd/4").symlink_to("/dev/null")
    (process / "comm").write_text("train\n")
    uid = "6f3c1d2e_0000_4000_8000_123456789abc"
    (process / "cgroup").write_text(f"0::/kubepods.slice/kubepods-pod{uid}.slice/x\n")
    (process / "ns/net").symlink_to("net:[4026532511]")
    device = process / "root/sys/class/net/net1"
    device.mkdir(parents=True)
    (device / "device").symlink_to("../../../0000:18:00.2")
    found = ProcFs(str(tmp_path))
    assert [(h.what, h.pid, h.command, h.netns) for h in found.holdings()] == [
        ("infiniband/uverbs2", 4711, "train", ""),
        ("0000:18:00.2", 4711, "train", "4026532511"),
    ]
    assert found.pods() == {"6f3c1d2e-0000-4000-8000-123456789abc"}


def test_a_process_that_shows_this_namespaces_sysfs_holds_none_of_its_devices(
    tmp_path: Path,
) -> None:
    """`unshare -n` leaves the mounts: /sys still shows the devices of the host."""
    for name, netns in (("self", "1"), ("4711", "2"), ("4712", "2")):
        (tmp_path / name / "ns").mkdir(parents=True)
        (tmp_path / name / "ns/net").symlink_to(f"net:[{netns}]")
        device = tmp_path / name / "root/sys/class/net/ib0"
        device.mkdir(parents=True)
        address = "0000:18:00.2" if name == "4712" else "0000:18:00.0"
        (device / "device").symlink_to(f"../../../{address}")
    found = [(h.what, h.pid) for h in ProcFs(str(tmp_path)).holdings()]
    assert found == [("0000:18:00.2", 4712)]


def test_the_real_proc_can_be_walked() -> None:
    assert all(holding.pid for holding in ProcFs().holdings())


def test_the_clock_lets_time_pass() -> None:
    clock = SystemClock()
    before = clock.monotonic()
    clock.wait(0.01)
    assert clock.monotonic() - before >= 0.01


def test_a_kernel_log_that_may_not_be_read_is_empty(tmp_path: Path) -> None:
    assert KernelRing(str(tmp_path / "absent")).lines() == ()


def test_a_kernel_log_is_read_record_by_record_without_its_prefix(tmp_path: Path) -> None:
    text = "6,1,5,-;mlx5_core: Unknown symbol strlcpy (err -2)\n SUBSYSTEM=pci\n"
    (tmp_path / "kmsg").write_text(text)
    lines = KernelRing(str(tmp_path / "kmsg")).lines()
    assert lines == ("mlx5_core: Unknown symbol strlcpy (err -2)",)


def test_settling_ends_in_time_with_or_without_udev() -> None:
    assert Udevadm().settle(limit_s=5) in {True, False}
