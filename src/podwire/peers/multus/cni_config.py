"""`spec.config` of a NetworkAttachmentDefinition: which plugins run, and what they are told.

Source: network-attachment-definition-client v1.7.6 pkg/utils/cniconfig.go GetCNIConfig,
multus-cni v4.3.0 pkg/types/conf.go LoadDelegateNetConf.
"""

from collections.abc import Mapping

import msgspec

from podwire.model.evidence import Path
from podwire.peers.multus.go_json import NotJson, decode, kind_of, value_of
from podwire.peers.multus.selection import Unreadable

CONF_DIR = "/etc/cni/multus/net.d"  # where Multus looks when spec.config is empty

_SPEC = "GetCNIConfig: err in getCNIConfigFromSpec: failed to unmarshal Spec.Config: "
_LOAD = "LoadDelegateNetConf: "
_CHAIN = f"{_LOAD}failed with: LoadDelegateNetConfList: "

_KINDS = {"type": "string", "name": "string", "cniVersion": "string", "ipam": "object"}


class Plugin(msgspec.Struct, frozen=True, gc=False):
    """One plugin; `path` leads to it inside `spec.config`, `raw` is all that it is told."""

    type: str
    path: Path = ()
    raw: Mapping[str, object] = {}

    def value(self, key: str) -> object:
        """Look a key up as Go does, whatever its case; None where it is not given."""
        return value_of(self.raw, key)

    @property
    def ipam(self) -> Mapping[str, object]:
        """What its IPAM plugin is told; empty where it has none."""
        found = self.value("ipam")
        return found if isinstance(found, dict) else {}

    @property
    def ipam_type(self) -> str:
        """`whereabouts`, `host-local`, ...; empty where it has none."""
        found = value_of(self.ipam, "type")
        return found if isinstance(found, str) else ""


class CniConfig(msgspec.Struct, frozen=True, gc=False):
    """A configuration that Multus can load; `name` is filled from the network where empty."""

    plugins: tuple[Plugin, ...]
    name: str = ""
    cni_version: str = ""
    is_list: bool = False

    @property
    def main(self) -> Plugin:
        """The plugin that makes the interface; the others change what it made."""
        return self.plugins[0]

    @property
    def types(self) -> tuple[str, ...]:
        """The types in the order in which they run."""
        return tuple(plugin.type for plugin in self.plugins)


def read_network_config(text: str) -> CniConfig | Unreadable | None:
    """Read `spec.config`; None where it is empty: then Multus reads a file of the node.

    That file is the one in CONF_DIR whose name key is the network's. With a `type` the text is
    one plugin, whatever else it holds; `plugins` is looked at only without.
    """
    if not text:
        return None
    try:
        tree = decode(text)
    except NotJson as error:
        return Unreadable(message=f"{_SPEC}{error}", at=error.at)
    if not isinstance(tree, dict):
        return Unreadable(
            message=f"{_SPEC}json: cannot unmarshal {kind_of(tree)} into Go value of type "
            "map[string]interface {}",
            path=(),
            hint='an object: {"type": ...}',
        )
    fault = _kind_fault(tree, ())
    if fault is not None:
        return fault
    plugins = (_plugin(tree, ()),) if value_of(tree, "type") else _chain(tree)
    if isinstance(plugins, Unreadable):
        return plugins
    return CniConfig(
        plugins=plugins,
        name=str(value_of(tree, "name") or ""),
        cni_version=str(value_of(tree, "cniVersion") or ""),
        is_list=not value_of(tree, "type"),
    )


def _chain(tree: Mapping[str, object]) -> tuple[Plugin, ...] | Unreadable:
    listed = value_of(tree, "plugins")
    if not listed:
        return Unreadable(
            message=f"{_CHAIN}delegate must have the 'type' or 'plugin' field",
            path=(),
            hint='"type" names the plugin',
        )
    if not isinstance(listed, list):
        return _wrong_kind("plugins", listed, ())
    found: list[Plugin] = []
    for index, item in enumerate(listed):
        path: Path = ("plugins", index)
        if not isinstance(item, dict):
            return _wrong_kind(f"plugins[{index}]", item, path)
        fault = _kind_fault(item, path)
        if fault is not None:
            return fault
        if not value_of(item, "type"):
            return _typeless(index, path)
        found.append(_plugin(item, path))
    return tuple(found)


def _plugin(tree: Mapping[str, object], path: Path) -> Plugin:
    return Plugin(type=str(value_of(tree, "type")), path=path, raw=tree)


def _typeless(index: int, path: Path) -> Unreadable:
    # Multus looks at the first; libcni at each when the list runs (cni v1.3.1 libcni/conf.go).
    says = (
        f"{_CHAIN}a plugin delegate must have the 'type' field"
        if index == 0
        else f"failed to parse plugin config {index}: error parsing configuration: missing 'type'"
    )
    return Unreadable(message=says, path=path, hint='"type" is missing')


def _kind_fault(tree: Mapping[str, object], path: Path) -> Unreadable | None:
    for key, wanted in _KINDS.items():
        value = value_of(tree, key)
        if value is not None and kind_of(value) != wanted:
            return _wrong_kind(key, value, (*path, _written_key(tree, key)), wanted=wanted)
    return None


def _written_key(tree: Mapping[str, object], key: str) -> str:
    return next((have for have in tree if have.casefold() == key.casefold()), key)


def _wrong_kind(key: str, value: object, path: Path, *, wanted: str = "object") -> Unreadable:
    # Go names its own struct here; which one depends on the libcni that Multus was built with.
    return Unreadable(
        message=f"{_LOAD}error unmarshalling delegate config: json: cannot unmarshal "
        f"{kind_of(value)} into {key} of type {wanted}",
        path=path,
        hint=f"{key} takes {'an' if wanted == 'object' else 'a'} {wanted}",
    )
