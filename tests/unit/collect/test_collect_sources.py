"""Documents are found again by the names that facts carry."""

from collections.abc import Mapping

import pytest
from tests.fakes.collected import given
from tests.fakes.hostfs import Content

from podwire.collect.collecting import collect
from podwire.collect.given import Input
from podwire.collect.sources import FileSources
from podwire.model.evidence import Document

NAD = "{kind: NetworkAttachmentDefinition, metadata: {name: net}}"


def texts_of(*inputs: Input) -> list[str | None]:
    sources = FileSources(inputs)
    return [sources.text(n.document) for n in collect(inputs).networks.items]


@pytest.mark.parametrize(
    ("typed", "files"),
    [
        ("nad.yaml", {"": NAD}),
        ("-", {"": NAD}),
        ("deploy", {"a/nad.yaml": NAD}),
        ("./deploy/", {"a/nad.yaml": NAD}),
        (".", {"a/nad.yaml": NAD}),
        ("/", {"a/nad.yaml": NAD}),
        ("site", {"manifests/nad.yaml": NAD}),
        ("site.tgz", {"top/manifests/nad.yaml": NAD}),
    ],
)
def test_a_document_is_read_again(typed: str, files: Mapping[str, Content]) -> None:
    assert texts_of(given(files, typed=typed)) == [NAD]


def test_two_bundles_are_told_apart() -> None:
    other = NAD.replace("name: net", "name: other")
    inputs = [
        given({"manifests/a.yaml": NAD}, typed="one"),
        given({"manifests/a.yaml": other}, typed="two"),
    ]
    assert texts_of(*inputs) == [NAD, other]


def test_a_file_beside_a_bundle_is_itself() -> None:
    other = NAD.replace("name: net", "name: other")
    inputs = [
        given({"manifests/a.yaml": NAD, "a.yml": "x"}, typed="b"),
        given({"": other}, typed="c.yml"),
    ]
    assert set(texts_of(*inputs)) >= {other}


def test_what_is_gone_or_big_has_no_text() -> None:
    sources = FileSources([given({"a.yaml": "x" * 10_000_001}, typed="d")])
    assert sources.text(Document(name="d/a.yaml")) is None
    assert sources.text(Document(name="d/b.yaml")) is None
    assert sources.text(Document(name="elsewhere.yaml")) is None
