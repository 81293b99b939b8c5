"""Which nodes a pod may run on, from Lists, from manifests, from nothing."""

from tests.pictures import items, picture
from tests.wire_manifests import IB, document, pod, pool

from podwire.model.evidence import Known, Unknown
from podwire.wire.picture import Picture

NODE = document("Node", {"name": "gpu-a"}, status={"capacity": {"cpu": "4"}})
POD = pod(limits={str(IB): 1})
NO_MORE = "there are no Node objects beyond those given"


def offered(made: Picture) -> tuple[object, bool]:
    reach = made.reach(made.pods[0], IB)
    answer = reach.is_offered
    value = answer.value if isinstance(answer, Known) else None
    return value, NO_MORE in reach.assumes


def test_nodes_given_as_manifests_are_assumed_to_be_all() -> None:
    assert offered(picture(NODE + POD)) == (False, True)


def test_nothing_is_assumed_of_nodes_that_were_listed() -> None:
    assert offered(picture(POD, cluster={"nodes": items(NODE)})) == (False, False)


def test_without_a_node_nothing_is_known() -> None:
    made = picture(POD + pool())
    assert offered(made) == (None, False)
    assert isinstance(made.candidates(made.pods[0]).rest, Unknown)


def test_pods_are_told_apart_where_the_scheduler_does() -> None:
    other = pod("b", limits={str(IB): 1}, spec={"nodeSelector": {"fabric": "ib"}})
    made = picture(NODE + POD + pod("a", limits={str(IB): 1}) + other)
    keys = {p.metadata.name: made.candidates(p).key for p in made.pods}
    assert keys["w"] == keys["a"] != keys["b"]


def test_every_plugin_has_a_key_of_its_own() -> None:
    """Two keys of one ConfigMap are two configurations that nobody mounts."""
    text = pool().replace('"data": {', '"data": {"again.json": "{\\"resourceList\\": []}", ')
    made = picture(text)
    assert len({plugin.key for plugin in made.plugins}) == len(made.plugins) == 2
