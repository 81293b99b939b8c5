"""Faults from the field: each explained, and nothing untrue said on any of them.

`tests/cases/field/*/expected.md` says in its front matter what one finding has to name
(`blame`), mention (of each group one phrase) and must not claim.
"""

import re
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.bundles import CASES, document_of

LEVELS = ("note", "warning", "error")

# Articles of which more is said than that they are right: they have tests of their own.
JUDGED = {"2-hybrid", "3-hide"}
FIELD = sorted((CASES / "field").iterdir())


def wanted(case: Path) -> dict[str, Any]:
    front: dict[str, Any] = yaml.safe_load((case / "expected.md").read_text().split("---\n")[1])
    return front


def prose(finding: dict[str, Any], *keys: str) -> str:
    texts = []
    for key in keys:
        value = finding.get(key) or ""
        items = value if isinstance(value, list) else [value]
        texts += [item["text"] if isinstance(item, dict) else item for item in items]
    return " ".join(" ".join(texts).split())


def says(text: str, phrase: str, *, whole: bool = False) -> bool:
    end = r"(?![\w-]*\w)" if whole else r"(?!\w)" if phrase[-1].isdigit() else ""
    return re.search(r"(?<![\w-])" + re.escape(phrase) + end, text, re.IGNORECASE) is not None


def names(finding: dict[str, Any], blamed: str) -> bool:
    places = [e["place"] for e in finding["evidence"]]
    texts = [finding["message"], finding["subject"], *finding["subjects"], *places]
    is_object = re.match(r"[A-Z][A-Za-z]+/", blamed)
    parts = blamed.split("/")[1:] if is_object else [blamed]
    return any(all(says(text, part, whole=True) for part in parts) for text in texts)


def shortcomings(want: dict[str, Any], finding: dict[str, Any]) -> list[str]:
    text = prose(finding, "message", "sees", "fix", "cause")
    return [
        *([finding["severity"]] if LEVELS.index(finding["severity"]) < level(want) else []),
        *(f"does not name {b}" for b in want.get("blame", []) if not names(finding, str(b))),
        *(
            f"mentions none of {group}"
            for group in want.get("must_mention", [])
            if not any(says(text, str(phrase)) for phrase in group)
        ),
        *(["message too long"] if len(finding["message"]) > 400 else []),
        *(["prose too long"] if len(text) > 2000 else []),
    ]


def level(want: dict[str, Any]) -> int:
    return LEVELS.index(want.get("severity", "warning"))


@pytest.mark.parametrize("case", FIELD, ids=lambda case: case.name)
def test_nothing_untrue_is_said(case: Path) -> None:
    findings = [f for f in document_of(case)["findings"] if f["severity"] != "note"]
    if wanted(case)["expect"] == "clean":
        assert [f["message"] for f in findings] == []
    for group in wanted(case).get("must_not_claim", []):
        for finding in findings:
            text = prose(finding, "message", "sees", "cause")
            assert not [phrase for phrase in group if says(text, str(phrase))]


@pytest.mark.parametrize(
    "case",
    [c for c in FIELD if wanted(c)["expect"] == "finding"],
    ids=lambda case: case.name,
)
def test_one_finding_explains_the_fault(case: Path) -> None:
    want = wanted(case)
    findings = document_of(case)["findings"]
    for each in want.get("findings", [want]):
        tries = [[f["rule"], *shortcomings(each, f)] for f in findings]
        assert tries
        nearest = min(tries, key=len)
        assert nearest[1:] == [], nearest


@pytest.mark.parametrize(
    "article",
    sorted(a for a in (CASES / "articles").iterdir() if a.name not in JUDGED),
    ids=lambda a: a.name,
)
def test_the_articles_snippets_are_not_accused_of_what_is_true(article: Path) -> None:
    folder = article / "manifests" if article.name == "1-attach" else article
    loud = [f for f in document_of(folder)["findings"] if f["severity"] != "note"]
    assert [f["message"] for f in loud] == []


def test_the_article_on_attaching_is_told_that_one_socket_has_no_eight_gpus() -> None:
    found = document_of(CASES / "articles/1-attach")["findings"]
    assert [(f["rule"], f["severity"]) for f in found] == [("PW301", "error")]
    assert "8 nvidia.com/gpu take both NUMA nodes 0 and 1" in found[0]["message"]
    assert "Failed" in found[0]["sees"]
    assert "(restricted does not)" in found[0]["fix"][0]["text"]


def test_without_the_devices_numa_nodes_the_article_on_attaching_is_undecided(
    tmp_path: Path,
) -> None:
    case = tmp_path / "case"
    shutil.copytree(CASES / "articles/1-attach", case)
    (case / "nodes/gpu-a/podresources-allocatable.json").unlink()
    document = document_of(case)
    assert document["findings"] == []
    gaps = [gap for gap in document["undecided"] if gap["rule"] == "PW301"]
    assert [gap["give"] for gap in gaps] == [
        "nodes/<node>/podresources-allocatable.json in a bundle"
    ]
