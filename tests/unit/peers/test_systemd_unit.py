import pytest

from podwire.model.evidence import Document
from podwire.peers.systemd_unit.commands import commands_of, environment_of, refusal_of
from podwire.peers.systemd_unit.durations import limit_s
from podwire.peers.systemd_unit.reading import read_unit
from podwire.peers.systemd_unit.records import Unit
from podwire.peers.systemd_unit.specifiers import HOLE
from podwire.peers.systemd_unit.variables import expanded

DOCUMENT = Document(name="etc/systemd/system/vfs.service")


def unit(text: str, *drop_ins: str) -> Unit:
    return read_unit("vfs.service", [(DOCUMENT, each) for each in (text, *drop_ins)])


def service(*lines: str) -> Unit:
    return unit("[Service]\nType=oneshot\n" + "\n".join(lines) + "\n")


def given(made: Unit) -> list[list[str]]:
    environment = environment_of(made)
    return [
        [e.word.text for e in expanded(c.argv, environment=environment)] for c in commands_of(made)
    ]


def test_a_drop_in_adds_to_lists_and_replaces_single_values() -> None:
    made = unit(
        "[Unit]\nAfter=a.service\n[Service]\nType=simple\nExecStart=/bin/a\n",
        "[Unit]\nAfter=b.service\n[Service]\nType=oneshot\nExecStart=\nExecStart=/bin/b\n",
    )
    assert made.names("Unit", "After") == ("a.service", "b.service")
    assert made.kind == "oneshot"
    assert given(made) == [["/bin/b"]]


def test_an_empty_dependency_takes_nothing_back() -> None:
    assert unit("[Unit]\nAfter=a.service\nAfter=\n").names("Unit", "After") == ("a.service",)


def test_a_switch_that_is_neither_yes_nor_no_leaves_the_default() -> None:
    made = unit("[Unit]\nDefaultDependencies=maybe\n")
    assert made.is_on("Unit", "DefaultDependencies", default=True)


def test_a_variable_in_braces_is_replaced_also_in_quotes_and_a_bare_one_is_not() -> None:
    made = service("Environment=A=1", "ExecStart=/bin/sh -c 'echo ${A} ${B} $A $$A'")
    assert given(made) == [["/bin/sh", "-c", "echo 1  $A $A"]]


def test_a_variable_that_is_a_whole_word_becomes_its_words_or_none() -> None:
    made = service("Environment='A=1 2'", "ExecStart=/bin/x $A $B end")
    assert given(made) == [["/bin/x", "1", "2", "end"]]


def test_a_variable_of_a_file_that_was_not_read_is_a_hole() -> None:
    made = service("EnvironmentFile=/etc/default/vfs", "ExecStart=/bin/x ${A} ${HOME}")
    assert given(made) == [["/bin/x", HOLE, HOLE]]


def test_a_specifier_that_only_the_machine_knows_is_a_hole() -> None:
    made = service("ExecStart=/bin/x %n %p %% %H 5%")
    assert given(made) == [["/bin/x", "vfs.service", "vfs", "%", HOLE, "5%"]]


def test_a_letter_behind_a_percent_sign_that_is_no_specifier_makes_the_unit_bad() -> None:
    (command,) = commands_of(service("ExecStart=/bin/sh -c 'echo $((i%8))'"))
    assert command.is_fatal
    assert command.fault is not None
    assert command.fault.piece == "%8"
    assert command.fault.says.endswith("echo $((i%8)): Invalid slot")


def test_behind_a_dash_only_the_line_is_dropped() -> None:
    made = service("ExecStart=-/bin/sh -c 'echo $((i%8))'", "ExecStart=/bin/true")
    commands = commands_of(made)
    assert not commands[0].is_fatal
    assert refusal_of(made, commands) is None


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("ExecStart=/bin/a\nExecStart=/bin/b\n", "more than one ExecStart="),
        ("RemainAfterExit=yes\n", "has no ExecStart="),
    ],
)
def test_a_service_that_systemd_refuses_is_told_in_its_words(text: str, says: str) -> None:
    made = unit(f"[Service]\nType=simple\n{text}")
    assert says in (refusal_of(made, commands_of(made)) or "")


def test_a_character_of_a_script_knows_its_line() -> None:
    made = unit("[Service]\nExecStart=/bin/sh -c 'a; \\\n  b'\n")
    (command,) = commands_of(made)
    script = command.argv[2]
    at = script.origin(script.text.index("b"))
    assert command.line.place_at(at).path == ("Service", "ExecStart", 0, 1)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("60", 60),
        ("1min 30s", 90),
        ("10min", 600),
        ("500ms", 0.5),
        ("infinity", None),
        ("0", None),
        ("soon", None),
    ],
)
def test_a_time_limit_is_read_in_seconds(text: str, seconds: float | None) -> None:
    assert limit_s(text) == seconds


def test_a_template_does_not_know_its_instances() -> None:
    text = "[Service]\nExecStart=/bin/x %i %p\n"
    (command,) = commands_of(read_unit("vfs@.service", [(DOCUMENT, text)]))
    assert [word.text for word in command.argv] == ["/bin/x", HOLE, "vfs"]
