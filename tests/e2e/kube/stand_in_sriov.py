#!/usr/bin/env python3
"""ib-sriov and sriov: STAND-INS for the real CNI plugins, for machines without InfiniBand.

Called as `ib-sriov` or `sriov`, it refuses what the real one refuses before it touches a VF, in
the words of the version that stands in the file `version` beside it (default: newest); else it
gives the pod one end of a veth pair under the name asked for. IPAM goes to the real plugin. It
touches no VF, sets no GUID, and checks nothing else. The words were read or seen elsewhere:
ib-sriov-cni v1.1.1 to v1.3.0+80 and OpenShift's fork of 2026-07, sriov-cni v2.10.0+91.
"""

import json
import os
import secrets
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, TypeAlias

Json: TypeAlias = dict[str, Any]

_ME = Path(sys.argv[0])
_VERSION = _ME.with_name("version")
_PATH = "/usr/sbin:/usr/bin:/sbin:/bin"

_NO_DEVICE = {
    "ib-sriov": {
        "v1.1.1": "load config: vf pci addr is required",
        "v1.3.0": "failed to get device specific information. load config: vf pci addr is required",
        "newest": "deviceID is required",
        "openshift": "device ID is required for VFIO PCI detection",
    },
    "sriov": {"newest": "SRIOV-CNI failed to load netconf: LoadConf(): VF pci addr is required"},
}
_LINK_STATES = {
    "ib-sriov": "infiniBand SRI-OV CNI failed to load netconf: invalid link_state value: ",
    "sriov": "SRIOV-CNI failed to load netconf: LoadConf(): invalid link_state value: ",
}
_UNCONFIGURED = (
    'infiniBand SRIOV-CNI failed, InfiniBand status "mellanox.infiniband.app" is not '
    '"configured" please check mellanox ib-kubernetes'
)


class Refusal(Exception):  # noqa: N818 - what CNI calls an error is an answer here
    """What the runtime is told."""


def _run(*command: str, said: str = "") -> str:
    done = subprocess.run(  # noqa: S603 - our own commands
        command,
        input=said,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PATH": _PATH},
    )
    if done.returncode:
        raise Refusal(done.stderr.strip() or done.stdout.strip())
    return done.stdout


def _check(config: Json) -> None:
    """Refuse in the order of the real one."""
    kind = _ME.name
    version = _VERSION.read_text() if _VERSION.exists() else "newest"
    words = _NO_DEVICE[kind]
    if config.get("link_state", "auto") not in {"", "auto", "enable", "disable"}:
        raise Refusal(_LINK_STATES[kind] + config["link_state"])
    cni = config.get("args", {}).get("cni", {})
    if config.get("ibKubernetesEnabled") and cni.get("mellanox.infiniband.app") != "configured":
        raise Refusal(_UNCONFIGURED)
    if not config.get("deviceID"):
        raise Refusal(words.get(version, words["newest"]))
    if kind == "ib-sriov" and config.get("ipam", {}).get("type") == "dhcp":
        raise Refusal("ipam type dhcp is not supported")


def _ipam(config: Json) -> Json:
    """Pass this same command on to the IPAM plugin; an empty answer where there is none."""
    kind = config.get("ipam", {}).get("type")
    if not kind:
        return {}
    plugin = shutil.which(kind, path=os.environ["CNI_PATH"])
    if plugin is None:
        raise Refusal(f'failed to find plugin "{kind}" in path {os.environ["CNI_PATH"]}')
    answer: Json = json.loads(_run(plugin, said=json.dumps(config)) or "{}")
    return answer


def add(config: Json) -> Json:
    _check(config)
    netns, name = os.environ["CNI_NETNS"], os.environ["CNI_IFNAME"]
    host_end = f"v{secrets.token_hex(5)}"  # clusters side by side share the machine's interfaces
    inside = ("nsenter", f"--net={netns}", "ip")
    ips = _ipam(config).get("ips", [])
    _run("ip", "link", "add", host_end, "type", "veth", "peer", "name", name, "netns", netns)
    _run("ip", "link", "set", host_end, "up")
    _run(*inside, "link", "set", name, "up")
    for ip in ips:
        _run(*inside, "addr", "add", ip["address"], "dev", name)
    mac = json.loads(_run(*inside, "-j", "link", "show", name))[0]["address"]
    return {
        "cniVersion": config["cniVersion"],
        "interfaces": [{"name": name, "mac": mac, "sandbox": netns}],
        "ips": [{**ip, "interface": 0} for ip in ips],
        "dns": {},
    }


def delete(config: Json) -> None:
    _ipam(config)
    netns = os.environ.get("CNI_NETNS", "")
    if Path(netns).exists():
        try:
            _run("nsenter", f"--net={netns}", "ip", "link", "del", os.environ["CNI_IFNAME"])
        except Refusal:
            return  # it never came to be, or is gone already


def answer(command: str) -> Json | None:
    if command == "VERSION":
        return {"cniVersion": "1.1.0", "supportedVersions": ["0.3.1", "0.4.0", "1.0.0", "1.1.0"]}
    config: Json = json.load(sys.stdin)
    if command == "ADD":
        return add(config)
    if command == "DEL":
        delete(config)
    return None


def main() -> int:
    try:
        said = answer(os.environ["CNI_COMMAND"])
    except Refusal as error:
        sys.stdout.write(json.dumps({"cniVersion": "0.3.1", "code": 999, "msg": str(error)}))
        return 1
    if said is not None:
        sys.stdout.write(json.dumps(said))
    return 0


if __name__ == "__main__":
    sys.exit(main())
