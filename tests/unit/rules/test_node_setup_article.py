"""The article on a hybrid cluster: what its .link files and its unit do to a machine.

One test for each thing that does not work; nothing is said of lines that do.
"""

from typing import Any

import pytest
from tests.bundles import CASES, document_of

SEVENTY, SEVENTY_ONE = "70-dgx-sriov-vf.link", "71-dgx-pci-vf.link"
UNIT = "dgx-sriov-setup.service"
FOUND: list[dict[str, Any]] = [
    f for f in document_of(CASES / "articles/2-hybrid")["findings"] if f["rule"].startswith("PW9")
]


def told(rule: str, about: str) -> str:
    """Give everything that one finding of a rule says about a file."""
    (finding,) = [f for f in FOUND if f["rule"] == rule and about in f["message"]]
    fixes = [fix["text"] for fix in finding["fix"]]
    saw = [f"{e['place']} {e['saw']}" for e in finding["evidence"]]
    return "\n".join([finding["message"], finding["sees"], *fixes, *saw])


@pytest.mark.parametrize(
    ("rule", "about", "words"),
    [
        ("PW901", SEVENTY, ("Driver=mlx5_core ", "mlx5_core[ib_ipoib]")),
        ("PW901", SEVENTY, ("Property=DEVTYPE=vf is true of no device",)),
        ("PW902", SEVENTY, ("Name=mlx-{attr/phys_port_name}", "25 bytes", "slash")),
        ("PW902", SEVENTY, ("AlternativeName=k8s-vf-{attr/dev_port}", "stand for nothing")),
        ("PW906", SEVENTY, ("MACAddressPolicy=persistent is meaningless on InfiniBand",)),
        ("PW901", SEVENTY_ONE, ("Driver=mlx5_core ", "never applied")),
        ("PW901", SEVENTY_ONE, ("not decided, and without weight", "ID_NET_NAME_SLOT")),
        ("PW902", SEVENTY_ONE, ("Name=sriov-{phys_port_name}", "22 bytes", "stand for nothing")),
        ("PW910", UNIT, ("${i}, ${vf}, ${port} by nothing", "whole unit for %8")),
        ("PW910", UNIT, (f"{UNIT}:10:", "/sys/class/infiniband/mlx5_/device/sriov_numvfs")),
        ("PW911", UNIT, ("mlx5_0, 3, 4, 5, 6, 9, 10, 11", "mlx5_0, 1, 2, 3, 4, 5, 6, 7")),
        ("PW911", UNIT, ("mlx5_9, 10, 11 get none", "mlx5_1, 2, 7 have no VFs")),
        ("PW912", UNIT, ("node_guid and port_guid exist in no kernel and no driver",)),
        ("PW912", UNIT, ("no VF is bound again",)),
        ("PW912", UNIT, ("udevadm settle runs before the last change",)),
        ("PW913", UNIT, ("00:11:22:33:44:00:1:0", "not eight octets of two digits")),
        ("PW913", UNIT, ("every machine with this unit has the same",)),
        ("PW914", UNIT, ("never 0 before", "EBUSY")),
        ("PW915", UNIT, ("no link policy",)),
        ("PW916", UNIT, ("by number",)),
        ("PW917", UNIT, ("killed 60 s after its start", "64 VFs")),
        ("PW918", UNIT, ("kubelet.service starts even if it fails", "RequiredBy=kubelet.service")),
        ("PW918", UNIT, ("waits for neither the driver nor the cards",)),
        ("PW920", "mlx5_core", ("6.8.0-55-generic has no symbol strlcpy (removed in 6.8)",)),
        ("PW920", "mlx5_core", ("0000:18:00.2 gets no driver", "flap have another cause")),
    ],
)
def test_a_line_that_does_not_work_is_told(rule: str, about: str, words: tuple[str, ...]) -> None:
    text = told(rule, about)
    assert [each for each in words if each not in text] == []


def test_nothing_else_is_said_of_the_machine() -> None:
    counted = sorted((f["rule"], f["severity"]) for f in FOUND)
    assert counted == [
        ("PW901", "error"),
        ("PW901", "error"),
        ("PW902", "error"),
        ("PW902", "warning"),
        ("PW903", "note"),
        ("PW906", "note"),
        ("PW910", "error"),
        ("PW911", "error"),
        ("PW912", "error"),
        ("PW913", "error"),
        ("PW914", "note"),
        ("PW915", "warning"),
        ("PW916", "note"),
        ("PW917", "warning"),
        ("PW918", "warning"),
        ("PW920", "error"),
    ]


def test_what_the_article_has_right_is_not_touched() -> None:
    """The PFs that get VFs are those of the machine; Before= does put kubelet behind."""
    text = " ".join(f["message"] for f in FOUND)
    assert "does not wait for it" not in text
    assert "Path=" not in text
