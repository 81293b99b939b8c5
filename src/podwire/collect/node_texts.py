"""Small files of a machine that have one form: kubelet's configuration, routes, GPUs, images."""

import re

import msgspec

from podwire.documents import yaml
from podwire.documents.text import Problem, printable
from podwire.facts.node import Card, KubeletConfig, Mig
from podwire.model.addresses import GpuUuid
from podwire.spec.shape import mismatches, without_nulls

_CONFIGZ = "kubeletconfig"
_NETNS = re.compile(r"\bnetns (shared|exclusive)\b")
_DEVICE = re.compile(r"\bdev (\S+)")
# nvidia-smi -L of the R535 to R580 drivers.
_CARD = re.compile(r"GPU (\d+): (.*?) \(UUID: (\S+)\)")
_MIG = re.compile(r"\s+MIG (\S+)\s+Device\s+\d+: \(UUID: (\S+)\)")
_ROUTE_UP, _ROUTE_REJECT = 0x1, 0x200  # linux include/uapi/linux/route.h


def kubelet(text: str) -> KubeletConfig | Problem:
    """Read a KubeletConfiguration, or the answer of `/configz` that holds one."""
    loaded = next(iter(yaml.load(text)), None)
    if loaded is None or loaded.value is None:
        problem = loaded.problem if loaded else None
        return problem or Problem(message="kubelet's configuration is empty")
    tree = without_nulls(loaded.value)
    if isinstance(tree, dict) and isinstance(tree.get(_CONFIGZ), dict):
        tree = tree[_CONFIGZ]
    try:
        return msgspec.convert(tree, KubeletConfig)
    except msgspec.ValidationError as error:
        wrong = next(mismatches(tree, KubeletConfig), None)
        if wrong is None:
            return Problem(message=str(error))
        return Problem(message=wrong.message, path=wrong.path)


def netns_mode(text: str) -> str | Problem:
    """Read `rdma system show`: `netns shared copy-on-fork on`."""
    match = _NETNS.search(text)
    if match is None:
        shown = printable(text.strip(), 60)
        return Problem(message=f'expected "netns shared" or "netns exclusive", found "{shown}"')
    return match[1]


def routed(text: str) -> frozenset[str]:
    """Read `ip route show default`; hops of one route have lines of their own."""
    return frozenset(
        match[1]
        for line in text.splitlines()
        if line.split()[:1] in (["default"], ["nexthop"])
        for match in _DEVICE.finditer(line)
    )


def routed_by_kernel(text: str) -> frozenset[str]:
    """Read /proc/net/route: interface, destination, gateway, flags and, in column 8, mask."""
    found = set()
    for line in text.splitlines()[1:]:
        fields = line.split()
        if len(fields) < 8 or not (fields[1] == fields[7] == "00000000"):
            continue
        try:
            flags = int(fields[3], 16)
        except ValueError:
            continue
        if flags & _ROUTE_UP and not flags & _ROUTE_REJECT:
            found.add(fields[0])
    return frozenset(found)


def cards(text: str) -> tuple[Card, ...] | Problem:
    """Read `nvidia-smi -L`; a machine without a GPU says so in a line."""
    found: list[Card] = []
    for line in text.splitlines():
        card, mig = _CARD.match(line), _MIG.match(line)
        if card and (uuid := GpuUuid.maybe(card[3])):
            found.append(Card(index=int(card[1]), model=card[2], uuid=uuid))
        elif mig and found and (uuid := GpuUuid.maybe(mig[2])):
            part = Mig(profile=mig[1], uuid=uuid)
            found[-1] = msgspec.structs.replace(found[-1], migs=(*found[-1].migs, part))
    if not found and "No devices" not in text:
        shown = printable(text.strip(), 60)
        return Problem(
            message=f'expected lines like "GPU 0: NAME (UUID: GPU-...)", found "{shown}"'
        )
    return tuple(found)


class _Config(msgspec.Struct, rename="pascal"):
    env: tuple[str, ...] | None = None


class _Image(msgspec.Struct):
    """An image's configuration, or what wraps it (`ctr`, `skopeo inspect --config`)."""

    env: tuple[str, ...] | None = msgspec.field(default=None, name="Env")
    config: _Config = msgspec.field(default_factory=_Config)


def image_variables(text: str) -> dict[str, tuple[str, ...]] | Problem:
    """Read the variables of images, `NAME=value`, by the images' names."""
    try:
        images = msgspec.json.decode(text, type=dict[str, _Image])
    except msgspec.MsgspecError as error:
        return Problem(message=str(error))
    return {name: image.env or image.config.env or () for name, image in images.items()}
