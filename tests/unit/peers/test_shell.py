"""What scripts write, as far as that can be told without running them."""

import os
import random
import shutil
import subprocess
from pathlib import Path

import pytest

from podwire.peers.shell.evaluating import run
from podwire.peers.shell.records import HOLE, Gap, Loop, Started, Wrote
from podwire.peers.shell.tree import parse, variables_of

BASH = shutil.which("bash")


def writes(script: str, **variables: str) -> list[tuple[str, str]]:
    acts = run(script, variables=variables).acts
    return [(a.path, a.value) for a in acts if isinstance(a, Wrote) and a.is_certain]


def doubts(script: str) -> list[tuple[str, str]]:
    acts = run(script).acts
    return [(a.path, a.value) for a in acts if isinstance(a, Wrote) and not a.is_certain]


@pytest.mark.parametrize(
    ("script", "wanted"),
    [
        ("echo 8 > /a", [("/a", "8")]),
        ("for i in 0 3; do echo 8 > /m$i/n; done", [("/m0/n", "8"), ("/m3/n", "8")]),
        ("for i in {8..9}; do echo $((i%4)) > /a; done", [("/a", "0"), ("/a", "1")]),
        ("for ((i=0;i<2;i++)); do echo $i | tee /$i >/dev/null; done", [("/0", "0"), ("/1", "1")]),
        ('P="a b"; for p in $P; do echo 1 > "/$p"; done', [("/a", "1"), ("/b", "1")]),
        ('P=(a "b c"); echo ${#P[@]} > "/${P[1]}"', [("/b c", "2")]),
        ('set() { echo "$2" > "/$1"; }; set a 1; set b 2', [("/a", "1"), ("/b", "2")]),
        ("x=$(printf '02:%02x' 10); echo $x > /a", [("/a", "02:0a")]),
        ("for i in $(seq 2 3); do echo $i > /a; done", [("/a", "2"), ("/a", "3")]),
        ("[ 1 -lt 2 ] && echo yes > /a || echo no > /b", [("/a", "yes")]),
        ("if [ a = b ]; then echo 1 > /a; else echo 2 > /b; fi", [("/b", "2")]),
        ("case x in y) echo 1 > /a ;; x|z) echo 2 > /b ;; esac", [("/b", "2")]),
        ("echo a > /a; exit 0; echo b > /b", [("/a", "a")]),
        ("for i in 1 2 3; do [ $i = 2 ] && break; echo $i > /a; done", [("/a", "1")]),
        ("echo -n 1 >> /a; printf '%s\\n' 2 > /b", [("/a", "1"), ("/b", "2")]),
        ('i=0 n=2; echo "$i $n ${n} x" > /a', [("/a", "0 2 2 x")]),
        ("bash -c 'echo 1 > /a'", [("/a", "1")]),
        ("tee /a <<< 5", [("/a", "5")]),
        ("f() { echo ${1:?no} > /a; }; f 4; x=; echo ${x:-2} > /b", [("/a", "4"), ("/b", "2")]),
        ("(x=1; echo $x > /a); echo ${x:-2} > /b", [("/a", "1"), ("/b", HOLE)]),
        ("d=/x; for i in 0 1; do echo 8 > $d/s/$i/n; done", [("/x/s/0/n", "8"), ("/x/s/1/n", "8")]),
        ("d=/x i=3; p=$d/$i/n; echo 8 >$p; echo 9 >$d/$i/$i", [("/x/3/n", "8"), ("/x/3/3", "9")]),
        ("x=$(</sys/n); echo $x > /a", [("/a", HOLE)]),
        ("[ -e /x ] || exit 1; echo 1 > /a", [("/a", "1")]),
        ("f() { [ -e /x ] || return 1; echo 1 > /a; }; f", [("/a", "1")]),
        ("f() { [ -e /x ] && return; echo 1 > /a; }; f; echo 2 > /b", [("/b", "2")]),
        ("for i in 1 2; do [ -e /x$i ] || continue; echo 1 >/a; done; echo 3 >/b", [("/b", "3")]),
        ("printf '%09999d' 4 > /a", [("/a", HOLE)]),
    ],
)  # fmt: skip
def test_literal_scripts_are_followed(script: str, wanted: list[tuple[str, str]]) -> None:
    assert writes(script) == wanted


