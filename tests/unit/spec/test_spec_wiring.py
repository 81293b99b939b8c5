"""The spec: what is accepted, and what is said about what is not."""

import jsonschema_rs
import pytest

from podwire.documents import yaml
from podwire.model.evidence import Document, Origin
from podwire.spec.parse import is_wiring, parse
from podwire.spec.schema import schema
from podwire.spec.wiring import Wiring

HEAD = {"apiVersion": "podwire.io/v1alpha1", "kind": "Wiring"}
SITE = Document(name="spec/site.yaml", origin=Origin.SPEC)
WHOLE = """\
apiVersion: podwire.io/v1alpha1
kind: Wiring
metadata: {name: dgx}
components: {multus: v4.2.2}
nodes:
- names: [dgx-01]
  selector: {matchLabels: {a: b}}
  fabric:
    pfs: {linkLayer: InfiniBand}
    vfsPerPf: 8
    guids: {pool: {from: "02:00:00:00:00:00:00:00", to: "02:00:00:00:00:00:00:ff"}}
    names: {literal: {"0000:18:00.2": rail0vf0}}
    firmware: {linkType: InfiniBand, vfs: 8}
  gpus: {reserveForHost: [GPU-3fa90021], servedBy: nvidia-plugin}
  kubelet: {topologyManagerPolicy: best-effort}
- names: [dgx-02]
  gpus:
    reserveForHost:
  fabric: {guids: derived, names: path}
pools:
- {resource: example.com/ib, vfs: {perPf: 0-7}, rdma: true}
networks:
- {name: ib-net, namespace: train, pool: example.com/ib, ipam: {x: {y: 1}}, pkey: "0x7fff"}
workloads:
- {of: PyTorchJob/train/llama, gpus: 8, networks: {ib-net: 8}, lockMemory: true}
guard: {unrequestedGpu: deny}
tiers:
- {name: on-prem, nodes: {selector: {a: b}}, maxParallel: 64}
"""


def errors(**keys: object) -> list[tuple[tuple[str | int, ...], str]]:
    parsed = parse({**HEAD, **keys}, document=SITE)
    assert isinstance(parsed, tuple)
    return [(wrong.path, wrong.message) for wrong in parsed]


def test_a_whole_site_is_read() -> None:
    (loaded,) = yaml.load(WHOLE)
    wiring = parse(loaded.value, document=SITE)
    assert isinstance(wiring, Wiring)
    assert wiring.nodes[0].gpus.reserve_for_host == ("GPU-3fa90021",)
    assert wiring.nodes[1].gpus.reserve_for_host == ()
    assert wiring.pools[0].vfs.per_pf == "0-7"
    assert wiring.place("nodes", 0).document == SITE


def test_the_published_schema_accepts_the_same() -> None:
    (loaded,) = yaml.load(WHOLE)
    assert jsonschema_rs.is_valid(schema(), loaded.value)
    assert jsonschema_rs.is_valid(schema(), HEAD)


@pytest.mark.parametrize(
    "wrong",
    [
        {"node": []},
        {"nodes": [{"names": "dgx-01"}]},
        {"podwire.io/document": {}},
    ],
)
def test_schema_and_parser_refuse_what_is_wrong(wrong: dict[str, object]) -> None:
    assert not jsonschema_rs.is_valid(schema(), {**HEAD, **wrong})
    assert isinstance(parse({**HEAD, **wrong}, document=SITE), tuple)


@pytest.mark.parametrize("other", [{}, {**HEAD, "kind": "Other"}])
def test_the_published_schema_refuses_what_is_no_wiring(other: dict[str, object]) -> None:
    assert not is_wiring(other)
    assert not jsonschema_rs.is_valid(schema(), other)


def test_null_means_empty_everywhere() -> None:
    assert isinstance(parse({**HEAD, "nodes": None, "guard": None}, document=SITE), Wiring)


def test_all_errors_come_at_once_with_the_nearest_word() -> None:
    node = {"name": "a", "gpus": {"reserveForHosts": [], "reserveForHost": [1, None]}}
    assert errors(nodes=[node, 5], pools=[{}]) == [
        (("nodes", 0, "name"), "name is not known; did you mean names?"),
        (
            ("nodes", 0, "gpus", "reserveForHosts"),
            "reserveForHosts is not known; did you mean reserveForHost?",
        ),
        (("nodes", 0, "gpus", "reserveForHost", 0), "expected a string, found the number 1"),
        (("nodes", 0, "gpus", "reserveForHost", 1), "expected a string, found null"),
        (("nodes", 1), "expected a mapping, found the number 5"),
        (("pools", 0), "resource is missing"),
    ]


def test_a_word_that_is_near_to_nothing_gets_the_known_ones() -> None:
    ((_, message),) = errors(guard={"zzz": "deny"})
    assert message == (
        "zzz is not known; known here: impossibleTopology, incompleteWire, unrequestedGpu"
    )


@pytest.mark.parametrize(
    ("fabric", "message"),
    [
        ({"guids": "random"}, 'expected "derived" or a mapping, found the string "random"'),
        ({"vfsPerPf": "8"}, 'expected a whole number, found the string "8"'),
        ({"vfsPerPf": True}, "expected a whole number, found true"),
        ({"names": []}, 'expected "path" or a mapping, found a list'),
        ({"pfs": {"pciAddresses": {}}}, "expected a list, found a mapping"),
    ],
)
def test_a_wrong_value_is_told_with_what_was_expected(
    fabric: dict[str, object], message: str
) -> None:
    ((_, told),) = errors(nodes=[{"fabric": fabric}])
    assert told == message


def test_control_characters_of_a_key_are_escaped() -> None:
    ((_, message),) = errors(**{"a\x1b[31m": 1})
    assert "\x1b" not in message


def test_another_version_is_refused_by_name() -> None:
    assert errors(apiVersion="podwire.io/v2") == [
        (("apiVersion",), "apiVersion is podwire.io/v2; this podwire reads podwire.io/v1alpha1")
    ]


@pytest.mark.parametrize(
    ("tree", "answer"),
    [
        (HEAD, True),
        ({"kind": "Wiring"}, True),
        ({"kind": "Wiring", "apiVersion": "example.com/v1"}, False),
        ({"kind": "Pod"}, False),
        ([], False),
        (None, False),
    ],
)
def test_only_podwires_own_kind_is_a_spec(tree: object, *, answer: bool) -> None:
    assert is_wiring(tree) is answer
