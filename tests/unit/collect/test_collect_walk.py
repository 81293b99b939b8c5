"""Walking: every file once, and an end to everything."""

import pytest
from tests.fakes.hostfs import FakeHostFs

from podwire.collect import walk
from podwire.collect.walk import files_below
from podwire.ports.hostfs import Entry, ReadFault, Trouble


class Closed(FakeHostFs):
    """A tree with a folder that may not be listed."""

    def entries(self, path: str = "") -> tuple[Entry, ...]:
        if path == "closed":
            raise ReadFault(path, Trouble.DENIED)
        return super().entries(path)


def test_files_come_folder_by_folder_in_order() -> None:
    fs = FakeHostFs({"b/d/x": "", "b/c": "", "a": "", "z": ""})
    assert list(files_below(fs)) == ["a", "z", "b/c", "b/d/x"]
    assert list(files_below(fs, "b")) == ["b/c", "b/d/x"]


def test_a_folder_that_cannot_be_listed_costs_itself() -> None:
    found = list(files_below(Closed({"a": "", "closed/b": "", "open/c": ""})))
    assert [str(f) for f in found] == ["a", "closed may not be read by this user", "open/c"]


def test_too_many_files_end_the_walk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walk, "_MOST_FILES", 2)
    found = list(files_below(FakeHostFs({"a": "", "b": "", "c": "", "d": ""})))
    assert found[:2] == ["a", "b"]
    assert "more than 2 files" in str(found[2])
    assert len(found) == 3


def test_too_deep_a_folder_ends_the_walk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walk, "_DEPTH", 1)
    assert list(files_below(FakeHostFs({"a/b/c": "", "a/x": ""}))) == ["a/x"]
