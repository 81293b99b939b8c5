"""Since when a DeviceClass may serve an extended resource."""

import pytest

from podwire.model.evidence import Known, Unknown
from podwire.model.versions import Version
from podwire.peers.dra import classes_serve_resources


@pytest.mark.parametrize(
    ("text", "want"), [("v1.32.4", False), ("v1.33.1-eks-1", False), ("v1.34.0", True)]
)
def test_classes_serve_resources_since_1_34(text: str, want: object) -> None:
    assert classes_serve_resources(Known(value=Version.parse(text))) == Known(value=want)


def test_of_a_version_that_nobody_read_nothing_is_said() -> None:
    assert isinstance(classes_serve_resources(Known(value=Version.parse("v1.99.0"))), Unknown)
