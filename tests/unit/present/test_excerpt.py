from hypothesis import example, given
from hypothesis import strategies as st

from podwire.documents.locate import Located
from podwire.documents.text import Position
from podwire.present.excerpt import excerpt


def cut(text: str, *, line: int, column: int, length: int) -> list[str]:
    at = Located(position=Position(line=line, column=column), end_column=column + length)
    return excerpt(text.split("\n"), at=at)


def test_one_line_of_context_stands_before_the_line() -> None:
    assert cut("a: 1\nb:\n  c: 2", line=3, column=6, length=1) == [
        "   |",
        " 2 | b:",
        " 3 |   c: 2",
        "   |      ^",
    ]


def test_numbers_of_more_digits_widen_the_margin() -> None:
    text = "\n".join(f"k{number}: v" for number in range(1, 12))
    assert cut(text, line=10, column=6, length=1) == [
        "    |",
        "  9 | k9: v",
        " 10 | k10: v",
        "    |      ^",
    ]


def test_a_blank_line_is_no_context() -> None:
    assert cut("\na: 1", line=2, column=4, length=1) == ["   |", " 2 | a: 1", "   |    ^"]


def test_a_long_line_is_cut_around_the_carets() -> None:
    text = "x" * 200 + " value " + "y" * 200
    rows = cut(text, line=1, column=202, length=5)
    assert max(map(len, rows)) <= 80
    assert rows[1].startswith(" 1 | ...xxx")
    assert rows[1].endswith("yyy...")
    column = rows[2].index("^")
    assert rows[1][column : column + rows[2].count("^")] == "value"


def test_a_long_value_is_underlined_as_far_as_it_is_shown() -> None:
    rows = cut("key: " + "v" * 300, line=1, column=6, length=300)
    assert max(map(len, rows)) <= 80
    assert rows[1].endswith("...")
    assert len(rows[2]) == len(rows[1])


def test_carets_stay_below_the_value_behind_escapes_and_tabs() -> None:
    rows = cut("a\x1b[1m\t\u202eb: value", line=1, column=11, length=5)
    assert rows[1] == " 1 | a\\x1b[1m \\u202eb: value"
    assert rows[2].index("^") == rows[1].index("value")


def test_a_line_that_is_not_there_gives_nothing() -> None:
    assert cut("a: 1", line=9, column=1, length=1) == []


@given(st.text(max_size=300), st.integers(1, 300), st.integers(1, 300))
@example("0" + "\x1f" * 6 + "\x08" * 5 + "\U00010000" * 3, 16, 1)
def test_any_line_fits_and_its_carets_are_below_it(line: str, column: int, length: int) -> None:
    rows = cut(line.replace("\n", " "), line=1, column=column, length=length)
    assert max(map(len, rows)) <= 80
    assert rows[-1].endswith("^")
