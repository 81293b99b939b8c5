import pytest

from podwire.model.evidence import Document, Known, Unknown
from podwire.peers.systemd_link.applying import Named, applied, fits, named, sorted_links
from podwire.peers.systemd_link.globs import matches
from podwire.peers.systemd_link.names import refusal_of
from podwire.peers.systemd_link.reading import read_link
from podwire.peers.systemd_link.records import LinkDevice, LinkFile, Naming

VF = LinkDevice(
    name="ib3",
    facts={"Driver": "mlx5_core[ib_ipoib]", "Type": "infiniband", "Path": "pci-0000:18:00.2"},
    properties={"ID_NET_NAME_PATH": "ibp24s0v0", "ID_NET_NAME_ONBOARD": None, "DEVTYPE": None},
    naming=Naming.ENUM,
)


def link(text: str, *drop_ins: str, name: str = "70-vf.link") -> LinkFile:
    return read_link(name, [(Document(name=name), each) for each in (text, *drop_ins)])


def does_fit(match: str, device: LinkDevice = VF) -> bool | None:
    answer = fits(link(f"[Match]\n{match}\n"), device)
    return answer.value if isinstance(answer, Known) else None


@pytest.mark.parametrize(
    ("match", "wanted"),
    [
        ("Driver=mlx5_core", False),
        ("Driver=mlx5_core*", True),
        ("Driver=mlx5_core[ib_ipoib]", False),  # a set of characters
        ("Driver=mlx5_core\\[ib_ipoib\\]", True),
        ("Property=DEVTYPE=vf", False),
        ("Property=ID_NET_NAME_SLOT=*v*", None),
        ("Path=pci-0000:18:00.*\nType=infiniband", True),
        ("Type=!ether", True),
        ("Host=gpu-a", None),
        ("Host=gpu-a\nType=ether", False),
        ("", False),
    ],
)
def test_a_match_is_decided_where_the_device_is_known(match: str, wanted: bool | None) -> None:  # noqa: FBT001 - a table
    assert does_fit(match) is wanted


def test_the_first_file_by_name_applies_and_an_unsure_one_before_it_hides_it() -> None:
    first = link("[Match]\nDriver=mlx5*\n", name="10-all.link")
    second = link("[Match]\nType=infiniband\n")
    assert applied([second, first], VF) == Known(value=first)
    unsure = link("[Match]\nHost=gpu-a\n", name="05-host.link")
    assert isinstance(applied([second, first, unsure], VF), Unknown)


def test_upper_case_sorts_before_lower_case() -> None:
    files = [link("", name=name) for name in ("a.link", "70-x.link", "Z.link")]
    assert [each.name for each in sorted_links(files)] == ["70-x.link", "Z.link", "a.link"]


@pytest.mark.parametrize(
    ("lines", "naming", "wanted"),
    [
        ("NamePolicy=path", Naming.ENUM, Named(name="ibp24s0v0", by="path")),
        ("NamePolicy=keep path", Naming.RENAMED, Named(name=None, by="keep")),
        ("NamePolicy=keep path", Naming.ENUM, Named(name="ibp24s0v0", by="path")),
        ("NamePolicy=onboard\nName=rail0", Naming.ENUM, Named(name="rail0", by="Name")),
        ("Name=rail0\nName=", Naming.ENUM, Named(name=None)),
        ("Name=rail0\nName=much-too-long-for-a-name", Naming.ENUM, Named(name="rail0", by="Name")),
    ],
)
def test_the_first_policy_that_has_a_name_gives_it(
    lines: str, naming: Naming, wanted: Named
) -> None:
    device = LinkDevice(name="ib3", properties=VF.properties, naming=naming)
    assert named(link(f"[Match]\nOriginalName=*\n[Link]\n{lines}\n"), device) == Known(value=wanted)


def test_a_name_that_only_the_machine_has_is_not_guessed() -> None:
    device = LinkDevice(name="ib3", properties={})
    assert isinstance(named(link("[Match]\nType=*\n[Link]\nNamePolicy=slot\n"), device), Unknown)


def test_a_drop_in_comes_after_the_file() -> None:
    made = link("[Match]\nType=*\n[Link]\nNamePolicy=keep\n", "[Link]\nNamePolicy=path\n")
    assert made.policies == ("path",)


@pytest.mark.parametrize("name", ["vf{dev_port}", "ib0.100", "fifteen-letters", "1ib", "ib$0"])
def test_a_name_is_taken_as_it_stands(name: str) -> None:
    assert refusal_of(name) is None


@pytest.mark.parametrize("name", ["sixteen-letters-", "ib/0", "ib:0", "ib%d", "ib 0", "12", "all"])
def test_a_name_that_is_none_is_refused(name: str) -> None:
    assert refusal_of(name) is not None


def test_an_alternative_name_may_be_long() -> None:
    assert refusal_of("n" * 127, is_alternative=True) is None
    assert refusal_of("n" * 128, is_alternative=True) is not None


@pytest.mark.parametrize(
    ("pattern", "text", "wanted"),
    [
        ("a*", "a/b", True),
        ("a?c", "abc", True),
        ("[!a]b", "cb", True),
        ("[^a]b", "ab", False),
        ("a\\*", "a*", True),
        ("a[", "a[", True),
        ("[[:digit:]]", "1", None),
    ],
)
def test_patterns_are_the_c_librarys(pattern: str, text: str, wanted: bool | None) -> None:  # noqa: FBT001 - a table
    assert matches(pattern, text) is wanted
