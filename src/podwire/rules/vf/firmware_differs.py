"""Cards that are alike run different firmware.

What you see
    One machine, or one rail of it, behaves differently: another number of
    VFs, other link states, slower. It looks like a cable.

Why
    Cards that were replaced come with the firmware of their day, and an
    update that failed on one card is easily missed.

Fix
    Bring all of them to one version.
"""

from collections.abc import Iterator

from podwire.findings.model import Evidence, Finding, Fix, Joint, Rule, Severity
from podwire.wire.fabric.firmwares import Board, boards
from podwire.wire.picture import Picture


def check(board: Board, picture: Picture) -> Iterator[Finding]:  # noqa: ARG001 - a rule's form
    """Compare the versions of one board."""
    if len(board.versions) < 2:
        return
    version, odd = board.odd
    usual = board.versions[board.usual]
    names = ", ".join(f"{pf.function.address} on {pf.node}" for pf in odd[:3])
    more = f" and {len(odd) - 3} more" if len(odd) > 3 else ""
    yield Finding(
        severity=Severity.WARNING,
        message=f"PF {names}{more} {'runs' if len(odd) == 1 else 'run'} firmware {version}; "
        f"{len(usual)} of the same board ({board.id}) {'runs' if len(usual) == 1 else 'run'} "
        f"{board.usual}",
        evidence=tuple(
            Evidence(at=pf.function.rdma[0].attributes.place("fw_ver"), saw=v)
            for v, pf in ((version, odd[0]), (board.usual, usual[0]))
        ),
        sees="cards that are alike may behave differently: number of VFs, link states, speed",
        fix=(
            Fix(
                text=f"bring all cards of board {board.id} to one firmware",
                breaks="an update acts at the next restart of the machine",
            ),
        ),
        also=tuple(pf.ref for pf in odd),
    )


RULE = Rule(
    id="PW414",
    slug="firmware-differs",
    title="Cards that are alike run different firmware",
    since="0.1",
    joint=Joint.SETUP,
    refs=("linux v6.12 Documentation/ABI/stable/sysfs-class-infiniband fw_ver, board_id",),
    over=boards,
    check=check,
)
