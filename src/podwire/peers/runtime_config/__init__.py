"""How a node's container runtime is configured: which handler runs which program, and CDI.

containerd's config.toml with its imports and CRI-O's crio.conf with its drop-ins. What the
runtime makes of capabilities is in `peers/container_runtime`, what it makes of a CDI request in
`peers/cdi`.
"""

from collections.abc import Mapping

from podwire.facts.node import TextFile
from podwire.model.evidence import Answer, Unknown, derived
from podwire.model.versions import Version
from podwire.peers.runtime_config import crio
from podwire.peers.runtime_config.containerd import NAME as CONTAINERD
from podwire.peers.runtime_config.containerd import containerd_config
from podwire.peers.runtime_config.crio import NAME as CRI_O
from podwire.peers.runtime_config.crio import crio_config
from podwire.peers.runtime_config.importing import MAIN, Files
from podwire.peers.runtime_config.records import Cdi, Handler, RuntimeConfig

__all__ = ["CONTAINERD", "CRI_O", "Cdi", "Handler", "RuntimeConfig", "runtime_config"]


def runtime_config(
    files: Mapping[str, TextFile],
    *,
    version: Answer[str],
    listings: Mapping[str, tuple[str, ...]] | None = None,
) -> Answer[RuntimeConfig]:
    """Read a node's configuration from its files, by their names in a bundle.

    Args:
        files: what was collected of the node (`etc/containerd/config.toml`).
        version: the node's `containerRuntimeVersion`, such as `containerd://2.4.2`. Without it
            the files tell which runtime there is, and what differs by version is unknown.
        listings: names in folders, whole.
    """
    known = Files(files, listings or {})
    name = _name(known, version)
    if name == CRI_O:
        return crio_config(known)
    if name == CONTAINERD:
        return containerd_config(known, version=_version(version))
    return Unknown(
        reason=f"no model of the container runtime {name}" if name else "no runtime's files",
        give=f"cat {MAIN}",
        fact="the container runtime's configuration",
    )


def _name(files: Files, version: Answer[str]) -> str:
    if not isinstance(version, Unknown):
        return version.value.partition("://")[0]
    has_crio = bool(files.matching(crio.MAIN) or files.below(crio.DROP_INS))
    has_containerd = bool(files.matching(MAIN))
    if has_crio == has_containerd:
        return ""
    return CRI_O if has_crio else CONTAINERD


def _version(version: Answer[str]) -> Answer[Version]:
    if isinstance(version, Unknown):
        return version
    try:
        return derived(version, lambda text: Version.parse(text.partition("://")[2]))
    except ValueError as error:
        return Unknown(reason=str(error), fact="the version of containerd")
