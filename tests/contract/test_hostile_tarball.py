"""Archives that nobody honest would make, and archives that broke."""

import gzip
import io
import tarfile
from collections.abc import Iterable
from pathlib import Path
from random import Random

import pytest

from podwire.adapters import inflated, tarball
from podwire.adapters.given import fs_of
from podwire.adapters.single import SingleFile, kept
from podwire.adapters.tarball import TarFs
from podwire.collect.collecting import collect
from podwire.collect.given import Input
from podwire.facts.inventory import Inventory
from podwire.ports.hostfs import ReadFault, Trouble

NAD = b"{kind: NetworkAttachmentDefinition, metadata: {name: net}}"

NODES = b'{"kind": "List", "items": []}'


def member(name: str, *, kind: bytes = tarfile.REGTYPE, link: str = "") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, link
    return info


def archive(members: Iterable[tuple[tarfile.TarInfo, bytes]], *, mode: str = "w") -> bytes:
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode=mode) as made:  # type: ignore[call-overload]  # any mode
        for info, data in members:
            info.size = len(data)
            made.addfile(info, io.BytesIO(data) if data else None)
    return target.getvalue()


def opened(data: bytes) -> TarFs:
    return TarFs(io.BytesIO(data))


def facts_of(data: bytes) -> Inventory:
    return collect([Input(typed="site.tgz", files=opened(data))])


def troubles(fs: TarFs) -> list[tuple[str, Trouble]]:
    return [(fault.path, fault.trouble) for fault in fs.troubles()]


def test_names_that_lead_out_are_refused() -> None:
    fs = opened(
        archive([(member("../a"), NAD), (member("/etc/b"), NAD), (member("x/../../c"), NAD)])
    )
    assert troubles(fs) == [
        ("../a", Trouble.OUTSIDE),
        ("/etc/b", Trouble.OUTSIDE),
        ("x/../../c", Trouble.OUTSIDE),
    ]
    assert fs.entries() == ()


def test_devices_and_pipes_are_refused() -> None:
    members = [member("pipe", kind=tarfile.FIFOTYPE), member("disk", kind=tarfile.BLKTYPE)]
    fs = opened(archive((m, b"") for m in members))
    assert troubles(fs) == [("pipe", Trouble.SPECIAL), ("disk", Trouble.SPECIAL)]


def test_links_out_are_never_read() -> None:
    members = [
        (member("manifests/a.yaml", kind=tarfile.SYMTYPE, link="../../etc/passwd"), b""),
        (member("manifests/b.yaml", kind=tarfile.SYMTYPE, link="/etc/passwd"), b""),
        (member("manifests/c.yaml", kind=tarfile.LNKTYPE, link="../../etc/passwd"), b""),
        (member("manifests/d.yaml", kind=tarfile.SYMTYPE, link="d.yaml"), b""),
    ]
    facts = facts_of(archive(members))
    assert [f.message for f in facts.faults] == [
        "manifests/a.yaml leads out of the folder or archive it belongs to",
        "manifests/b.yaml is not there",
        "manifests/c.yaml leads out of the folder or archive it belongs to",
        "manifests/d.yaml is a link that leads back to itself",
    ]


def test_a_hard_link_inside_is_followed() -> None:
    hard = member("manifests/b.yaml", kind=tarfile.LNKTYPE, link="manifests/a.yaml")
    fs = opened(archive([(member("manifests/a.yaml"), NAD), (hard, b"")]))
    assert fs.read("manifests/b.yaml", limit=1000) == NAD


def test_a_hole_of_seven_gigabytes_is_refused() -> None:
    hole = member("manifests/a.yaml", kind=tarfile.GNUTYPE_SPARSE)
    block = bytearray(hole.tobuf(tarfile.GNU_FORMAT))
    block[386:410] = b"%011o\0%011o\0" % (0, 0)  # no data at all
    block[483:495] = b"%011o\0" % (7 << 30)  # the size that it stands for
    block[148:156] = b"        "
    block[148:156] = b"%06o\0 " % sum(block)
    data = bytes(block) + archive([(member("manifests/b.yaml"), NAD)])
    facts = facts_of(data)
    assert len(facts.networks.items) == 1
    assert facts.faults[0].message.startswith(
        "manifests/a.yaml is bigger than podwire reads: 7,168 MiB"
    )


