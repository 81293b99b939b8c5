"""The cluster that all tests of a run share; each works in namespaces of its own."""

from collections.abc import Iterator

import pytest

from tests.e2e.cluster import Cluster, running_cluster


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    with running_cluster() as started:
        yield started
