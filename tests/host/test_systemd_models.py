"""The models of udev and systemd beside the ones of this machine."""

import shutil
import subprocess
from pathlib import Path

import pytest

from podwire.model.evidence import Document, Known
from podwire.peers.systemd_link.applying import applied, named
from podwire.peers.systemd_link.reading import read_link
from podwire.peers.systemd_link.records import LinkDevice, Naming
from podwire.peers.systemd_unit.commands import commands_of, refusal_of
from podwire.peers.systemd_unit.reading import read_unit
from tests.host.udev_here import DEVICE, ask

MATCHES = (
    "OriginalName=*",
    "OriginalName=pw?",
    "OriginalName=!pw0",
    "Driver=veth",
    "Driver=mlx5_core",
    "Driver=v[a-f]th",
    "Driver=veth[ib_ipoib]",
    "Driver=!mlx5_core",
    "Driver=mlx5_core veth",
    "Type=ether",
    "Type=infiniband",
    "Kind=veth",
    "Property=DEVTYPE=vf",
    "Property=!DEVTYPE=vf",
    "Property=INTERFACE=pw*",
    "Driver=veth\nType=infiniband",
    "Driver=mlx5_core\nDriver=\nDriver=veth",
)
LINKS = (
    "Name=rail0",
    "Name=mlx-{attr/phys_port_name}",
    "Name=sriov-{phys_port_name}",
    "Name=vf{dev_port}",
    "Name=fifteen-letters",
    "Name=sixteen-letters-",
    "Name=0x12",
    "Name=rail0\nName=ib/0",
    "NamePolicy=keep\nName=rail0",
    "NamePolicy=path onboard\nName=rail0",
    "NamePolicy=nothing\nName=rail0",
    "AlternativeName=k8s-vf-{attr/dev_port}",
)
ROWS = [
    *({"70-row.link": f"[Match]\n{m}\n\n[Link]\nName=rail0\n"} for m in MATCHES),
    *({"70-row.link": f"[Match]\nOriginalName=*\n\n[Link]\n{link}\n"} for link in LINKS),
    {
        "70-b.link": "[Match]\nDriver=veth\n[Link]\nName=second\n",
        "10-a.link": "[Match]\nOriginalName=*\n[Link]\nName=first\n",
    },
]
VETH = LinkDevice(
    name=DEVICE,
    facts={"OriginalName": DEVICE, "Driver": "veth", "Kind": "veth", "Type": "ether", "Path": None},
    properties={
        "DEVTYPE": None,
        "INTERFACE": DEVICE,
        "ID_NET_NAME_PATH": None,
        "ID_NET_NAME_ONBOARD": None,
    },
    naming=Naming.USER,
)
UNITS = {
    "good": "ExecStart=/bin/sh -c 'for i in 1 2; do echo $$i; done'",
    "percent": "ExecStart=/bin/sh -c 'echo $((i%8))'",
    "doubled": "ExecStart=/bin/sh -c 'echo $((i%%8))'",
    "optional": "ExecStart=-/bin/sh -c 'echo $((i%8))'\nExecStart=/bin/true",
    "quote": "ExecStart=/bin/sh -c 'echo",
    "relative": "ExecStart=bin/sh -c true",
}


def test_udev_applies_the_files_and_gives_the_names_that_the_model_says() -> None:
    for row, said in zip(ROWS, ask(ROWS), strict=True):
        links = [read_link(name, [(Document(name=name), text)]) for name, text in row.items()]
        file = applied(links, VETH)
        assert isinstance(file, Known), row
        refused = [r.says for link in links for r in link.refused if "valid or" in r.says]
        assert [line.partition(": ")[2] for line in said.lines if "valid or" in line] == refused
        if file.value is None:
            assert "70-row.link" not in said.file, row
            continue
        name = named(file.value, VETH)
        assert isinstance(name, Known)
        assert said.file.endswith(f"/{file.value.name}"), row
        assert said.name == (name.value.name or DEVICE), row


@pytest.mark.parametrize("name", UNITS)
def test_systemd_refuses_the_units_that_the_model_refuses(name: str, tmp_path: Path) -> None:
    analyze = shutil.which("systemd-analyze")
    if analyze is None:
        pytest.skip("no systemd-analyze: apt-get install systemd")
    text = f"[Service]\nType=oneshot\n{UNITS[name]}\n"
    file = tmp_path / f"{name}.service"
    file.write_text(text, encoding="utf-8")
    done = subprocess.run(  # noqa: S603 - the machine's own
        [analyze, "verify", "--man=no", str(file)], capture_output=True, text=True, check=False
    )
    unit = read_unit(file.name, [(Document(name=file.name), text)])
    is_refused = refusal_of(unit, commands_of(unit)) is not None
    assert is_refused is ("bad unit file setting" in done.stderr), done.stderr
