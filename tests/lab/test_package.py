"""The Debian package's life on a machine: installed, over a reboot, removed, purged."""

from collections.abc import Iterator

import pytest

from tests.lab.lab import Guest, Lab, cache_folder
from tests.lab.package import NoIndexError, built_package

pytestmark = pytest.mark.lab

_SPEC = "/root/wiring.yaml"
_WIRING = """\
apiVersion: podwire.io/v1alpha1
kind: Wiring
metadata: {name: lab}
nodes:
- names: [lab]
  fabric:
    pfs: {linkLayer: Ethernet, pciAddresses: ["0000:41:00.0", "0000:81:00.0"]}
    vfsPerPf: 2
"""
_LISTED = "find /etc /usr /var /opt /lib/ -xdev ! -path '/var/log/*' ! -path '*/dpkg/*' | sort"


@pytest.fixture
def packaged(lab: Lab) -> Iterator[Guest]:
    """Give a guest with the package installed, and /lab/before: what lay there without it."""
    try:
        package = built_package(cache_folder())
    except NoIndexError as lacks:
        pytest.skip(str(lacks))
    with lab.thawed(more={"podwire.deb": package.read_bytes()}) as guest:
        _ran(guest, f"rm /usr/bin/podwire; {_LISTED} >/lab/before")
        _ran(guest, "dpkg --force-unsafe-io --install /lab/podwire.deb")
        yield guest


def test_the_package_makes_vfs_at_boot_once_they_are_asked_for_and_goes_without_a_trace(
    packaged: Guest,
) -> None:
    assert _ran(packaged, "podwire --version").startswith("podwire ")
    assert "0000:41:00.0  ens1  0     0 of 7" in _ran(packaged, "podwire node show")
    assert packaged.run("systemctl is-enabled podwire-node").text == "disabled\n"
    packaged.write(_SPEC, _WIRING.encode())
    packaged.call("units.install", spec=_SPEC)
    packaged.reboot()
    seen = packaged.call("units.booted")
    assert seen["kubelet saw"] == ["2", "2"], seen["journal"]
    assert seen["order"] == ["podwire-node.service", "kubelet.service"]
    assert "VFs stay as they are" in _ran(packaged, "podwire node install --uninstall")
    assert packaged.run("systemctl is-enabled podwire-node").text == "disabled\n"
    _ran(packaged, "dpkg --remove podwire")
    kept = ["/etc/podwire", "/etc/podwire/wiring.yaml"]
    assert _new(packaged) == [*kept, "/var/lib/podwire", "/var/lib/podwire/journal"]
    _ran(packaged, "dpkg --purge podwire")
    assert _new(packaged) == kept
    assert [len(vfs) for vfs in packaged.call("vfs.all_vfs").values()] == [2, 2]


def _new(guest: Guest) -> list[str]:
    """List what was not there before the package, nor is a part of the stand-in for kubelet."""
    found = guest.run(f"{_LISTED} | comm -13 /lab/before - | grep -v kubelet").text
    return found.splitlines()


def _ran(guest: Guest, command: str) -> str:
    done = guest.run(command)
    assert done.status == 0, done.text
    return done.text
