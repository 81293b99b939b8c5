"""Lines of [Service], for systemd to take apart and to run.

`ARGV` is a program that writes down what it was started with. Nothing here says what comes out.
"""

import zlib
from collections.abc import Iterator

import msgspec

ARGV = "/usr/local/bin/argv"
# Programs that the rows name: in their units `ARGV` stands in for each.
REPLACED = ("/usr/bin/bash", "/usr/bin/echo", "/usr/bin/udevadm", "/usr/bin/sleep")
_VARIABLE_FILES = "/run/lab/environment"


class ExecRow(msgspec.Struct, frozen=True):
    """Lines of [Service] after the usual ones, and a file with variables that they name."""

    name: str
    lines: tuple[str, ...]
    file: tuple[str, str] | None = None

    @property
    def unit(self) -> str:
        """A name of its own, which stays when rows are added."""
        return f"row-{zlib.crc32(self.name.encode()):08x}.service"


def exec_rows() -> Iterator[ExecRow]:
    yield from _argument_rows()
    for line in _PROGRAMS:
        yield ExecRow(f"program {line!r}", (*_SET, f"ExecStart={line}"))
    yield from _environment_rows()
    for name, several in _SEVERAL.items():
        yield ExecRow(name, several)
    for name, text in _ARTICLES.items():
        yield ExecRow(name, tuple(text.splitlines()))


def _argument_rows() -> Iterator[ExecRow]:
    for words in _WORDS:
        yield ExecRow(f"words {words!r}", (f"ExecStart={ARGV} {words}",))
    for words in _VARIABLES:
        yield ExecRow(f"variables {words!r}", (*_SET, f"ExecStart={ARGV} {words}"))
    for specifiers in _SPECIFIERS:
        yield ExecRow(f"specifiers {specifiers!r}", (f"ExecStart={ARGV} {specifiers}",))


def _environment_rows() -> Iterator[ExecRow]:
    for line in _ENVIRONMENTS:
        lines = (f"Environment={line}", f"ExecStart={ARGV} $A ${{A}} $B ${{B}} end")
        yield ExecRow(f"Environment={line}", lines)
    for number, (name, text) in enumerate(_ENVIRONMENT_FILES.items()):
        file = f"{_VARIABLE_FILES}/{number}"
        lines = (f"EnvironmentFile={file}", f"ExecStart={ARGV} $A ${{A}} ${{B}} end")
        yield ExecRow(f"a file of variables: {name}", lines, (file, text))