@pytest.mark.parametrize("mode", ["w", "w:gz"])
def test_of_an_archive_that_ends_early_the_beginning_is_read(mode: str) -> None:
    noise = bytes(range(256)) * 400
    members = [(member("manifests/a.yaml"), NAD), (member("manifests/z.yaml"), noise)]
    data = archive(members, mode=mode)
    facts = facts_of(data[: len(data) * 2 // 3] if mode == "w" else data[:-30])
    assert len(facts.networks.items) == 1
    assert any("could not be read to its end" in f.message for f in facts.faults)


def test_an_archive_without_its_end_says_so() -> None:
    data = archive([(member("manifests/a.yaml"), NAD)])[:1024]
    assert troubles(opened(data)) == [("", Trouble.BROKEN)]


@pytest.mark.parametrize("data", [b"", b"no archive", b"\x1f\x8b", b"\x1f\x8bxxxxxxxxxxxxxxxx"])
def test_what_is_no_archive_is_a_fault(data: bytes) -> None:
    facts = facts_of(data)
    assert facts.faults
    assert facts.looked_at.documents == 0


def test_a_bomb_ends_at_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tarball, "INFLATED_LIMIT", 4 << 20)
    monkeypatch.setattr(tarball, "_KEPT_MEMBER", 1 << 20)
    members = [(member("manifests/a.yaml"), NAD), (member("big"), bytes(8 << 20))]
    facts = facts_of(archive(members, mode="w:gz"))
    assert len(facts.networks.items) == 1
    assert "is bigger than podwire reads" in facts.faults[0].message


def test_a_header_that_claims_gigabytes_is_refused() -> None:
    info = member("x", kind=tarfile.XHDTYPE)
    info.size = 6 << 30
    fs = opened(gzip.compress(info.tobuf(tarfile.GNU_FORMAT) + bytes(1024)))
    assert troubles(fs) == [("", Trouble.TOO_BIG)]


def test_thousands_of_long_names_in_a_row_end_in_a_fault() -> None:
    info = member("././@LongLink", kind=tarfile.GNUTYPE_LONGNAME)
    info.size = 1
    fs = opened((info.tobuf(tarfile.GNU_FORMAT) + b"x".ljust(512, b"\0")) * 3000)
    assert fs.troubles()


def test_too_many_members_end_in_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tarball, "_MEMBERS_LIMIT", 3)
    fs = opened(archive((member(f"f{n}"), b"x") for n in range(5)))
    assert [e.name for e in fs.entries()] == ["f0", "f1", "f2"]
    assert troubles(fs) == [("", Trouble.TOO_BIG)]


@pytest.mark.parametrize("mode", ["w", "w:gz"])
def test_a_big_member_is_read_where_it_lies(mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tarball, "_KEPT_MEMBER", 10)
    fs = opened(archive([(member("b"), b"b" * 3000), (member("a"), b"a" * 3000)], mode=mode))
    for _ in range(2):
        assert fs.read("a", limit=3000) == b"a" * 3000
        assert fs.read("b", limit=3000) == b"b" * 3000
    assert fs.size("a") == 3000
    with pytest.raises(ReadFault, match="the limit is 10 bytes"):
        fs.read("a", limit=10)


def test_a_member_that_is_cut_off_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tarball, "_KEPT_MEMBER", 10)
    fs = opened(archive([(member("a"), b"a" * 3000)])[:2000])
    with pytest.raises(ReadFault, match="could not be read to its end"):
        fs.read("a", limit=3000)


def test_a_big_dump_is_read_out_of_an_archive(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tarball, "_KEPT_MEMBER", 10)
    monkeypatch.setattr("podwire.collect.manifests.SMALL", 1000)
    item = b'{"kind": "Pod", "metadata": {"name": "w%d"}}'
    pods = b'{"kind": "List", "items": [' + b",".join(item % n for n in range(500)) + b"]}"
    members = [(member("cluster/pods.json"), pods), (member("cluster/nodes.json"), NODES)]
    whole = archive(members)
    assert len(facts_of(whole).pods.items) == 500
    cut_off = facts_of(whole[:4000])
    assert len(cut_off.pods.items) == 0
    assert not cut_off.pods.is_whole
    assert any(f.message.startswith("cluster/pods.json could not") for f in cut_off.faults)


