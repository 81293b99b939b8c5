"""What a machine has, and how machines differ, for a terminal."""

from collections.abc import Iterator

from podwire.facts.hardware import Shown, ShownGpu, ShownPf
from podwire.present.columns import columns
from podwire.present.lines import counted, plain, wrapped

_PF = ("PF", "NET", "RDMA", "LINK", "STATE", "NUMA", "GPU", "VFS", "FIRMWARE")
_PF_WIDE = (*_PF, "CARD", "RATE", "PCIE", "GUID", "DRIVER", "NEXT BOOT")
_VF = ("VF", "PF", "NET", "RDMA", "NODE GUID", "STATE", "POLICY", "MTU", "HOLDER")
_GPU = ("GPU", "UUID", "PCI", "MINOR", "NUMA", "RESERVED", "HELD BY")


def node_text(shown: Shown, *, is_wide: bool) -> str:
    """Draw the PFs and the GPUs; wide: each VF too."""
    kernel = f", Linux {plain(shown.kernel)}" if shown.kernel else ""
    lines = [f"{plain(shown.node)}{kernel}"]
    if shown.pfs:
        rows = [_pf(pf, is_wide=is_wide) for pf in shown.pfs]
        lines += ["", *columns(_PF_WIDE if is_wide else _PF, rows)]
    else:
        lines += ["", "no PF: no network function that has VFs or may have"]
    if is_wide and any(pf.vfs for pf in shown.pfs):
        lines += ["", *columns(_VF, [row for pf in shown.pfs for row in _vfs(pf)])]
    if shown.gpus:
        lines += ["", *columns(_GPU, [_gpu(gpu) for gpu in shown.gpus])]
    lines += [line for text in _remarks(shown) for line in ("", *wrapped(text))]
    return "\n".join(lines) + "\n"


def _pf(pf: ShownPf, *, is_wide: bool) -> tuple[str | None, ...]:
    short = (
        pf.address,
        pf.netdev,
        pf.rdma,
        pf.link_layer,
        _state(pf),
        pf.numa_node,
        _near(pf),
        f"{len(pf.vfs)} of {pf.total_vfs}" if pf.total_vfs else str(len(pf.vfs)),
        pf.firmware,
    )
    if not is_wide:
        return short
    pcie = pf.pcie if pf.pcie == pf.pcie_most else f"{pf.pcie} of {pf.pcie_most}"
    return (
        *short,
        pf.card,
        pf.rate,
        pcie if pf.pcie else None,
        pf.guid,
        pf.driver,
        pf.link_layer_next_boot,
    )


def _state(pf: ShownPf) -> str | None:
    """Write both states where they do not go together."""
    if pf.state is None:
        return None
    is_plain = (pf.state, pf.phys_state) in {("ACTIVE", "LinkUp"), ("DOWN", "Polling")}
    return pf.state if is_plain or pf.phys_state is None else f"{pf.state}/{pf.phys_state}"


def _near(pf: ShownPf) -> str | None:
    if not pf.nearest_gpus:
        return None
    numbers = ",".join(map(str, pf.nearest_gpus))
    return f"{numbers} {pf.nearest_way}"


def _vfs(pf: ShownPf) -> Iterator[tuple[str | None, ...]]:
    for vf in pf.vfs:
        yield (
            vf.address,
            f"{pf.address} {vf.index}",
            vf.netdev,
            vf.rdma,
            vf.node_guid,
            vf.state,
            vf.link_policy,
            vf.mtu,
            vf.holder,
        )


def _gpu(gpu: ShownGpu) -> tuple[str | None, ...]:
    reserved = {None: None, True: "for the host", False: "no"}[gpu.is_reserved]
    held = None if gpu.holders is None else ", ".join(gpu.holders) or "nobody"
    return (
        str(gpu.index),
        gpu.uuid,
        gpu.address,
        gpu.minor,
        gpu.numa_node,
        reserved,
        held,
    )


def _remarks(shown: Shown) -> Iterator[str]:
    """Say what a table of many rows hides."""
    for pf in shown.pfs:
        if pf.owners:
            yield f"{pf.address}: VFs are made by {', '.join(pf.owners)}"
        unset = [vf for vf in pf.vfs if _is_unset(vf.node_guid)]
        if unset:
            yield f"{pf.address}: {counted(len(unset), 'VF')} without a GUID"
        if pf.link_layer_next_boot and pf.link_layer_next_boot != pf.link_layer:
            yield (
                f"{pf.address}: {pf.link_layer} now, {pf.link_layer_next_boot} after the next boot"
            )


def _is_unset(guid: str | None) -> bool:
    return guid is not None and len(set(guid.replace(":", ""))) == 1 and guid[0] in "0f"
