"""The clusters that all tests of a run share; each works in namespaces of its own."""

from collections.abc import Callable, Iterator

import pytest

from tests.e2e.case_report import PAGE, CaseReport
from tests.e2e.cluster import NODE, Cluster, running_cluster
from tests.e2e.early import COUNTS, Comparison, GonePlugin, end_a_plugin

_REMARKS = pytest.StashKey[list[str]]()
_EARLY = ("early_oracle", "early_gone")


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    """Give one that has one node."""
    with running_cluster(NODE) as started:
        yield started


@pytest.fixture(scope="session")
def lab() -> Iterator[Cluster]:
    """Give a control plane alone: who needs nodes in it starts them, and stops them after."""
    with running_cluster() as started:
        yield started


@pytest.fixture(scope="session")
def remark(request: pytest.FixtureRequest) -> Callable[[str], None]:
    """Take a line for the end of the run."""
    return request.config.stash.setdefault(_REMARKS, []).append


@pytest.fixture(scope="session")
def case_report(remark: Callable[[str], None]) -> Iterator[CaseReport]:
    """Collect what rule cases do, and write the page of it at the end."""
    report = CaseReport()
    yield report
    counts = report.write()
    remark(f"rule cases: {', '.join(f'{n} {what}' for what, n in counts.most_common())}")
    remark(f"each of them: {PAGE}")


@pytest.fixture(scope="session")
def early_oracle(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Comparison]]:
    folder = tmp_path_factory.mktemp("oracle")
    started = {version: Comparison(version, said=folder / version) for version in COUNTS}
    yield started
    for comparison in started.values():
        comparison.end()


@pytest.fixture(scope="session")
def early_gone(cluster: Cluster) -> GonePlugin:
    return end_a_plugin(cluster)


@pytest.fixture(scope="session", autouse=True)
def begin_early(request: pytest.FixtureRequest) -> None:
    """Begin what takes long, if its tests are to run."""
    wanted = {name for item in request.session.items for name in _fixtures(item)}
    for name in _EARLY:
        if name in wanted:
            request.getfixturevalue(name)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: bool(set(_EARLY) & set(_fixtures(item))))


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    for line in config.stash.get(_REMARKS, []):
        terminalreporter.write_line(line)


def _fixtures(item: pytest.Item) -> list[str]:
    return list(getattr(item, "fixturenames", ()))
