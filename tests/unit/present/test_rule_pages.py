from tests.unit.present.golden_file import assert_golden
from tests.unit.present.report_samples import NAME, RDMA, RULES

from podwire.present.explain import explained, pages


def test_the_page_in_a_terminal() -> None:
    assert_golden("explain.txt", explained(NAME))


def test_the_pages_for_the_docs_begin_with_an_index() -> None:
    written = {name: text for text, name in pages(RULES)}
    assert list(written) == ["README.md", "PW103.md", "PW201.md", "PW701.md"]
    assert_golden("rules-index.md", written["README.md"])
    assert_golden("rule-page.md", written["PW103.md"])


def test_every_line_fits_80_columns() -> None:
    for rule in (NAME, RDMA):
        assert max(map(len, explained(rule).splitlines())) <= 80