def test_a_name_that_only_the_machine_knows_is_a_hole() -> None:
    assert writes("echo 8 > /sys/class/net/$PF/device/sriov_numvfs") == [
        (f"/sys/class/net/{HOLE}/device/sriov_numvfs", "8")
    ]
    assert writes("echo 8 > /sys/class/net/$PF/n", PF="ib0") == [("/sys/class/net/ib0/n", "8")]


def test_what_stands_under_an_open_condition_is_in_doubt() -> None:
    script = "if [ -e /x ]; then echo 1 > /a; else echo 2 > /b; fi; echo 3 > /c"
    assert writes(script) == [("/c", "3")]
    assert doubts(script) == [("/a", "1"), ("/b", "2")]


def test_what_such_a_branch_sets_is_unknown_behind_it() -> None:
    assert writes("n=4; [ -e /x ] && n=8; echo $n > /a") == [("/a", HOLE)]


def test_a_loop_over_a_glob_is_followed_once_and_in_doubt() -> None:
    script = "for pf in /sys/class/infiniband/*; do echo 4 > $pf/device/sriov_numvfs; done"
    assert doubts(script) == [(f"/sys/class/infiniband/{HOLE}/device/sriov_numvfs", "4")]


def test_an_exit_under_an_open_condition_does_not_end_the_script() -> None:
    assert writes("[ -d /x ] || exit 1; echo 1 > /a") == [("/a", "1")]


def test_a_function_that_may_have_returned_does_not_end_the_script() -> None:
    script = "wait() { [ -e /x ] && return 0; exit 1; }; wait; echo 1 > /a"
    assert writes(script) == [("/a", "1")]


@pytest.mark.parametrize(
    "script",
    [
        "for i in 1 2; do [ -e /x$i ] || continue; echo 1 > /a; done",
        "for i in 1; do [ -e /x ] && break; echo 1 > /a; done",
        "[ -e /x ] && exit 0; echo 1 > /a",
        "f() { [ -e /x ] && return 0; echo 1 > /a; }; f",
    ],
)
def test_what_follows_a_way_out_without_a_failure_is_in_doubt(script: str) -> None:
    assert set(doubts(script)) == {("/a", "1")}


@pytest.mark.parametrize(
    "script",
    [
        "for t in 1 2; do [ -e /x ] && break; sleep 1; done; echo 1 > /a",
        "while true; do [ -e /x ] && break; sleep 1; done; echo 1 > /a",
        "for ((t=0; t<9; t++)); do [ -e /x ] && break; sleep 1; done; echo 1 > /a",
    ],
)
def test_a_loop_that_something_may_end_waits(script: str) -> None:
    loops = [act for act in run(script).acts if isinstance(act, Loop)]
    assert len(loops) == 1
    assert writes(script) == [("/a", "1")]


def test_a_loop_that_waits_is_told() -> None:
    acts = run("until [ -e /sys/class/net/ib0 ]; do sleep 1; done").acts
    assert Loop(condition="[ -e /sys/class/net/ib0 ]", at=0) in acts


def test_programs_are_told_with_their_words() -> None:
    acts = run("PF=ib0; ip link set $PF vf 1 state auto || true; /opt/x --all").acts
    assert [a.argv for a in acts if isinstance(a, Started)] == [
        ("ip", "link", "set", "ib0", "vf", "1", "state", "auto"),
        ("/opt/x", "--all"),
    ]


