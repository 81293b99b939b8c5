"""The model beside a real udev: every row of the table that was recorded in the lab."""

import pytest
from tests.unit.peers.systemd_link_rows import Predicted, Row, links_of, predicted, rows

from podwire.model.evidence import Unknown
from podwire.peers.systemd_link.records import OF_THE_MACHINE

ROWS = rows()


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.name} - {row.device.name}")
def test_the_model_says_what_udev_did_or_that_it_does_not_know(row: Row) -> None:
    found = predicted(row)
    if isinstance(found, Unknown):
        return
    said = Predicted(file=row.answer["link_file"], name=row.answer["name"])
    assert found == said, row.answer["said"]


def test_the_model_does_not_know_what_only_the_machine_can_tell() -> None:
    """Nine rows of ten are decided; the others ask for what is in no device's facts."""
    unknown = [found.fact for row in ROWS if isinstance(found := predicted(row), Unknown)]
    of_the_machine = (*OF_THE_MACHINE, "PermanentMACAddress", "ID_MACHINE")
    assert [fact for fact in unknown if not any(key in fact for key in of_the_machine)] == []
    assert len(unknown) * 10 < len(ROWS)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.name} - {row.device.name}")
def test_the_model_says_of_names_what_udev_prints(row: Row) -> None:
    wanted = [line for line in row.answer["said"] if "Interface name is not valid" in line]
    links = links_of(row.files).values()
    refused = [each.says for _, link in links for each in link.refused if "valid or" in each.says]
    assert refused == [line.partition(": ")[2] for line in wanted]
