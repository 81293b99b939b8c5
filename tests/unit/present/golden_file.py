"""Whole expected outputs, to be read as prose: one file each in golden/."""

from pathlib import Path

_FOLDER = Path(__file__).with_name("golden")


def assert_golden(name: str, text: str) -> None:
    """Compare with golden/NAME; what is new is written beside it, to be looked at."""
    path = _FOLDER / name
    expected = path.read_text(encoding="utf-8") if path.exists() else ""
    if text != expected:
        path.with_name(f"{name}.new").write_text(text, encoding="utf-8")
    assert text == expected