_SET = ("Environment=ONE=1 WORDS='two words' EMPTY=", "Environment='PADDED= a  b '")
_WORDS = (
    "",
    "a",
    "a b",
    "  a   b  ",
    "a\tb",
    '"a b"',
    "'a b'",
    "\"a 'b' c\"",
    "'a \"b\" c'",
    'a"b c"d',
    "a'b c'd",
    '"a"b',
    '"a" "b"',
    '"a""b"',
    "'a''b'",
    '""',
    "''",
    'a "" b',
    '"a',
    "'a",
    'a"',
    "a'b",
    '\\"a\\"',
    "a\\ b",
    "a\\\\b",
    "'a\\\\b'",
    "a\\nb",
    "'a\\nb'",
    "\\x41",
    "'\\x41\\x42'",
    "\\x4",
    "\\x00",
    "\\101",
    "\\1",
    "\\u00e9",
    "\\U0001F600",
    "\\s",
    "a\\sb",
    "\\t",
    "\\e[0m",
    "\\q",
    "'\\q'",
    "\\d+",
    "'s/\\./-/'",
    "\\$A",
    "a\\",
    "a \\\n  b",
    "a\\\nb",
    "'a \\\n  b'",
    "a \\\n# no\n  b",
    "a \\\n; no\n  b",
    "a \\\n\n  b",
    "a # b",
    "a #b",
    "#a",
    "a;b",
    "a ; b",
    f"a ; {ARGV} b",
    f"a ;{ARGV} b",
    f"a; {ARGV} b",
    f"a \\; {ARGV} b",
    f"a ';' {ARGV} b",
    "a ;",
    "; a",
    "a && b",
    "a | b",
    "a > /dev/null",
    "a &",
    "*",
    "~",
    "{0..3}",
    "$(hostname)",
    "`hostname`",
    "a=b",
    "--a=b c",
    "--a='b c'",
    '--a="b c"',
    "é",
    "'é'",
    "\u3000a",
    "%",
    "100%",
    "!a",
    "-a",
    "@a",
    "+a",
)
_VARIABLES = (
    "$ONE",
    "${ONE}",
    "$WORDS",
    "${WORDS}",
    "$EMPTY",
    "${EMPTY}",
    "$PADDED",
    "${PADDED}",
    "$UNSET",
    "${UNSET}",
    "a $UNSET b",
    "a ${UNSET} b",
    "'$ONE'",
    '"$ONE"',
    "'${ONE}'",
    '"${ONE}"',
    "'$WORDS'",
    '"$WORDS"',
    '"${WORDS}"',
    "a$ONE",
    "a${ONE}",
    "$ONE.b",
    "$ONEb",
    "${ONE}b",
    "$ONE$ONE",
    "${ONE}${WORDS}",
    "$ONE-$ONE",
    "$ONE ${ONE}",
    "a=$ONE",
    "a=${ONE}",
    "'a $ONE b'",
    "'a ${ONE} b'",
    "'a ${UNSET} b'",
    "'a $UNSET b'",
    "$$",
    "$$ONE",
    "$${ONE}",
    "'$$ONE'",
    "'$${ONE}'",
    "a$$b",
    "$$$ONE",
    "$$$$",
    "$$$",
    "$",
    "a$",
    "$ a",
    "${",
    "${}",
    "${ONE",
    "${ONE }",
    "${ ONE}",
    "${1}",
    "$1",
    "$@",
    "$*",
    "$?",
    "$#",
    "$!",
    "$-",
    "$0",
    "$_",
    "${ONE:-other}",
    "${UNSET:-other}",
    "${UNSET:-}",
    "${UNSET:-${ONE}}",
    "${UNSET:-$ONE}",
    "${EMPTY:-other}",
    "${ONE:+other}",
    "${UNSET:+other}",
    "${EMPTY:+other}",
    "${UNSET-other}",
    "${ONE#1}",
    "${#ONE}",
    "${ONE%1}",
    "${ONE/1/2}",
    "${ONE[0]}",
    "$((1+1))",
    "'$((1+1))'",
    "'$((i/8))'",
    "'$(hostname)'",
    "'mlx5_${i}/x'",
    "'mlx5_$i/x'",
    "'mlx5_$${i}/x'",
    "'mlx5_$$i/x'",
    "'echo $$i ${ONE} $ONE $((2*$$i))'",
    "$i",
    "${i}",
    "$MAINPID",
    "${HOME}",
    "$PATH",
    "\\x24ONE",
    "\\x24{ONE}",
    "$'ONE'",
    '$"ONE"',
    "$WORDS$WORDS",
    "$ONE,",
    "${ONE},${WORDS}",
    "$one",
    "${ONE}$ONE",
    "$ONE${ONE}",
)
_SPECIFIERS = (
    "%n",
    "%N",
    "%p",
    "%P",
    "%i",
    "%I",
    "%j",
    "%J",
    "%f",
    "%t",
    "%S",
    "%C",
    "%L",
    "%E",
    "%u",
    "%U",
    "%g",
    "%G",
    "%h",
    "%s",
    "%m",
    "%H",
    "%l",
    "%q",
    "%v",
    "%a",
    "%o",
    "%w",
    "%W",
    "%T",
    "%V",
    "%d",
    "%y",
    "%Y",
    "%%",
    "%%i",
    "%z",
    "%k",
    "%x",
    "%1",
    "a%",
    "a% b",
    "'%n'",
    '"%n"',
    "'%d %s'",
    "100%% a",
    "%%%%",
    "%%n",
    "%H%%",
    "'$$(printf %%d 1)'",
    "'$$(printf %d 1)'",
    "date +%%s",
    "date +%s",
)
_PROGRAMS = (
    "argv a",
    "argv-that-is-not-there a",
    "/usr/local/bin/argv",
    "/usr/local/bin/not-there a",
    "-/usr/local/bin/not-there a",
    "/usr/local/bin/ a",
    "/usr/local/bin a",
    "./argv a",
    "bin/argv a",
    "../argv a",
    "/usr/local/../local/bin/argv a",
    "/usr/local//bin/argv a",
    '"/usr/local/bin/argv" a',
    "'/usr/local/bin/argv' a",
    "/usr/local/bin/ar\\x67v a",
    "/usr/local/bin/%j a",
    "${ONE} a",
    "$ONE a",
    "/usr/local/bin/$ONE a",
    "/usr/local/bin/${ONE} a",
    "-/usr/local/bin/argv a",
    "+/usr/local/bin/argv a",
    "!/usr/local/bin/argv a",
    "!!/usr/local/bin/argv a",
    ":/usr/local/bin/argv $ONE ${ONE} $$",
    "-:/usr/local/bin/argv $ONE",
    ":-/usr/local/bin/argv $ONE",
    "-+/usr/local/bin/argv a",
    "+-/usr/local/bin/argv a",
    "+!/usr/local/bin/argv a",
    "--/usr/local/bin/argv a",
    "++/usr/local/bin/argv a",
    "!!!/usr/local/bin/argv a",
    "- /usr/local/bin/argv a",
    "@/usr/local/bin/argv zero a",
    "@/usr/local/bin/argv",
    "-@/usr/local/bin/argv zero a",
    "@-/usr/local/bin/argv zero a",
    "@/usr/local/bin/argv $ONE $ONE",
    "|/usr/local/bin/argv a",
    "",
    '""',
    "'argv a'",
    "argv;a",
    "/bin/bash -c 'true'",
    "/bin/bash -c true",
    '/bin/bash -c "echo $ONE"',
    "/bin/bash -c 'echo $ONE ${ONE} $$ONE'",
    "bash -c 'echo a'",
    "/bin/sh -c 'true'",
    "A=b /usr/local/bin/argv a",
    "/usr/local/bin/argv " + "a" * 4000,
)
_ENVIRONMENTS = (
    "A=1",
    "A=1 B=2",
    '"A=1 2"',
    "'A=1 2' B=3",
    'A="1 2"',
    "A='1 2'",
    "A=1=2",
    "A=",
    "A",
    "=1",
    "A =1",
    "A= 1",
    "1A=1",
    "a-b=1 A=2",
    "A=$B B=2",
    "A=${B} B=2",
    "A=$$ B=2",
    "A=%n",
    "A=%%",
    "A=%z",
    "A=\\x41",
    "A=a\\nb",
    "A=a\\ b",
    "A=1\nEnvironment=A=2",
    "A=1\nEnvironment=\nEnvironment=B=2",
    "A=1;B=2",
    "A=1, B=2",
    "export A=1",
    "'A=1",
    "A=1 # B=2",
)
_ENVIRONMENT_FILES = {
    "plain": "A=1\nB=2\n",
    "spaces": "A = 1\n B=2 3\n",
    "quotes": "A=\"1 2\"\nB='3 4'\n",
    "quotes inside": 'A=1"2 3"4\nB=it\'s\n',
    "comments": "# no\n; no\nA=1 # yes\nB=2;3\n",
    "going on": "A=1 \\\n2\nB='3\n4'\n",
    "escapes": 'A=a\\nb\nB="a\\nb"\n',
    "dollars": "A=$B\nB=$$\n",
    "export": "export A=1\nB=2\n",
    "a broken line": "A\nB=2\n",
    "an unclosed quote": "A='1\nB=2\n",
    "CRLF": "A=1\r\nB=2\r\n",
    "empty": "",
    "trailing spaces": 'A=1  \nB="2  "  \n',
}
_SEVERAL: dict[str, tuple[str, ...]] = {
    "two commands": (f"ExecStart={ARGV} a", f"ExecStart={ARGV} b"),
    "reset": (f"ExecStart={ARGV} a", "ExecStart=", f"ExecStart={ARGV} b"),
    "reset to nothing": (f"ExecStart={ARGV} a", "ExecStart="),
    "spaces around =": (f"ExecStart = {ARGV} a",),
    "lower case": (f"execstart={ARGV} a",),
    "a misspelt key beside": (f"ExecStrat={ARGV} a", f"ExecStart={ARGV} b"),
    "one bad, one good": (f"ExecStart={ARGV} 'a", f"ExecStart={ARGV} b"),
    "one bad specifier, one good": (f"ExecStart={ARGV} %z", f"ExecStart={ARGV} b"),
    "the first fails": ("ExecStart=/usr/bin/false", f"ExecStart={ARGV} b"),
    "the first fails and may": ("ExecStart=-/usr/bin/false", f"ExecStart={ARGV} b"),
    "the first is missing and may": ("ExecStart=-/usr/bin/nowhere", f"ExecStart={ARGV} b"),
    "before and after": (
        f"ExecStartPre={ARGV} pre",
        f"ExecStart={ARGV} start",
        f"ExecStartPost={ARGV} post",
    ),
    "no command": ("RemainAfterExit=yes",),
    "a condition that fails": ("ExecCondition=/usr/bin/false", f"ExecStart={ARGV} a"),
    "another service type": ("Type=simple", f"ExecStart={ARGV} a"),
    "two commands in another type": (
        "Type=simple",
        f"ExecStart={ARGV} a",
        f"ExecStart={ARGV} b",
    ),
    "a user": ("User=nobody", f"ExecStart={ARGV} %u %h %U ${{HOME}} ${{USER}}"),
    "unset": ("Environment=A=1 B=2", "UnsetEnvironment=A", f"ExecStart={ARGV} ${{A}} ${{B}}"),
    "passed": ("PassEnvironment=PATH NOPE", f"ExecStart={ARGV} ${{NOPE}} end"),
    "a missing file of variables": ("EnvironmentFile=/nope", f"ExecStart={ARGV} a"),
    "a missing file that may": ("EnvironmentFile=-/nope", f"ExecStart={ARGV} a"),
    "time-outs": ("TimeoutSec=60", "TimeoutStartSec=90s", f"ExecStart={ARGV} a"),
    "an unknown key": ("Shell=/bin/bash", f"ExecStart={ARGV} a"),
    "a section in between": (f"ExecStart={ARGV} a", "[Unit]", "Description=late"),
}
ARTICLES_UNIT = """\
RemainAfterExit=yes
ExecStart=/bin/bash -c 'for i in 0 3 4 5 6 9 10 11; do \\
  echo 8 > /sys/class/infiniband/mlx5_${i}/device/sriov_numvfs; \\
  sleep 0.5; \\
done'
ExecStart=/usr/bin/udevadm settle --timeout=30
ExecStart=/bin/bash -c 'for i in {0..63}; do \\
  vf=$((i/8)); port=$((i%8)); \\
  echo "00:11:22:33:44:${vf}${vf}:1:${port}" > \\
    /sys/class/infiniband/mlx5_${vf}/device/sriov/${port}/node_guid; \\
  echo "00:11:22:33:44:${vf}${vf}:2:${port}" > \\
    /sys/class/infiniband/mlx5_${vf}/device/sriov/${port}/port_guid; \\
done'
TimeoutSec=60
"""
_ARTICLES = {
    "the article's unit": ARTICLES_UNIT,
    "its first half": ARTICLES_UNIT.partition("ExecStart=/usr")[0],
    "its first half with doubled dollars": ARTICLES_UNIT.partition("ExecStart=/usr")[0].replace(
        "$", "$$"
    ),
    "all of it with doubled dollars": ARTICLES_UNIT.replace("$", "$$"),
    "all of it with doubled dollars and percent signs": ARTICLES_UNIT.replace("$", "$$").replace(
        "%", "%%"
    ),
    "its GUID loop alone": "ExecStart=/bin/bash" + ARTICLES_UNIT.split("ExecStart=/bin/bash")[2],
}
