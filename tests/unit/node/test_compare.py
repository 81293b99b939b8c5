"""What machines of a rack have alike, and who differs."""

from podwire.facts.hardware import Shown, ShownPf, ShownVf
from podwire.node.compare import compare
from podwire.present.compare_table import compare_text


def _pf(address: str, *, guid: str, vf: str = "", **more: str) -> ShownPf:
    vfs = (ShownVf(index=0, address=f"{address[:-1]}1", node_guid=vf),) if vf else ()
    values = {"firmware": "28.43.1014", "rdma": "mlx5_0", "link_layer": "InfiniBand"} | more
    return ShownPf(address=address, guid=guid, vfs=vfs, **values)  # type: ignore[arg-type]  # texts


def _machine(name: str, *pfs: ShownPf) -> Shown:
    return Shown(node=name, kernel="6.8.0-55-generic", pfs=pfs)


_A = _machine("gpu-a", _pf("0000:18:00.0", guid="a0:88:c2:03:00:21:10:00"))
_B = _machine("gpu-b", _pf("0000:18:00.0", guid="a0:88:c2:03:00:21:20:00"))


def test_machines_that_are_alike_say_so() -> None:
    found = compare([_A, _B])
    assert found.is_alike
    assert {"firmware", "link layer", "kernel", "PFs"} <= {*found.alike}
    assert "no difference among 2 machines" in compare_text(found)


def test_the_odd_one_is_named_with_what_most_have() -> None:
    odd = _machine(
        "gpu-c", _pf("0000:18:00.0", guid="a0:88:c2:03:00:21:30:00", firmware="28.39.2048")
    )
    (difference,) = compare([_A, odd, _B]).differences
    assert (difference.machine, difference.value) == ("gpu-c", "28.39.2048")
    assert (difference.usual, difference.pfs) == ("28.43.1014", ("0000:18:00.0",))


def test_one_fault_on_many_pfs_is_one_difference() -> None:
    def two(name: str, firmware: str, octet: str) -> Shown:
        guids = [f"a0:88:c2:03:00:{octet}:10:0{n}" for n in (0, 1)]
        addresses = ("0000:18:00.0", "0000:40:00.0")
        pairs = zip(addresses, guids, strict=True)
        return _machine(name, *(_pf(a, guid=g, firmware=firmware) for a, g in pairs))

    found = compare(
        [two("a", "28.43.1014", "01"), two("b", "28.43.1014", "02"), two("c", "1", "03")]
    )
    assert [(d.machine, len(d.pfs)) for d in found.differences] == [("c", 2)]


def test_a_pf_that_is_missing_is_a_difference() -> None:
    bare = _machine("gpu-c")
    (difference,) = compare([_A, _B, bare]).differences
    assert (difference.aspect, difference.machine, difference.value) == ("PFs", "gpu-c", "none")


def test_rdma_names_in_another_order_are_a_difference() -> None:
    other = _machine("gpu-c", _pf("0000:18:00.0", guid="a0:88:c2:03:00:21:30:00", rdma="mlx5_4"))
    (difference,) = compare([_A, _B, other]).differences
    assert difference.aspect == "RDMA device"


def test_one_guid_on_two_machines_is_found() -> None:
    def with_vf(name: str, octet: str) -> Shown:
        guid = f"a0:88:c2:03:00:21:{octet}:00"
        return _machine(name, _pf("0000:18:00.0", guid=guid, vf="00:11:22:33:44:00:01:00"))

    found = compare([with_vf("gpu-a", "10"), with_vf("gpu-b", "20")])
    (twice,) = found.twice
    assert twice.at == ("gpu-a/0000:18:00.1", "gpu-b/0000:18:00.1")
    assert not found.is_alike
    assert "occurs twice" in compare_text(found)


def test_a_guid_that_means_none_is_nobodys() -> None:
    def unset(name: str, octet: str) -> Shown:
        guid = f"a0:88:c2:03:00:21:{octet}:00"
        return _machine(name, _pf("0000:18:00.0", guid=guid, vf="00:00:00:00:00:00:00:00"))

    assert compare([unset("gpu-a", "10"), unset("gpu-b", "20")]).twice == ()


def test_what_one_machine_did_not_read_is_no_difference() -> None:
    pf = ShownPf(address="0000:18:00.0", guid="a0:88:c2:03:00:21:30:00")
    found = compare([_A, _machine("gpu-c", pf)])
    assert "firmware" in found.unknown
    assert found.differences == ()