# --- what was typed ---------------------------------------------------------------------


def test_an_archive_is_told_by_its_bytes_or_its_name(tmp_path: Path) -> None:
    data = archive([(member("manifests/a.yaml"), NAD)], mode="w:gz")
    (tmp_path / "bundle").write_bytes(data)
    (tmp_path / "old.tar").write_bytes(b"")
    (tmp_path / "a.yaml").write_bytes(NAD)
    stdin = io.BytesIO()
    assert isinstance(fs_of(str(tmp_path / "bundle"), stdin=stdin), TarFs)
    assert isinstance(fs_of(str(tmp_path / "old.tar"), stdin=stdin), TarFs)
    assert fs_of(str(tmp_path / "a.yaml"), stdin=stdin).read(limit=100) == NAD
    assert fs_of(str(tmp_path), stdin=stdin).is_dir()
    assert isinstance(fs_of("-", stdin=io.BytesIO(data)), TarFs)


def test_standard_input_is_one_file(monkeypatch: pytest.MonkeyPatch) -> None:
    for limit in (1 << 20, 10):  # in memory, and in a file
        monkeypatch.setattr("podwire.adapters.single._KEPT_IN_MEMORY", limit)
        fs = fs_of("-", stdin=io.BytesIO(NAD))
        assert isinstance(fs, SingleFile)
        assert (fs.is_dir(), fs.exists(), fs.exists("a"), fs.size()) == (False, True, False, 58)
        assert fs.read(limit=100) == fs.read(limit=100) == NAD
        assert fs.troubles() == ()
        assert len(collect([Input(typed="-", files=fs)]).networks.items) == 1


def test_standard_input_has_nothing_inside() -> None:
    fs = SingleFile(io.BytesIO(NAD))
    for read in (fs.entries, fs.readlink, fs.size, fs.open):
        with pytest.raises(ReadFault):
            read("a")


def test_standard_input_has_a_limit() -> None:
    with pytest.raises(ReadFault, match="the limit is 10 bytes"):
        kept(io.BytesIO(NAD), limit=10)


def test_folders_are_so_deep_and_no_deeper() -> None:
    fs = opened(archive([(member("d/" * 64 + "a.yaml"), NAD), (member("d/" * 65 + "b"), NAD)]))
    assert fs.exists("d/" * 64 + "a.yaml")
    assert troubles(fs) == [("d/" * 65 + "b", Trouble.TOO_BIG)]


def test_folders_count_as_members(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tarball, "_MEMBERS_LIMIT", 20)
    fs = opened(archive([(member(f"{i}/x/y/z"), NAD) for i in range(10)]))
    assert troubles(fs) == [("", Trouble.TOO_BIG)]


def test_a_refused_member_is_named() -> None:
    facts = facts_of(archive([(member("../a"), NAD), (member("/etc/b"), NAD)]))
    assert [fault.message for fault in facts.faults] == [
        "site.tgz: ../a leads out of the folder or archive it belongs to",
        "site.tgz: /etc/b leads out of the folder or archive it belongs to",
    ]


def test_going_back_inflates_a_little_and_gives_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inflated, "_APART", 1000)
    monkeypatch.setattr(inflated, "_PACKED", 100)
    random = Random(1)  # noqa: S311 - a test that is the same each time
    plain = b"".join(random.randbytes(50) * 20 for _ in range(200))
    half = len(plain) // 2
    for packed in (
        gzip.compress(plain),
        gzip.compress(plain[:half]) + gzip.compress(plain[half:]) + bytes(512),
    ):
        source = _Counted(packed)
        stream = inflated.Inflated(source, limit=1 << 30)
        assert stream.seek(len(plain) + 5) == len(plain)
        before = source.count
        for offset in sorted(random.sample(range(len(plain)), 100), reverse=True):
            stream.seek(offset)
            assert stream.read(300) == plain[offset : offset + 300]
        assert source.count - before < len(packed) * 8  # from its beginning it was 50 times


class _Counted(io.BytesIO):
    count = 0

    def read(self, size: int | None = -1, /) -> bytes:
        data = super().read(size)
        self.count += len(data)
        return data
