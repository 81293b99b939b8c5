from podwire.facts.objects import Capabilities
from podwire.model.evidence import Known, Unknown
from podwire.peers.container_runtime import CONTAINERD, CRI_O, has, runtime_of


def given(*add: str, drop: tuple[str, ...] = (), runtime: str = "") -> bool | None:
    answer = has("IPC_LOCK", Capabilities(add=add, drop=drop), runtime=runtime)
    return answer.value if isinstance(answer, Known) else None


def test_a_capability_is_added_by_name_whatever_its_case() -> None:
    assert given("IPC_LOCK")
    assert given("ipc_lock")
    assert not given("NET_RAW")


def test_all_adds_it_unless_all_is_dropped_too() -> None:
    assert given("ALL")
    assert not given("ALL", drop=("ALL",))


def test_a_name_survives_dropping_all_and_not_dropping_itself() -> None:
    assert given("IPC_LOCK", drop=("ALL",))
    assert not given("IPC_LOCK", drop=("IPC_LOCK",))
    assert not given("ALL", drop=("IPC_LOCK",))


def test_the_name_with_cap_in_front_depends_on_the_runtime() -> None:
    assert given("CAP_IPC_LOCK", runtime=CRI_O)
    assert given("CAP_IPC_LOCK", runtime=CONTAINERD) is False
    answer = has("IPC_LOCK", Capabilities(add=("CAP_IPC_LOCK",)), runtime="")
    assert isinstance(answer, Unknown)
    assert "CAP_IPC_LOCK" in answer.reason


def test_the_runtime_is_named_by_the_node() -> None:
    assert runtime_of("containerd://1.7.24") == CONTAINERD
    assert runtime_of("cri-o://1.33.1") == CRI_O
    assert runtime_of("") == ""
