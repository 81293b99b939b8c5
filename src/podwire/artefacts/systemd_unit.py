"""The units that make VFs before kubelet starts, and again when a PF comes back.

`podwire-node.service` runs once at boot, after modules were loaded, and kubelet requires it:
with VFs missing kubelet would register a node that offers none. `podwire-node@.service` is
started by udev for one PF whose driver was bound again: a restart of the driver, a devlink
reload or an error recovery destroys its VFs. Both take podwire's own lock.
Source: systemd.service(5), systemd.unit(5), systemd.device(5), systemd 252 and 257.
"""

import string
from collections.abc import Iterable

import msgspec

from podwire.artefacts.text_file import MARK, TextFile
from podwire.model.addresses import PciAddress

UNIT = "etc/systemd/system/podwire-node.service"
TEMPLATE = "etc/systemd/system/podwire-node@.service"
RULES = "etc/udev/rules.d/80-podwire-node.rules"
_PLAIN = frozenset(string.ascii_letters + string.digits + "-_./=:@,+%$")
_DRIVERS = "systemd-modules-load.service systemd-udev-trigger.service openibd.service"


class UnitOptions(msgspec.Struct, frozen=True):
    """What the units run, and whether kubelet waits for them.

    `asked` are options that find this machine in the spec (`--node`, `--label`). `wait_s` is
    how long the PFs may take to appear after boot, `limit_s` how long the whole may take.
    """

    program: str = "/usr/bin/podwire"
    spec: str = "/etc/podwire/wiring.yaml"
    holds_kubelet: bool = True
    asked: tuple[str, ...] = ()
    wait_s: int = 120
    limit_s: int = 900

    def command(self, *more: str) -> str:
        """Write the command as ExecStart= takes it."""
        words = (self.program, "node", "apply", "--spec", self.spec, *self.asked)
        return " ".join((*map(quoted, words), *more, "--wait", str(self.wait_s)))


def quoted(word: str) -> str:
    """Write a word so that systemd takes it as it is (systemd.service(5), COMMAND LINES)."""
    literal = word.replace("%", "%%").replace("$", "$$")
    if _PLAIN.issuperset(word):
        return literal
    return '"' + literal.replace("\\", "\\\\").replace('"', '\\"') + '"'


def at_boot(options: UnitOptions) -> TextFile:
    """Write the unit that makes all VFs; kubelet does not start when it failed."""
    required = "RequiredBy=kubelet.service\n" if options.holds_kubelet else ""
    return TextFile(
        path=UNIT,
        text=f"""{MARK}[Unit]
Description=SR-IOV VFs of this machine, before kubelet
ConditionPathExists={options.spec}
After={_DRIVERS}
Before=kubelet.service

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart={options.command()}
TimeoutStartSec={options.limit_s}

[Install]
WantedBy=multi-user.target
{required}""",
    )


def for_one_pf(options: UnitOptions) -> TextFile:
    """Write the unit that udev starts; its instance is the PF's PCI address."""
    return TextFile(
        path=TEMPLATE,
        text=f"""{MARK}[Unit]
Description=SR-IOV VFs of PF %i
ConditionPathExists={options.spec}
After=podwire-node.service

[Service]
Type=oneshot
ExecStart={options.command("--pf", "%i")}
TimeoutStartSec={options.limit_s}
""",
    )


def udev_rules(pfs: Iterable[PciAddress]) -> TextFile:
    """Have udev start the unit of a PF each time a driver is bound to it.

    SYSTEMD_WANTS would do it for the first time only: the device unit of a PF whose driver
    is bound again was active all the while. At boot the unit finds nothing left to do.
    """
    lines = "".join(
        f'ACTION=="bind", SUBSYSTEM=="pci", KERNEL=="{pf}", '
        f'RUN+="/usr/bin/systemctl --no-block start podwire-node@{pf}.service"\n'
        for pf in sorted(pfs)
    )
    return TextFile(path=RULES, text=f"{MARK}{lines}")
