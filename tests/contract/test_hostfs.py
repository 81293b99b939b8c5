"""One suite for every `HostFs`: what the fake promises the real ones keep."""

import io
import tarfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from tests.fakes.hostfs import Content, FakeHostFs, Link

from podwire.adapters.rootfs import RootFs
from podwire.adapters.tarball import TarFs
from podwire.ports.hostfs import EntryKind, HostFs, ReadFault, Trouble

TREE: Mapping[str, Content] = {
    "manifests/nad.yaml": "kind: NetworkAttachmentDefinition\n",
    "manifests/pod.yaml": Link("nad.yaml"),
    "sys/bus/pci/devices/0000:18:00.0": Link("../../../devices/pci0000:15/0000:18:00.0"),
    "sys/devices/pci0000:15/0000:18:00.0/vendor": "0x15b3\n",
    "sys/devices/pci0000:15/0000:18:00.0/driver": Link("../../../bus/pci/drivers/mlx5_core"),
    "etc/absolute": Link("/manifests/nad.yaml"),
    "etc/out": Link("../../etc/passwd"),
    "etc/loop": Link("loop"),
    "etc/dangling": Link("nothing"),
    "etc/empty": "",
}


def on_disk(tree: Mapping[str, Content], tmp_path: Path) -> HostFs:
    root = tmp_path / "root"
    for name, content in tree.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, Link):
            path.symlink_to(content.target)
        else:
            path.write_bytes(bytes_of(content))
    return RootFs(str(root))


def packed(tree: Mapping[str, Content], *, mode: str) -> bytes:
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode=mode) as archive:  # type: ignore[call-overload]  # any mode
        for name, content in tree.items():
            info = tarfile.TarInfo(f"./{name}")
            if isinstance(content, Link):
                info.type, info.linkname = tarfile.SYMTYPE, content.target
                archive.addfile(info)
            else:
                data = bytes_of(content)
                info.size = len(data)
                archive.addfile(info, io.BytesIO(data))
    return target.getvalue()


def bytes_of(content: Content) -> bytes:
    assert isinstance(content, str | bytes)
    return content.encode() if isinstance(content, str) else content


Maker = Callable[[Mapping[str, Content], Path], HostFs]
MAKERS: Mapping[str, Maker] = {
    "fake": lambda tree, _: FakeHostFs(tree),
    "rootfs": on_disk,
    "tar": lambda tree, _: TarFs(io.BytesIO(packed(tree, mode="w"))),
    "tar.gz": lambda tree, _: TarFs(io.BytesIO(packed(tree, mode="w:gz"))),
}


@pytest.fixture(params=MAKERS)
def fs(request: pytest.FixtureRequest, tmp_path: Path) -> HostFs:
    return MAKERS[request.param](TREE, tmp_path)


def refusal(read: Callable[[], object]) -> Trouble:
    with pytest.raises(ReadFault) as caught:
        read()
    return caught.value.trouble


def test_a_folder_lists_its_names_in_order(fs: HostFs) -> None:
    assert [e.name for e in fs.entries()] == ["etc", "manifests", "sys"]
    assert [e.kind for e in fs.entries()] == [EntryKind.FOLDER] * 3


def test_an_entry_says_what_a_link_leads_to(fs: HostFs) -> None:
    kinds = {e.name: (e.kind, e.is_link) for e in fs.entries("etc")}
    assert kinds == {
        "absolute": (EntryKind.FILE, True),
        "dangling": (EntryKind.OTHER, True),
        "empty": (EntryKind.FILE, False),
        "loop": (EntryKind.OTHER, True),
        "out": (EntryKind.OTHER, True),
    }


def test_a_link_to_a_folder_is_a_folder(fs: HostFs) -> None:
    (entry,) = fs.entries("sys/bus/pci/devices")
    assert (entry.kind, entry.is_link) == (EntryKind.FOLDER, True)
    assert [e.name for e in fs.entries("sys/bus/pci/devices/0000:18:00.0")] == ["driver", "vendor"]


def test_files_are_read_through_links(fs: HostFs) -> None:
    assert fs.read("sys/bus/pci/devices/0000:18:00.0/vendor", limit=100) == b"0x15b3\n"
    assert fs.read("manifests/pod.yaml", limit=100).startswith(b"kind:")


def test_an_absolute_link_starts_at_the_root(fs: HostFs) -> None:
    assert fs.read("etc/absolute", limit=100).startswith(b"kind:")


def test_a_link_is_read_as_it_is_written(fs: HostFs) -> None:
    target = fs.readlink("sys/bus/pci/devices/0000:18:00.0/driver")
    assert target == "../../../bus/pci/drivers/mlx5_core"
    assert fs.readlink("etc/out") == "../../etc/passwd"


def test_a_link_out_is_refused(fs: HostFs) -> None:
    assert refusal(lambda: fs.read("etc/out", limit=100)) is Trouble.OUTSIDE


def test_a_loop_is_refused(fs: HostFs) -> None:
    assert refusal(lambda: fs.read("etc/loop", limit=100)) is Trouble.LOOP


def test_a_link_to_nothing_is_absent(fs: HostFs) -> None:
    assert refusal(lambda: fs.read("etc/dangling", limit=100)) is Trouble.ABSENT
    assert not fs.exists("etc/dangling")


def test_dots_do_not_climb_out(fs: HostFs) -> None:
    assert refusal(lambda: fs.read("../etc/passwd", limit=100)) is Trouble.OUTSIDE
    assert not fs.exists("..")


def test_a_file_that_is_not_there_is_absent(fs: HostFs) -> None:
    assert refusal(lambda: fs.read("manifests/none.yaml", limit=1)) is Trouble.ABSENT
    assert refusal(lambda: fs.entries("none")) is Trouble.ABSENT
    assert refusal(lambda: fs.size("none")) is Trouble.ABSENT
    assert refusal(lambda: fs.readlink("none")) is Trouble.ABSENT


def test_a_folder_is_no_file(fs: HostFs) -> None:
    assert refusal(lambda: fs.read("etc", limit=100)) is Trouble.FOLDER
    assert fs.is_dir("etc")
    assert fs.is_dir()
    assert not fs.is_dir("etc/empty")


def test_a_file_beyond_the_limit_is_refused(fs: HostFs) -> None:
    assert refusal(lambda: fs.read("manifests/nad.yaml", limit=10)) is Trouble.TOO_BIG
    assert fs.read("manifests/nad.yaml", limit=34)
    assert fs.size("manifests/nad.yaml") == 34


def test_an_empty_file_is_read(fs: HostFs) -> None:
    assert fs.read("etc/empty", limit=10) == b""


def test_an_open_file_is_read_in_steps(fs: HostFs) -> None:
    with fs.open("manifests/nad.yaml") as source:
        assert source.read(5) == b"kind:"
        assert source.read(100) == b" NetworkAttachmentDefinition\n"


def test_nothing_is_wrong_with_a_good_tree(fs: HostFs) -> None:
    assert fs.troubles() == ()
