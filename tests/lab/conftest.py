"""The lab that all tests of a run share; each gets a guest that nobody used before."""

from collections.abc import Iterator

import pytest

from tests.lab.lab import Guest, Lab, UnavailableError, built_lab


@pytest.fixture(scope="session")
def lab() -> Lab:
    try:
        return built_lab()
    except UnavailableError as lacks:
        pytest.skip(str(lacks))


@pytest.fixture
def guest(lab: Lab) -> Iterator[Guest]:
    with lab.thawed() as thawed:
        yield thawed
