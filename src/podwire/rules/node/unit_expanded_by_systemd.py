"""systemd reads a script in ExecStart before the shell does, and changes or refuses it.

What you see
    systemctl says "has a bad unit file setting", or the script runs and its
    variables are empty: it writes to /sys/class/infiniband/mlx5_/device,
    which does not exist. Run by hand, the same script works.

Why
    Inside ExecStart ${NAME} is systemd's, also in quotes: what is not in the
    unit's environment becomes nothing (newer versions log "Referenced but
    unset environment variable evaluates to an empty string"). A % begins a
    specifier; with one that systemd does not know (%8 of $((i%8)), %0 of
    printf) it refuses the whole unit. $i and $(...) are left alone.

Fix
    Put the script into a file, or write $$ for each dollar and %% for %.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from podwire.findings.model import Evidence, Finding, Fix, Joint, Rule, Severity
from podwire.findings.pf_lists import alike
from podwire.wire.picture import Picture

if TYPE_CHECKING:
    from podwire.wire.node_setup.scripts import Followed, Lost
    from podwire.wire.node_setup.sight import VfSetup


def check(setup: "VfSetup", _: Picture) -> Iterator[Finding]:
    """Compare each command as systemd starts it with what was written."""
    followed = setup.commands
    refused = [each for each in followed if each.command.fault]
    lost = _first_of_each(followed)
    if not refused and not lost:
        return
    is_fatal = any(each.command.is_fatal for each in refused)
    parts = [_refusal(each, is_fatal=is_fatal) for each in refused[:1]]
    if lost:
        names = ", ".join(f"${{{each.name}}}" for each in lost)
        parts.append(f"{'would replace' if is_fatal else 'replaces'} {names} {_by(lost)}")
    message = f"systemd reads {setup.name} on {setup.node} before the shell does: it " + (
        ", and it ".join(parts)
    )
    yield Finding(
        severity=Severity.ERROR,
        message=message,
        evidence=tuple(_evidence(refused, lost, followed)),
        sees=f'systemctl start says "Unit {setup.name} has a bad unit file setting"; the journal '
        '"Unit configuration has fatal error, unit will not be started"'
        if is_fatal
        else f"the script does something else than by hand: {_written(followed)}",
        fix=(
            Fix(
                text="put the script into a file, for example /usr/local/sbin/sriov-setup.sh, and "
                "start that file in ExecStart"
            ),
            Fix(text="or double every dollar and percent sign in ExecStart: $${i}, $$((i%%8))")
            if lost or any(each.command.fault.piece for each in refused if each.command.fault)
            else Fix(text="or close the quote; a line that goes on ends in a backslash"),
        ),
        assumes=("systemd's own environment has no variable of that name",)
        if any(each.value is None for each in lost)
        else (),
        group=alike(message, setup.node),
    )


def _first_of_each(followed: "tuple[Followed, ...]") -> "list[Lost]":
    found: dict[str, Lost] = {}
    for each in followed:
        for lost in each.lost:
            found.setdefault(lost.name, lost)
    return list(found.values())


def _refusal(each: "Followed", *, is_fatal: bool) -> str:
    fault = each.command.fault
    piece = fault.piece if fault is not None and fault.piece else "an open quote"
    return f"refuses {'the whole unit' if is_fatal else 'that line'} for {piece}"


def _by(lost: "list[Lost]") -> str:
    return "by what its environment has" if any(each.value for each in lost) else "by nothing"


def _evidence(
    refused: "list[Followed]", lost: "list[Lost]", followed: "tuple[Followed, ...]"
) -> Iterator[Evidence]:
    for each in refused[:1]:
        if (fault := each.command.fault) is not None:
            at = each.command.line.place_at(fault.at)
            yield Evidence(at=at, saw=fault.piece or "open quote")
    for one in lost[:3]:
        yield Evidence(at=one.place, saw=f"${{{one.name}}} becomes {one.value or 'nothing'}")
    if written := _written(followed):
        command = next(each.command for each in followed if each.lost)
        yield Evidence(at=command.line.place, saw=written)


def _written(followed: "tuple[Followed, ...]") -> str:
    path = next((each.first_write for each in followed if each.lost), "")
    return path and f"it writes to {path}"


RULE = Rule(
    id="PW910",
    slug="unit-expanded-by-systemd",
    title="Script in a unit is changed or refused by systemd",
    since="0.1",
    joint=Joint.SETUP,
    refs=(
        "systemd v252.39 src/basic/env-util.c replace_env_argv",
        "systemd v252.39 src/shared/specifier.c specifier_printf",
        "systemd v252.39 src/core/load-fragment.c config_parse_exec",
    ),
    over=lambda picture: picture.node_setups.setups if picture.node_setups else (),
    check=check,
)
