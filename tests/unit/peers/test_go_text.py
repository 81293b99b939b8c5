"""Text and paths as Go's own packages write and read them."""

import pytest

from podwire.peers.go_paths import cleaned, matches
from podwire.peers.go_text import is_true, parse_bool, quoted


@pytest.mark.parametrize(
    ("text", "value"), [("t", True), ("TRUE", True), ("0", False), ("F", False), ("yes", None)]
)
def test_a_boolean_is_one_of_twelve_words(text: str, *, value: bool | None) -> None:
    assert parse_bool(text) is value
    assert is_true(text) is (value is True)


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("a", '"a"'),
        ('a"b\\', '"a\\"b\\\\"'),
        ("\x07\x7f", '"\\a\\x7f"'),
        ("\u00fc\u202e", '"\u00fc\\u202e"'),
    ],
)
def test_text_is_quoted_with_go_s_escapes(text: str, written: str) -> None:
    assert quoted(text) == written


@pytest.mark.parametrize(
    ("path", "clean"),
    [("/etc//cdi/", "/etc/cdi"), ("//var/run/../cdi", "/var/cdi"), ("/..", "/"), ("", ".")],
)
def test_a_path_is_cleaned_of_what_leads_nowhere(path: str, clean: str) -> None:
    assert cleaned(path) == clean


@pytest.mark.parametrize(
    ("pattern", "path", "fits"),
    [
        ("/etc/*.toml", "/etc/a.toml", True),
        ("/etc/*.toml", "/etc/b/a.toml", False),
        ("9?-*", "99-x", True),
        ("[0-5]*", "10-x", True),
        ("[^0-5]*", "10-x", False),
        ("[5-0]*", "10-x", False),
        ("a.b", "axb", False),
    ],
)
def test_a_pattern_s_stars_stop_at_a_slash(pattern: str, path: str, *, fits: bool) -> None:
    assert matches(pattern, path) is fits
