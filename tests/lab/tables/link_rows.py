"""Contents of .link files, each with the devices that udev is asked about.

What udev answers is recorded beside; nothing here says what it should.
"""

from collections.abc import Iterator, Mapping

import msgspec

_ETC = "/etc/systemd/network"
_ALL = "OriginalName=*"
BOTH = ("pf", "vf")


class LinkRow(msgspec.Struct, frozen=True):
    """Files by path (None: a link to /dev/null), and the devices to ask about."""

    name: str
    files: Mapping[str, str | None]
    devices: tuple[str, ...] = ("vf",)


def link_rows() -> Iterator[LinkRow]:
    yield LinkRow("no file but systemd's own", {}, ("pf", "vf", "vf-renamed", "ib"))
    yield from _match_rows()
    yield from _link_section_rows()
    for name, text in _FORMS.items():
        yield _row(name, text)
    for name, files in _FILES.items():
        yield LinkRow(name, {f"{_ETC}/{k}" if k[0] != "/" else k: v for k, v in files.items()})
    for name, text in _ARTICLES.items():
        yield _row(name, text, *BOTH, "ib")


def _match_rows() -> Iterator[LinkRow]:
    for lines, devices in ((_MATCHES, BOTH), (_TYPES, (*BOTH, "ib"))):
        for line in lines:
            yield _row(f"match {line}", f"[Match]\n{line}\n\n[Link]\nName=pw0\n", *devices)


def _link_section_rows() -> Iterator[LinkRow]:
    for name in _NAMES:
        yield _row(f"name {name!r}", f"[Match]\n{_ALL}\n\n[Link]\nName={name}\n")
    for lines in _POLICIES:
        link = f"[Match]\n{_ALL}\n\n[Link]\n{lines}\n"
        yield _row(f"link {' + '.join(lines.splitlines())}", link, *BOTH, "vf-renamed")
    for line in _OTHERS:
        yield _row(f"link {line}", f"[Match]\n{_ALL}\n\n[Link]\nName=pw0\n{line}\n")


def _row(name: str, text: str, *devices: str) -> LinkRow:
    return LinkRow(name, {f"{_ETC}/70-row.link": text}, devices or ("vf",))


