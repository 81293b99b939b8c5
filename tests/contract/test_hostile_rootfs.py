"""The real file system, made as nasty as a user without rights can make it."""

import io
import os
import socket
from pathlib import Path

import pytest

from podwire.adapters.given import fs_of
from podwire.adapters.rootfs import RootFs
from podwire.collect.collecting import collect
from podwire.collect.given import Input
from podwire.facts.inventory import Inventory
from podwire.ports.hostfs import EntryKind, ReadFault, Trouble

NAD = "{kind: NetworkAttachmentDefinition, metadata: {name: net}}"


def facts_of(root: Path) -> Inventory:
    return collect([Input(typed=root.name, files=RootFs(str(root)))])


def refusal(fs: RootFs, path: str) -> Trouble:
    with pytest.raises(ReadFault) as caught:
        fs.read(path, limit=1000)
    return caught.value.trouble


def test_a_pipe_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pod.yaml")
    assert refusal(RootFs(str(tmp_path)), "pod.yaml") is Trouble.SPECIAL
    (fault,) = facts_of(tmp_path).faults
    assert "is a pipe, socket or device" in fault.message
    assert "podwire check -" in fault.cure


def test_a_socket_and_a_device_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # The path of a socket is short.
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("s.yaml")
        (tmp_path / "zero.yaml").symlink_to("/dev/zero")
        fs = RootFs(str(tmp_path))
        assert refusal(fs, "s.yaml") is Trouble.SPECIAL
        assert refusal(fs, "zero.yaml") is Trouble.ABSENT
        assert refusal(RootFs("/"), "dev/zero") is Trouble.SPECIAL


def test_a_link_out_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret.yaml").write_text(NAD)
    root = tmp_path / "root"
    root.mkdir()
    (root / "relative.yaml").symlink_to("../secret.yaml")
    (root / "absolute.yaml").symlink_to(tmp_path / "secret.yaml")
    (root / "folder").symlink_to(tmp_path)
    facts = facts_of(root)
    assert facts.networks.items == ()
    assert sorted(f.message.partition(" ")[0] for f in facts.faults) == [
        "root/absolute.yaml",
        "root/relative.yaml",
    ]


def test_an_absolute_link_that_stays_inside_is_followed(tmp_path: Path) -> None:
    (tmp_path / "nad.yaml").write_text(NAD)
    (tmp_path / "again.yaml").symlink_to(tmp_path / "nad.yaml")
    assert RootFs(str(tmp_path)).read("again.yaml", limit=1000) == NAD.encode()


def test_links_to_folders_are_no_endless_walk(tmp_path: Path) -> None:
    (tmp_path / "nad.yaml").write_text(NAD)
    (tmp_path / "again").symlink_to(".")
    (tmp_path / "loop.yaml").symlink_to("loop.yaml")
    facts = facts_of(tmp_path)
    assert len(facts.networks.items) == 1
    assert [f.message for f in facts.faults] == [
        f"{tmp_path.name}/loop.yaml is a link that leads back to itself"
    ]


def test_a_config_maps_folder_is_read_once(tmp_path: Path) -> None:
    data = tmp_path / "..2026_01_31"
    data.mkdir()
    (data / "nad.yaml").write_text(NAD)
    (tmp_path / "..data").symlink_to("..2026_01_31")
    (tmp_path / "nad.yaml").symlink_to("..data/nad.yaml")
    facts = facts_of(tmp_path)
    assert len(facts.networks.items) == 1
    assert facts.faults == ()


def test_a_file_that_vanishes_is_absent(tmp_path: Path) -> None:
    (tmp_path / "nad.yaml").write_text(NAD)
    fs = RootFs(str(tmp_path))
    assert [e.name for e in fs.entries()] == ["nad.yaml"]
    (tmp_path / "nad.yaml").unlink()
    assert refusal(fs, "nad.yaml") is Trouble.ABSENT


def test_a_hole_of_ten_gigabytes_is_refused(tmp_path: Path) -> None:
    with (tmp_path / "pods.yaml").open("wb") as file:
        file.truncate(10 << 30)
    (fault,) = facts_of(tmp_path).faults
    assert "is bigger than podwire reads: 10,240 MiB" in fault.message


def test_a_name_that_is_no_utf8_is_shown_with_escapes(tmp_path: Path) -> None:
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/n\xff.yaml")).write_text(NAD)
    (network,) = facts_of(tmp_path).networks.items
    assert network.document.name == f"{tmp_path.name}/n\\xff.yaml"


def test_control_characters_of_a_name_are_data(tmp_path: Path) -> None:
    (tmp_path / "a\x1b[31m\n.yaml").write_text("kind: [")
    (fault,) = facts_of(tmp_path).faults
    assert fault.place.document.name.endswith("a\x1b[31m\n.yaml")
    (tmp_path / "b\x1b.yaml").symlink_to("nothing")
    assert all("\x1b" not in f.message for f in facts_of(tmp_path).faults)


def test_a_nul_byte_in_a_path_is_absent(tmp_path: Path) -> None:
    fs = RootFs(str(tmp_path))
    assert refusal(fs, "a\0b") is Trouble.ABSENT
    assert not fs.exists("a\0b")
    assert not fs.is_dir("a\0b")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_of_somebody_else_is_denied(tmp_path: Path) -> None:
    (tmp_path / "nad.yaml").write_text(NAD)
    (tmp_path / "nad.yaml").chmod(0)
    assert refusal(RootFs(str(tmp_path)), "nad.yaml") is Trouble.DENIED


def test_files_of_the_kernel_are_read_to_their_end() -> None:
    fs = RootFs("/proc")
    assert fs.size("self/status") == 0
    assert fs.read("self/status", limit=100_000).startswith(b"Name:")
    with pytest.raises(ReadFault, match="is bigger than podwire reads"):
        fs.read("self/status", limit=10)


def test_one_file_is_a_root_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "nad.yaml").write_text(NAD)
    fs = RootFs(str(tmp_path / "nad.yaml"))
    assert fs.read(limit=1000) == NAD.encode()
    assert not fs.is_dir()
    with pytest.raises(ReadFault):
        fs.entries()
    assert refusal(fs, "../nad.yaml") is Trouble.OUTSIDE


def test_entries_tell_special_files(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (entry,) = RootFs(str(tmp_path)).entries()
    assert entry.kind is EntryKind.OTHER


def test_a_path_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ReadFault, match="is not there"):
        fs_of(str(tmp_path / "nothing.yaml"), stdin=io.BytesIO())
