"""What the diagnostics print and what opensm does, in a simulated subnet."""

from collections.abc import Iterator

import pytest

from podwire.peers.infiniband_diags import IbstatPort, ibstat, sminfo
from podwire.peers.opensm import VIRT_ENABLED, Build, read_build, read_options
from tests.e2e.waiting import wait_for
from tests.host.fabric import Fabric, fabric

_WRITTEN = "virt_enabled 2\nvirt_max_ports_in_process 256\nvirt_default_hop_limit 64\n"


@pytest.fixture(scope="module")
def subnet() -> Iterator[Fabric]:
    with fabric(config=_WRITTEN) as running:
        yield running


def _port(subnet: Fabric, node: str) -> IbstatPort:
    return ibstat(subnet.ask(node, "ibstat"))[0]


def test_sminfo_names_the_port_of_the_manager(subnet: Fabric) -> None:
    told = sminfo(subnet.ask("gpu-a", "sminfo"))
    assert told is not None
    assert told.is_master
    assert told.guid == _port(subnet, "sm-1").guid
    assert told.lid == int(_port(subnet, "sm-1").values["Base lid"])


def test_each_node_has_a_port_of_its_own(subnet: Fabric) -> None:
    ports = [_port(subnet, node) for node in ("gpu-a", "gpu-b", "sm-1")]
    assert [p.values["State"] for p in ports] == ["Active"] * 3
    assert [p.values["Physical state"] for p in ports] == ["LinkUp"] * 3
    assert len({p.guid for p in ports}) == 3


def test_a_cable_that_is_pulled_out_leaves_the_port_down_and_polling(subnet: Fabric) -> None:
    subnet.tell('Unlink "gpu-b"[1]')
    try:
        port = wait_for(
            "the port to go down",
            lambda: _port(subnet, "gpu-b"),
            holds=lambda port: port.values["State"] == "Down",
        )
        assert port.values["Physical state"] == "Polling"
    finally:
        subnet.tell('Relink "gpu-b"[1]')


def test_upstream_opensm_skips_the_options_for_virtual_ports_and_goes_on(subnet: Fabric) -> None:
    version = subnet.ask("sm-1", "opensm", "--version")
    build = read_build(version)
    assert build.need().value is Build.UPSTREAM
    every = [option.name for option in read_options(_WRITTEN) if option.is_of_nvidia]
    assert VIRT_ENABLED in every
    for name in every:
        assert f'Unrecognized token: "{name}"' in subnet.said
    assert sminfo(subnet.ask("gpu-a", "sminfo")) is not None