_MATCHES = (
    "",
    "OriginalName=*",
    "OriginalName=ens*",
    "OriginalName=ens1v0",
    "OriginalName=!ens1v0",
    "OriginalName=eth0",
    "OriginalName=pod*",
    "Driver=igbvf",
    "Driver=igb",
    "Driver=igb*",
    "Driver=IGB",
    "Driver=igb?f",
    "Driver=ig[ab]vf",
    "Driver=!igbvf",
    "Driver=!igb",
    "Driver=!igb !igbvf",
    "Driver=! igbvf",
    "Driver=igb igbvf",
    "Driver=igb,igbvf",
    'Driver="igbvf"',
    "Driver='igbvf'",
    "Driver=mlx5_core",
    "Driver=mlx5_core*",
    "Driver=mlx5_core[ib_ipoib]",
    "Driver=igb\nDriver=igbvf",
    "Driver=igb\nDriver=",
    "Driver=igbvf\nDriver=\nDriver=igb",
    "Driver=*",
    "Driver=",
    "Path=pci-0000:41:10.0",
    "Path=pci-0000:41:00.0",
    "Path=pci-0000:41:10.0 pci-0000:41:00.0",
    "Path=pci-0000:41:1?.*",
    "Path=pci-0000:*:*.*",
    "Path=pci-0000:41:*",
    "Path=pci-0000:81:*",
    "Path=!pci-0000:41:10.0",
    "Path=0000:41:10.0",
    "Path=pci-0000:41:10",
    "Path=PCI-0000:41:10.0",
    "Path=*",
    "Path=virtio-*",
    "Property=ID_PATH=pci-0000:41:10.0",
    "Property=ID_PATH=pci-0000:41:*",
    "Property=DEVTYPE=vf",
    "Property=DEVTYPE=*",
    "Property=!DEVTYPE=vf",
    "Property=!DEVTYPE=*",
    "Property=DEVTYPE=",
    "Property=DEVTYPE",
    "Property=!DEVTYPE",
    "Property==vf",
    "Property=ID_NET_NAME_SLOT=*v*",
    "Property=ID_NET_NAME_SLOT=ens1",
    "Property=ID_NET_NAME_PATH=enp65s0v0",
    "Property=ID_NET_NAME_PATH=*v?",
    "Property=ID_NET_NAME_PATH=*v[0-9]*",
    "Property=ID_NET_NAME_MAC=*",
    "Property=ID_NET_NAME_ONBOARD=*",
    "Property=ID_VENDOR_ID=0x8086",
    "Property=ID_MODEL_ID=0x10ca",
    "Property=ID_MODEL_ID=0x10CA",
    "Property=ID_NET_DRIVER=igbvf",
    "Property=ID_BUS=pci",
    "Property=ID_BUS=pci ID_VENDOR_ID=0x8086",
    "Property=ID_BUS=pci ID_VENDOR_ID=0x15b3",
    "Property=ID_BUS=pci\nProperty=ID_VENDOR_ID=0x15b3",
    "Property=!ID_BUS=pci ID_VENDOR_ID=0x15b3",
    'Property="ID_BUS=pci" "ID_VENDOR_ID=0x8086"',
    'Property=ID_BUS="pci"',
    "Property=ID_BUS=p%i",
    "Property=ID_BUS=pci ID_BUS=usb",
    "Property=ID_BUS=usb ID_BUS=pci",
    "Property=INTERFACE=ens*",
    "Property=IFINDEX=*",
    "Property=SUBSYSTEM=net",
    "Property=ID_MACHINE=%m",
    "Property=ID_BUS=%q",
    "MACAddress=02:00:00:00:41:00",
    "MACAddress=02-00-00-00-41-00",
    "MACAddress=0200.0000.4100",
    "MACAddress=02:00:00:00:41",
    "MACAddress=02:00:00:00:41:00 02:00:00:00:81:00",
    "MACAddress=!02:00:00:00:41:00",
    "PermanentMACAddress=02:00:00:00:41:00",
    "PermanentMACAddress=02:00:00:00:81:00",
    "Kind=veth",
    "Kind=*",
    "Kind=!*",
    "Host=lab",
    "Host=!lab",
    "Host=dgx-*",
    "Host=0123456789abcdef0123456789abcdef",
    "Virtualization=qemu",
    "Virtualization=vm",
    "Virtualization=yes",
    "Virtualization=no",
    "Virtualization=container",
    "Virtualization=!container",
    "KernelCommandLine=net.ifnames=1",
    "KernelCommandLine=quiet",
    "KernelCommandLine=!quiet",
    "KernelCommandLine=net.ifnames=0",
    "KernelVersion=6.12*",
    "KernelVersion=>=6.1",
    "KernelVersion=<6.1",
    "KernelVersion=>=6.1 <7",
    "Architecture=x86-64",
    "Architecture=arm64",
    "Architecture=amd64",
    "Firmware=uefi",
    "Credential=podwire",
    "Version=257",
    "SSID=train",
    "Name=ens*",
    "Drivers=igbvf",
    "driver=igbvf",
    "Driver = igbvf",
    "Driver=igbvf\nProperty=DEVTYPE=vf",
    "Driver=igbvf\nPath=pci-0000:41:10.0",
    "Driver=igbvf\nPath=pci-0000:81:10.0",
    "Driver=igbvf # VFs only",
)
_TYPES = (
    "Type=ether",
    "Type=infiniband",
    "Type=!ether",
    "Type=!infiniband",
    "Type=ether infiniband",
    "Type=ethernet",
    "Type=Infiniband",
    "Type=wlan",
    "Type=*",
    "Type=none",
    "Type=vf",
    "Driver=tun",
    "Kind=tun",
)
_NAMES = (
    "ib0",
    "eth0",
    "ens1v0",
    "ib41v0",
    "ib41v0 ",
    '"ib41v0"',
    "ib41v0 # rail 0",
    "fifteen-letters",
    "sixteen-letters-",
    "ib/0",
    "ib:0",
    "ib 0",
    "ib%d",
    "ib%%d",
    "ib%i",
    "ib.0",
    "ib-0",
    "-ib0",
    "ib_0",
    "ib0.100",
    "ib{0}",
    "{attr/dev_port}",
    "mlx-{attr/phys_port_name}",
    "mlx-{phys_port}",
    "sriov-{phys_port_name}",
    "$attr{dev_port}",
    "ib$0",
    "ib\\x30",
    "ib\\0",
    "rail\u00e9",
    "12",
    "0x12",
    "1ib",
    ".",
    "..",
    "...",
    "all",
    "default",
    "lo",
    "",
    "*",
    "ib?",
    "ib;0",
    "ib=0",
    "ib@0",
)
_POLICIES = (
    "NamePolicy=keep",
    "NamePolicy=kernel",
    "NamePolicy=database",
    "NamePolicy=onboard",
    "NamePolicy=slot",
    "NamePolicy=path",
    "NamePolicy=mac",
    "NamePolicy=",
    "NamePolicy=vf",
    "NamePolicy=Path",
    "NamePolicy=path slot",
    "NamePolicy=slot path",
    "NamePolicy=path,slot",
    "NamePolicy=keep path",
    "NamePolicy=path keep",
    "NamePolicy=onboard path",
    "NamePolicy=database onboard",
    "NamePolicy=kernel path",
    "NamePolicy=vf path",
    "NamePolicy=path vf",
    "NamePolicy=path path",
    "NamePolicy=keep kernel database onboard slot path",
    "NamePolicy=path\nNamePolicy=slot",
    "NamePolicy=path\nNamePolicy=",
    "NamePolicy=path\nName=pw0",
    "Name=pw0\nNamePolicy=path",
    "NamePolicy=onboard\nName=pw0",
    "NamePolicy=keep\nName=pw0",
    "NamePolicy=keep path\nName=pw0",
    "NamePolicy=vf\nName=pw0",
    "NamePolicy=\nName=pw0",
    "NamePolicy=path\nNamePolicy=\nName=pw0",
    "NamePolicy=keep\nName=sriov-{phys_port_name}",
    "Name=pw0\nName=pw1",
    "Name=pw0\nName=",
    "Name=pw0\nName=much-too-long-for-it",
    "Description=VFs only",
)
_OTHERS = (
    "AlternativeName=rail0",
    "AlternativeName=rail0 rail1",
    "AlternativeName=rail0\nAlternativeName=rail1",
    "AlternativeName=rail0\nAlternativeName=",
    "AlternativeName=pw0",
    "AlternativeName=k8s-vf-{attr/dev_port}",
    "AlternativeName=k8s-vf-{dev_port}",
    "AlternativeName=twenty-letters-long-",
    f"AlternativeName={'a' * 127}",
    f"AlternativeName={'a' * 128}",
    "AlternativeName=1234",
    "AlternativeName=rail:0",
    "AlternativeNamesPolicy=path",
    "AlternativeNamesPolicy=slot path mac",
    "AlternativeNamesPolicy=keep",
    "AlternativeNamesPolicy=",
    "MACAddressPolicy=persistent",
    "MACAddressPolicy=random",
    "MACAddressPolicy=none",
    "MACAddressPolicy=stable",
    "MACAddressPolicy=",
    "MACAddress=02:00:00:00:00:99",
    "MTUBytes=4092",
    "MTUBytes=4K",
    "MTUBytes=9000 # jumbo",
    "MTUBytes=many",
    "SR-IOVVirtualFunctions=8",
    "SR-IOVVirtualFunctions=many",
    "[SR-IOV]\nVirtualFunction=0\nLinkState=auto",
    "[Network]\nDHCP=no",
    "[X-Podwire]\nOwner=podwire",
    "X-Podwire=1",
    "Nmae=pw1",
    "NAME=pw1",
    "name=pw1",
    "Alias=rail 0",
    "WakeOnLan=off",
    "RequiredForOnline=no",
    "Path=pci-0000:41:10.0",
    "Name",
    "=pw1",
)
_FIRST = "[Match]\nDriver=igbvf\n[Link]\nName=pw0\n"
_FORMS = {
    "an empty file": "",
    "only a comment": "# nothing\n",
    "no Match section": "[Link]\nName=pw0\n",
    "an empty Match section": "[Match]\n\n[Link]\nName=pw0\n",
    "only a Match section": "[Match]\nDriver=igbvf\n",
    "an empty Link section": "[Match]\nDriver=igbvf\n\n[Link]\n",
    "Link before Match": "[Link]\nName=pw0\n\n[Match]\nDriver=igbvf\n",
    "Match twice, alike": f"{_FIRST}[Match]\nPath=pci-0000:41:10.0\n",
    "Match twice, at odds": f"{_FIRST}[Match]\nPath=pci-0000:81:*\n",
    "Match twice, two drivers": "[Match]\nDriver=igb\n[Link]\nName=pw0\n[Match]\nDriver=igbvf\n",
    "Link twice": "[Match]\nDriver=igbvf\n[Link]\nName=pw0\n[Link]\nName=pw1\n",
    "lower-case sections": "[match]\nDriver=igbvf\n\n[link]\nName=pw0\n",
    "a section with a space": "[Match ]\nDriver=igbvf\n\n[Link]\nName=pw0\n",
    "a section and a comment": "[Match] # VFs\nDriver=igbvf\n\n[Link]\nName=pw0\n",
    "a section not closed": "[Match\nDriver=igbvf\n\n[Link]\nName=pw0\n",
    "a key before any section": "Driver=igb\n[Match]\nDriver=igbvf\n[Link]\nName=pw0\n",
    "a setting before any section alone": "Name=pw0\n",
    "indented": "  [Match]\n  Driver=igbvf\n\n  [Link]\n  Name=pw0\n",
    "tabs": "[Match]\n\tDriver\t=\tigbvf\n[Link]\n\tName\t=\tpw0\t\n",
    "spaces around =": "[Match]\nDriver = igbvf\n[Link]\nName = pw0\n",
    "no newline at the end": "[Match]\nDriver=igbvf\n[Link]\nName=pw0",
    "CRLF": "[Match]\r\nDriver=igbvf\r\n[Link]\r\nName=pw0\r\n",
    "a byte order mark": "\ufeff[Match]\nDriver=igbvf\n[Link]\nName=pw0\n",
    "comments": "# one\n[Match]\n; two\nDriver=igbvf\n#three\n[Link]\nName=pw0\n",
    "an indented comment": "[Match]\n  # two\nDriver=igbvf\n[Link]\nName=pw0\n",
    "a comment with //": "[Match]\n// two\nDriver=igbvf\n[Link]\nName=pw0\n",
    "a line going on": "[Match]\nDriver=igb \\\n  igbvf\n[Link]\nName=pw0\n",
    "a line going on in a word": "[Match]\nDriver=igb\\\nvf\n[Link]\nName=pw0\n",
    "a line going on over a comment": "[Match]\nDriver=igb \\\n# no\n  igbvf\n[Link]\nName=pw0\n",
    "a line going on at the end": "[Match]\nDriver=igbvf\n[Link]\nName=pw0\\\n",
    "a name going on": "[Match]\nDriver=igbvf\n[Link]\nName=p\\\nw0\n",
    "a line of neither form": "[Match]\nDriver=igbvf\nVFs\n[Link]\nName=pw0\n",
    "an unclosed quote": '[Match]\nDriver="igbvf\n[Link]\nName=pw0\n',
    "a NUL": "[Match]\nDriver=igbvf\n[Link]\nName=p\x00w0\n",
    "an .include": ".include /etc/vf.link\n[Match]\nDriver=igbvf\n[Link]\nName=pw0\n",
    "an unknown section first": "[VF]\nDriver=igb\n[Match]\nDriver=igbvf\n[Link]\nName=pw0\n",
    "keys in the wrong section": "[Match]\nName=pw0\n[Link]\nDriver=igbvf\n",
}
_VF, _PF = (
    "[Match]\nDriver=igbvf\n[Link]\nName=pw-vf\n",
    "[Match]\nDriver=igb\n[Link]\nName=pw-pf\n",
)
_ANY = f"[Match]\n{_ALL}\n[Link]\nName=pw-any\n"
_RUN, _LIB, _LOCAL = (f"{x}/systemd/network" for x in ("/run", "/usr/lib", "/usr/local/lib"))
_FILES: dict[str, dict[str, str | None]] = {
    "the first by name counts": {"60-a.link": _ANY, "70-b.link": _VF},
    "the first that matches counts": {"60-a.link": _PF, "70-b.link": _VF},
    "numbers are compared as text": {"100-a.link": _ANY, "70-b.link": _VF},
    "after systemd's own": {"99-z.link": _VF},
    "before systemd's own by a letter": {"99-a.link": _VF},
    "netplan's sorts first": {"70-b.link": _VF, "10-netplan-vf.link": _ANY},
    "/run beside /etc": {"70-b.link": _VF, f"{_RUN}/60-a.link": _ANY},
    "/run has the same name": {"70-b.link": _VF, f"{_RUN}/70-b.link": _ANY},
    "/usr/lib has the same name": {"70-b.link": _VF, f"{_LIB}/70-b.link": _ANY},
    "/run over /usr/lib": {f"{_RUN}/70-b.link": _VF, f"{_LIB}/70-b.link": _ANY},
    "/usr/local/lib over /usr/lib": {f"{_LOCAL}/70-b.link": _VF, f"{_LIB}/70-b.link": _ANY},
    "masked with /dev/null": {"70-b.link": None, f"{_LIB}/70-b.link": _VF},
    "masked with an empty file": {"70-b.link": "", f"{_LIB}/70-b.link": _VF},
    "systemd's own masked": {"99-default.link": None},
    "a drop-in": {"70-b.link": _VF, "70-b.link.d/name.conf": "[Link]\nName=pw-dropin\n"},
    "a drop-in that resets": {"70-b.link": _VF, "70-b.link.d/n.conf": "[Link]\nName=\n"},
    "a drop-in for the match": {"70-b.link": _VF, "70-b.link.d/m.conf": "[Match]\nDriver=igb\n"},
    "a drop-in that unmatches": {
        "70-b.link": _VF,
        "70-b.link.d/m.conf": "[Match]\nDriver=\nDriver=igb\n",
    },
    "a drop-in adds a condition": {
        "70-b.link": _VF,
        "70-b.link.d/m.conf": "[Match]\nPath=pci-0000:81:*\n",
    },
    "a drop-in without .conf": {"70-b.link": _VF, "70-b.link.d/n": "[Link]\nName=pw-dropin\n"},
    "a drop-in from /run": {
        "70-b.link": _VF,
        f"{_RUN}/70-b.link.d/n.conf": "[Link]\nName=pw-dropin\n",
    },
    "two drop-ins": {
        "70-b.link": _VF,
        "70-b.link.d/1.conf": "[Link]\nName=pw-one\n",
        "70-b.link.d/2.conf": "[Link]\nName=pw-two\n",
    },
    "a drop-in for systemd's own": {
        "99-default.link.d/n.conf": "[Link]\nNamePolicy=path\n",
    },
    "a drop-in without its file": {"70-c.link.d/n.conf": _VF},
    "another ending": {"70-b.link.bak": _VF},
    "an ending in capitals": {"70-b.LINK": _VF},
    "below a folder": {"vf/70-b.link": _VF},
    "a .network file": {"70-b.network": _VF},
    "a broken file first": {"60-a.link": "[Match\n", "70-b.link": _VF},
    "a useless match first": {"60-a.link": "[Match]\nDrivr=x\n[Link]\nName=no\n", "70-b.link": _VF},
}
_SEVENTY = """\
[Match]
Driver={}
Property=DEVTYPE=vf

[Link]
Name=mlx-{{attr/phys_port_name}}
AlternativeName=k8s-vf-{{attr/dev_port}}
MACAddressPolicy=persistent
"""
_SEVENTY_ONE = """\
[Match]
Path=pci-0000:*:*.*
Driver={}
Property=ID_NET_NAME_SLOT=*v*

[Link]
NamePolicy=keep
Name=sriov-{{phys_port_name}}
"""
_ARTICLES = {
    "the article's 70-dgx-sriov-vf.link": _SEVENTY.format("mlx5_core"),
    "the same for this card": _SEVENTY.format("igbvf"),
    "the same without Property": _SEVENTY.format("igbvf").replace("Property=DEVTYPE=vf\n", ""),
    "the article's 71-dgx-pci-vf.link": _SEVENTY_ONE.format("mlx5_core"),
    "71 for this card": _SEVENTY_ONE.format("igbvf"),
    "71 with a name that is one": _SEVENTY_ONE.format("igbvf").replace(
        "sriov-{phys_port_name}", "mlxvf0"
    ),
}