@pytest.mark.parametrize("script", ["}&&", "! ", "case", "[[ ]] ||", "for in; do", "a() ( |"])
def test_a_broken_script_is_read_to_its_end(script: str) -> None:
    assert writes(f"{script}\n") == []


@pytest.mark.parametrize("script", ["eval $x", "source /etc/x", "echo 1 > /a; for"])
def test_what_is_not_modelled_is_a_gap(script: str) -> None:
    assert [a for a in run(script).acts if isinstance(a, Gap)]


def test_a_script_without_end_is_given_up() -> None:
    acts = run("while true; do echo 1 > /a; done").acts
    assert isinstance(acts[-1], Gap | Loop)


def test_the_variables_that_a_script_sets_are_known() -> None:
    script = "for i in 1; do v=2; done; read -r line; local z=3; echo $other"
    assert variables_of(parse(script)) >= {"i", "v", "line", "z"}
    assert "other" not in variables_of(parse(script))


WORDS = (
    *("$i", "${i}", "$((i+1))", "$((n*i%7))", "$n", '"$i $n"', "x{1,2}$n", "${A[0]}", "'$i'"),
    *('"${A[1]}"', "$(echo $n)", "$(printf %02x $i)", "${#A[@]}", "\\$i", "{1..3}", 'a"b"c'),
)
TESTS = (
    *("[ $i -lt 2 ]", '[ "$n" = 2 ]', "[[ $i == 1 ]]", "true", "false", "((i>1))"),
    *("! [ $i = 0 ]", '[ -n "$n" ]', "[[ $n != 3 && $i -lt 2 ]]"),
)
LISTS = ("0 1 2", "{0..2}", "$(seq 0 2)", '"${A[@]}"')
VALUES = ("1", "2", "$((n+1))", "$i")


def made_up(number: int) -> str:
    """Write a script of what scripts in units are made of."""
    draw = random.Random(number)  # noqa: S311 - any will do
    return "\n".join(["i=0; n=2; A=(0 1 2)", *(statement(draw, 0) for _ in range(6))])


def statement(draw: random.Random, depth: int) -> str:
    kind = 0 if depth > 3 else draw.randint(0, 9)
    below = statement(draw, depth + 1) if kind > 3 else ""
    test, other = draw.choice(TESTS), draw.choice(WORDS)
    return {
        4: f"if {test}; then {below}; else n=7; fi",
        5: f"for i in {draw.choice(LISTS)}; do {below}; done",
        6: f"n={draw.choice(VALUES)}",
        7: f"{test} && {below}",
        8: f'f{depth}() {{ echo "$1-$2" > "$D/f-$1"; {below}; }}; f{depth} {draw.randint(0, 3)} $n',
        9: f"case $i in 0) {below};; 1|2) n=3;; *) n=9;; esac",
    }.get(kind, f'echo {draw.choice(WORDS)} {other} > "$D/{draw.randint(0, 999)}-$i"')


@pytest.mark.skipif(BASH is None, reason="bash is not installed")
@pytest.mark.parametrize("number", range(30))
def test_the_same_files_are_written_as_by_bash(number: int, tmp_path: Path) -> None:
    """Generated scripts: what bash really writes, and what is said that it writes."""
    script = made_up(number)
    subprocess.run(  # noqa: S603 - a script of ours
        [BASH or "bash", "-c", script],
        env={"D": str(tmp_path), "PATH": os.defpath},
        check=False,
        stderr=subprocess.DEVNULL,
    )
    real = {str(p): p.read_text(encoding="utf-8").rstrip("\n") for p in tmp_path.iterdir()}
    said = dict(writes(script, D=str(tmp_path)))
    assert said == real


def test_a_program_that_the_shell_has_too_does_the_same() -> None:
    assert writes("/usr/bin/echo 8 > /a; /bin/echo 4 | /usr/bin/tee /b") == [
        ("/a", "8"),
        ("/b", "4"),
    ]
