"""What the article on hiding GPUs is told: of each of its files what does not do what it says."""

from typing import Any

import pytest
from tests.bundles import CASES, document_of

ARTICLE = CASES / "articles/3-hide"
PLUGIN = "DaemonSet gpu-share/nvidia-device-plugin-gpu-node-01"


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    return document_of(ARTICLE)


def found(document: dict[str, Any], slug: str) -> dict[str, Any]:
    (finding,) = (f for f in document["findings"] if f["slug"] == slug)
    return dict(finding)


@pytest.mark.parametrize(
    ("slug", "severity", "words"),
    [
        ("gpu-by-index", "warning", "is given GPUs by number (0)"),
        ("plugin-without-kubelet-folder", "error", "/var/lib/kubelet/device-plugins"),
        ("gpu-plugin-kept-away", "error", "nvidia.com/gpu=present:NoSchedule"),
        ("two-plugins-one-resource", "warning", "the GPU Operator's device plugin"),
    ],
)
def test_its_own_plugin(document: dict[str, Any], slug: str, severity: str, words: str) -> None:
    finding = found(document, slug)
    assert finding["severity"] == severity
    assert words in finding["message"]
    assert PLUGIN in [finding["subject"], *finding["subjects"]]


def test_devices_under_sharing_select_nothing(document: dict[str, Any]) -> None:
    finding = found(document, "sharing-devices-ignored")
    assert "selects nothing" in finding["message"]
    assert (
        "Customizing the 'devices' field in sharing.timeSlicing.resources is not yet supported in "
        "the config. Ignoring..."
    ) in finding["sees"]


def test_how_its_plugin_reaches_the_driver_is_undecided(document: dict[str, Any]) -> None:
    gaps = [gap for gap in document["undecided"] if gap["slug"] == "gpu-plugin-blind"]
    assert [gap["subjects"] for gap in gaps] == [[PLUGIN]]
    assert "the container runtime's configuration on gpu-node-01 was not read" in gaps[0]["fact"]
    assert "the mode of NVIDIA's runtime on gpu-node-01" in gaps[0]["fact"]


def test_the_article_on_hami_is_told_nothing() -> None:
    document = document_of(CASES / "articles/4-hami")
    assert (document["findings"], document["undecided"]) == ([], [])
