"""When a VF's GUIDs or its policy are other ones than wanted."""

import pytest

from podwire.model.addresses import PciAddress
from podwire.model.evidence import Answer, Known, Unknown
from podwire.model.guids import Guid
from podwire.plan.machine import Vf
from podwire.plan.vf_state import differs, is_policy_wrong

MINE, OTHER, ZERO = Guid(number=0xE2), Guid(number=0xE3), Guid(number=0)
UNREAD = Unknown(reason="nobody looked")
ADDRESS = PciAddress.parse("0000:18:00.1")


@pytest.mark.parametrize(
    ("node", "port", "is_other"),
    [
        (Known(MINE), Known(MINE), False),
        (Known(MINE), Known(OTHER), True),
        (Known(OTHER), Known(MINE), True),
        (Known(ZERO), Known(ZERO), True),
        (Known(MINE), Known(ZERO), False),
        (Known(ZERO), UNREAD, True),
        (UNREAD, UNREAD, False),
        (Known(None), Known(None), False),
    ],
)
def test_a_vf_differs_only_by_a_guid_that_was_read(
    node: Answer[Guid | None], port: Answer[Guid | None], *, is_other: bool
) -> None:
    vf = Vf(index=0, address=ADDRESS, node_guid=node, port_guid=port)
    assert differs(vf, MINE) is is_other


@pytest.mark.parametrize(
    ("policy", "wanted", "is_down", "is_wrong"),
    [
        (Known("follow"), "follow", True, False),
        (Known("up"), None, False, False),
        (Known("down"), None, False, True),
        (Known("up"), "follow", False, True),
        (UNREAD, "follow", False, False),
        (UNREAD, "follow", True, True),
        (UNREAD, "down", True, False),
    ],
)
def test_an_unread_policy_is_wrong_only_where_the_port_speaks_for_it(
    policy: Answer[str | None], wanted: str | None, *, is_down: bool, is_wrong: bool
) -> None:
    vf = Vf(index=0, address=ADDRESS, policy=policy, is_down=is_down)
    assert is_policy_wrong(vf, wanted) is is_wrong
