"""Decoding, positions, and text that is safe to print."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podwire.documents.text import Position, decode_text, position_at, printable


@pytest.mark.parametrize(
    ("data", "text"),
    [(b"", ""), ("é\n".encode(), "é\n"), (b"\xef\xbb\xbfa: 1", "a: 1")],
)
def test_utf_8_is_decoded_with_or_without_a_byte_order_mark(data: bytes, text: str) -> None:
    assert decode_text(data) == (text, ())


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf_16_is_refused_by_name(encoding: str) -> None:
    text, (problem,) = decode_text("\ufeffa: 1\n".encode(encoding))
    assert text == ""
    assert problem.message == "the file is UTF-16; save it as UTF-8"


def test_bytes_that_are_no_utf_8_are_replaced_and_the_first_has_a_place() -> None:
    text, (problem,) = decode_text(b"\xef\xbb\xbfa: 1\n\xc3\xa9: \xff\nc: \xfe\n")
    assert text == "a: 1\né: �\nc: �\n"
    assert problem.message == "byte 0xff is no UTF-8 (invalid start byte)"
    assert problem.position == Position(line=2, column=4)


@pytest.mark.parametrize(
    ("offset", "line", "column"), [(0, 1, 1), (2, 1, 3), (3, 2, 1), (5, 2, 3), (99, 2, 3)]
)
def test_positions_count_characters_from_one(offset: int, line: int, column: int) -> None:
    assert position_at("é\r\nxy", offset=offset) == Position(line=line, column=column)


@pytest.mark.parametrize(
    ("text", "shown"),
    {
        "train/worker-0 é 中 \U0001f600": "train/worker-0 é 中 \U0001f600",
        "\x1b[2Jx": r"\x1b[2Jx",
        "a\r\nb\tc": r"a\r\nb\tc",
        "\x00\x7f\x9b": r"\x00\x7f\x9b",
        "user\u202etxt.exe\u2066": r"user\u202etxt.exe\u2066",
        "a\u200bb\ufeffc\u2028": r"a\u200bb\ufeffc\u2028",
        "a\xa0b": r"a\xa0b",
        "\ud800": r"\ud800",
        "\U000e0041": r"\U000e0041",
    }.items(),
)
def test_what_a_terminal_would_act_on_becomes_an_escape(text: str, shown: str) -> None:
    assert printable(text) == shown


@pytest.mark.parametrize(
    ("text", "limit", "shown"),
    [
        ("abcdef", 6, "abcdef"),
        ("abcdefg", 6, "abc..."),
        ("\n\n\n\n", 6, r"\n\..."[:3] + "..."),
        ("abcdef", 2, ".."),
        ("abcdef", 0, ""),
    ],
)
def test_long_text_is_cut_to_the_limit(text: str, limit: int, shown: str) -> None:
    assert printable(text, limit) == shown


@given(st.text(st.characters()), st.integers(0, 50))
def test_printable_text_is_short_and_holds_no_control_character(text: str, limit: int) -> None:
    shown = printable(text, limit)
    assert len(shown) <= limit
    assert {unicodedata.category(c) for c in shown}.isdisjoint({"Cc", "Cf", "Cs", "Zl", "Zp"})


@given(st.binary())
def test_no_bytes_make_decoding_raise(data: bytes) -> None:
    decode_text(data)
