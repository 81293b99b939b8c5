"""Constructs one by one: what bash writes, and what the evaluator says that it writes."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from podwire.peers.shell.evaluating import run
from podwire.peers.shell.records import HOLE, Gap, Wrote

BASH = shutil.which("bash")
SAME = (
    "echo $((7/2)) $((-7/2)) $((-7%3)) $((2**5)) $((1<<4)) $((0x1f)) $((010)) > $D/a",
    "i=3; echo $((i++)) $i $((++i)) $((i--)) > $D/a; echo $i > $D/b",
    "echo $((5>3)) $((5==3)) $((1&&0)) $((1||0)) $((!1)) $((~1)) $((6&3)) $((6|1)) $((6^3)) > $D/a",
    "i=1; ((i+=4)); echo $i > $D/a; ((i-=2)); echo $((i=9)) $i $(( (i+1)*2 )) > $D/b",
    "x=5; echo $((x * -1)) $(($x+1)) $((${x}+1)) > $D/a",
    r"echo -e 'a\tb' > $D/a; echo -n x > $D/b; echo -ne 'q\n' > $D/c",
    r"printf '%s-%d\n' a 1 b 2 > $D/a; printf '%05d|%x|%X|%o|%%\n' 42 255 255 8 > $D/b",
    r"printf -- '%3s|%-3s|\n' a b > $D/a; printf 'plain\n' > $D/b",
    "for i in $(seq -w 8 11); do echo $i > $D/$i; done",
    "for i in $(seq 5 -2 1); do echo $i > $D/d$i; done",
    "echo {a..d} {3..1} {01..03} {1..7..3} x{y,z}w > $D/a",
    "echo $'a\\tb' 'c d' \"e\\\"f\" g\\ h > $D/a",
    "A=(1 'b c' 3); echo ${A[1]} ${#A[@]} ${A[0]} > $D/a",
    "A=(1 'b c' 3); for i in ${A[@]}; do echo $i > $D/$i; done",
    'f() { local n=$1; shift; for a in "$@"; do echo $n$a > $D/$a; done; echo $#; }; f x y',
    "f() { return 1; echo no > $D/a; }; f || echo failed > $D/b; f; echo on > $D/c",
    "f() { return 0; }; f && echo yes > $D/a; exit 0; echo no > $D/b",
    "n=0; while [ $n -lt 3 ]; do echo $n > $D/$n; n=$((n+1)); done",
    "n=0; until [ $n -ge 5 ]; do n=$((n+1)); done; echo $n > $D/n",
    "for i in 1 2 3; do [ $i -eq 2 ] && continue; echo $i > $D/$i; done",
    "for ((i=0, j=1; i<3; i++)); do echo $i > $D/$i; [ $i = 1 ] && break; done",
    "case ab in a) echo 1 > $D/a ;; ab|c) echo 2 > $D/b ;; *) echo 3 > $D/c ;; esac",
    "(echo 1 > $D/a; exit 3; echo 2 > $D/b); echo 3 > $D/c",
    "x=1; (x=2; echo $x > $D/a); echo $x > $D/b; { x=4; echo $x; } > $D/c; echo $x > $D/d",
    "echo 8 | tee $D/a > $D/b; echo 9 | cat | tee $D/c >/dev/null; echo 1 2>/dev/null >$D/d",
    "if false; then echo 1 > $D/a; elif [ -n x ]; then echo 2 > $D/b; else echo 3 > $D/c; fi",
    "! false && echo 1 > $D/a; true || echo 2 > $D/b; false || { echo 3 > $D/c; }",
    "[[ a == a && b != c ]] && echo 1 > $D/a; [[ -z '' || x == y ]] && echo 2 > $D/b",
    "[[ ! 1 -gt 2 ]] && echo 1 > $D/a; [ ! -n '' ] && echo 2 > $D/b",
    'x=$(echo a; echo b); echo "$x" > $D/a; y=`echo c`; echo $y > $D/b',
    "bash -c 'echo 1 > /dev/null'; export Q=7; echo $Q > $D/b; declare z=3; echo $z > $D/c",
    'x=a; x+=b; echo $x > $D/a; echo ${x:-q} ${y:-q} > $D/b; echo "${x}"_"$x" > $D/c',
    "echo one > $D/a; echo two >> $D/b; exit 0; echo three > $D/c",
)  # fmt: skip


@pytest.mark.skipif(BASH is None, reason="bash is not installed")
@pytest.mark.parametrize("script", SAME)
def test_bash_and_the_evaluator_write_the_same(script: str, tmp_path: Path) -> None:
    env = {"D": str(tmp_path), "PATH": os.defpath, "LC_ALL": "C"}
    subprocess.run([BASH or "bash", "-c", script], env=env, check=False)  # noqa: S603 - ours
    real = {str(p): p.read_text(encoding="utf-8").rstrip("\n") for p in tmp_path.iterdir()}
    acts = run(script, variables={"D": str(tmp_path)}).acts
    said = {a.path: a.value.rstrip("\n") for a in acts if isinstance(a, Wrote) and a.is_certain}
    doubtful = [a for a in acts if isinstance(a, Wrote) and not a.is_certain]
    unknown = {path for path, value in said.items() if HOLE in path + value}
    assert {p: v for p, v in said.items() if p not in unknown} == {
        p: v for p, v in real.items() if p not in unknown
    }
    assert not doubtful


@pytest.mark.parametrize(
    "script",
    [
        "echo $(cat /x) > /a",
        "echo ${x%%:*} > /a",
        "read n; echo $n > /a",
        "cat <<E > /a\nhello\nE",
        "printf '%d' abc > /a",
        'printf "$F" 1 > /a',
        "seq 1 999999999 > /a",
        "echo $((1/0)) $((y+1)) > /a",
        "declare -A m; m[k]=1; echo ${m[k]} > /a",
        "echo $? > /a",
        "unset x; echo $x > /a",
        "echo {a..3} > /a",
    ],
)
def test_what_is_not_known_is_a_hole_and_never_a_guess(script: str) -> None:
    (wrote,) = [a for a in run(script).acts if isinstance(a, Wrote)]
    assert HOLE in wrote.value


def test_a_case_on_something_unknown_follows_every_branch_in_doubt() -> None:
    script = "case $x in a) echo 1 > /a ;; b) echo 2 > /b ;; esac"
    acts = [a for a in run(script).acts if isinstance(a, Wrote)]
    assert [(a.path, a.is_certain, a.is_conditional) for a in acts] == [
        ("/a", False, True),
        ("/b", False, True),
    ]


def test_a_loop_whose_end_is_unknown_is_followed_once() -> None:
    acts = [
        a for a in run("for ((i=0;i<n;i++)); do echo 1 > /a; done").acts if isinstance(a, Wrote)
    ]
    assert [(a.path, a.is_certain) for a in acts] == [("/a", False)]


def test_a_construct_that_is_not_modelled_is_named() -> None:
    (gap,) = [a for a in run("select x in a; do :; done").acts if isinstance(a, Gap)][:1]
    assert gap.construct
