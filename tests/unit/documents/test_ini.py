import pytest

from podwire.documents import ini
from podwire.documents.locate import Form, locate
from podwire.model.evidence import Path

UNIT = """\
# made by hand
[Service]
Type = oneshot
ExecStart=/bin/bash -c 'for i in 1 2; do \\
# a comment between them
  echo $i; \\
done'
ExecStart=
ExecStart=/bin/true
"""


def written(text: str) -> list[tuple[str, str, str]]:
    return [(a.section, a.key, a.value) for a in ini.parse(text).assignments]


def shown(text: str, path: Path) -> tuple[int, int, int] | None:
    found = locate(text, form=Form.INI, path=path)
    if found is None:
        return None
    return found.position.line, found.position.column, found.end_column


def test_a_key_and_its_value_lose_the_blanks_around_them() -> None:
    assert written(" [Link] \n Name = ib0 \n") == [("Link", "Name", "ib0")]


def test_a_value_goes_on_behind_a_backslash_and_over_comments() -> None:
    (first, *_) = [v for _, k, v in written(UNIT) if k == "ExecStart"]
    assert first == "/bin/bash -c 'for i in 1 2; do    echo $i;  done'"


def test_two_backslashes_do_not_go_on() -> None:
    assert written("[A]\nx=a\\\\\ny=b\n") == [("A", "x", "a\\\\"), ("A", "y", "b")]


def test_an_assignment_of_nothing_is_kept_for_whoever_knows_the_key() -> None:
    assert [v for _, k, v in written(UNIT) if k == "ExecStart"][1:] == ["", "/bin/true"]


def test_windows_line_ends_belong_to_no_value() -> None:
    assert written("[A]\r\nx=1 \\\r\n 2\r\n") == [("A", "x", "1   2")]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x=1\n", "Assignment outside of section. Ignoring."),
        ("[A]\nx\n", "Missing '=', ignoring line."),
        ("[A]\n=1\n", "Missing key name before '=', ignoring line."),
        ("[A\nx=1\n", "Invalid section header '[A'"),
    ],
)
def test_a_line_that_systemd_skips_is_a_problem_with_its_line(text: str, message: str) -> None:
    problem = ini.parse(text).problems[0]
    assert problem.message == message
    assert problem.position is not None


def test_the_last_line_of_a_value_is_the_one_that_systemd_names() -> None:
    found = next(a for a in ini.parse(UNIT).assignments if a.key == "ExecStart")
    assert (found.line, found.last) == (4, 7)


def test_a_value_is_shown_where_it_begins() -> None:
    assert shown(UNIT, ("Service", "Type", 0)) == (3, 8, 15)
    assert shown(UNIT, ("Service", "ExecStart", 2)) == (9, 11, 20)


def test_a_line_within_a_value_has_a_place_of_its_own() -> None:
    found = next(a for a in ini.parse(UNIT).assignments if a.key == "ExecStart")
    path = found.path_at(found.value.index("echo"))
    assert path == ("Service", "ExecStart", 0, 1)
    assert shown(UNIT, path) == (6, 3, 11)


def test_an_empty_value_is_shown_by_its_key() -> None:
    assert shown(UNIT, ("Service", "ExecStart", 1)) == (8, 1, 10)


def test_what_is_not_there_leads_to_its_section() -> None:
    found = locate(UNIT, form=Form.INI, path=("Service", "TimeoutSec", 0))
    assert found is not None
    assert not found.exact
    assert locate(UNIT, form=Form.INI, path=("Install", "WantedBy", 0)) is None


@pytest.mark.parametrize(
    ("name", "is_one"),
    [
        ("nodes/a/etc/systemd/network/70-vf.link", True),
        ("etc/systemd/system/kubelet.service.d/10-kubeadm.conf", True),
        ("etc/modprobe.d/mlx5.conf", False),
        ("etc/cni/net.d/10-multus.conf", False),
        ("opensm.service.txt", False),
    ],
)
def test_systemds_files_are_told_by_their_names(name: str, is_one: bool) -> None:  # noqa: FBT001 - a table
    assert ini.is_ini(name) is is_one
