"""The operator's file reads back as podwire reads it."""

from podwire.artefacts.operator_guids import operator_guids
from podwire.model.addresses import PciAddress
from podwire.model.guids import Guid
from podwire.plan.guids import GuidFile


def test_each_vf_gets_the_guid_of_its_number() -> None:
    guids = ["e2:a0:88:c2:00:21:00:00", "e2:a0:88:c2:01:21:00:00"]
    text = operator_guids({"0000:18:00.0": guids})
    found = GuidFile.parse(text.encode(), name="guids")
    assert [g.octets for g in found.of(PciAddress(text="0000:18:00.0"), guid=None)] == guids
    assert found.of(PciAddress(text="0000:40:00.0"), guid=Guid(number=1)) == ()
