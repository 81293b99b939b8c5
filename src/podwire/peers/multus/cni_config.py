"""`spec.config` of a NetworkAttachmentDefinition: which plugins run, and what they are told.

Source: network-attachment-definition-client v1.7.6 pkg/utils/cniconfig.go GetCNIConfig,
multus-cni v4.3.0 pkg/types/conf.go LoadDelegateNetConf.
"""

from collections.abc import Mapping

import msgspec

from podwire.model.evidence import Path
from podwire.peers.go_json import Fields, Kind, NotJson, Object, Value, fields_of, kind_of, parse
from podwire.peers.multus.selection import Unreadable

_SPEC = "GetCNIConfig: err in getCNIConfigFromSpec: failed to unmarshal Spec.Config: "
_LOAD = "LoadDelegateNetConf: "
_CHAIN = f"{_LOAD}failed with: LoadDelegateNetConfList: "
_CONFIG = "error unmarshalling delegate config: "
_TYPELESS = "missing 'type'"

_PLUGIN: Mapping[str, Kind] = {
    "type": Kind.STRING,
    "name": Kind.STRING,
    "cniVersion": Kind.STRING,
    "ipam": Kind.STRUCT,
}
_LIST: Mapping[str, Kind] = {"plugins": Kind.RAW}


class Plugin(msgspec.Struct, frozen=True, gc=False):
    """One plugin; `path` leads to it inside `spec.config`, `raw` is all that it is told."""

    type: str
    path: Path = ()
    raw: Object = Object()

    def value(self, key: str) -> Value:
        """Give what a string or a bool of the plugin's own holds; None where it is not given."""
        return fields_of(self.raw, {key: Kind.STRING}).value(key)

    @property
    def ipam(self) -> Object:
        """What its IPAM plugin is told; empty where it has none."""
        return fields_of(self.raw, _PLUGIN).object("ipam")

    @property
    def ipam_type(self) -> str:
        """`whereabouts`, `host-local`, ...; empty where it has none."""
        return fields_of(self.ipam, _PLUGIN).text("type")


class CniConfig(msgspec.Struct, frozen=True, gc=False):
    """A configuration that Multus can load; `name` is filled from the network where empty."""

    plugins: tuple[Plugin, ...]
    name: str = ""
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

    That file is the one in /etc/cni/multus/net.d whose name key is the network's. With a `type`
    the text is one plugin, whatever else it holds; `plugins` is looked at only without.
    """
    if not text:
        return None
    try:
        tree = parse(text)
    except NotJson as error:
        return Unreadable(message=f"{_SPEC}{error}", reason=str(error), at=error.at)
    if not isinstance(tree, Object):
        kind = kind_of(tree)
        reason = f"json: cannot unmarshal {kind} into Go value of type map[string]interface {{}}"
        return Unreadable(
            message=_SPEC + reason,
            reason=reason,
            path=(),
            hint='an object: {"type": ...}',
        )
    fields = fields_of(tree, _PLUGIN)
    fault = _kind_fault(fields, ())
    if fault is not None:
        return fault
    is_list = not fields.text("type")
    plugins = _chain(tree) if is_list else (_plugin(tree, fields, ()),)
    if isinstance(plugins, Unreadable):
        return plugins
    return CniConfig(
        plugins=plugins,
        name=fields.text("name"),
        is_list=is_list,
    )


def _chain(tree: Object) -> tuple[Plugin, ...] | Unreadable:
    listed = fields_of(tree, _LIST).value("plugins")
    if not listed:
        reason = "delegate must have the 'type' or 'plugin' field"
        return Unreadable(
            message=_CHAIN + reason, reason=reason, path=(), hint='"type" names the plugin'
        )
    if not isinstance(listed, list):
        return _wrong_kind("plugins", listed, ())
    found: list[Plugin] = []
    for index, item in enumerate(listed):
        path: Path = ("plugins", index)
        if not isinstance(item, Object):
            return _wrong_kind(f"plugins[{index}]", item, path)
        fields = fields_of(item, _PLUGIN)
        fault = _kind_fault(fields, path)
        if fault is not None:
            return fault
        if not fields.text("type"):
            return _typeless(index, path)
        found.append(_plugin(item, fields, path))
    return tuple(found)


def _plugin(tree: Object, fields: Fields, path: Path) -> Plugin:
    return Plugin(type=fields.text("type"), path=path, raw=tree)


def _typeless(index: int, path: Path) -> Unreadable:
    # Multus looks at the first; libcni at each when the list runs (cni v1.3.1 libcni/conf.go).
    at, reason = (
        (_CHAIN, "a plugin delegate must have the 'type' field")
        if index == 0
        else (f"failed to parse plugin config {index}: error parsing configuration: ", _TYPELESS)
    )
    return Unreadable(message=at + reason, reason=reason, path=path, hint='"type" is missing')


def _kind_fault(fields: Fields, path: Path) -> Unreadable | None:
    for wrong in fields.misfits:
        wanted = "object" if _PLUGIN[wrong.name] is Kind.STRUCT else "string"
        return _wrong_kind(wrong.name, wrong.value, (*path, *wrong.path), wanted=wanted)
    return None


def _wrong_kind(key: str, value: Value, path: Path, *, wanted: str = "object") -> Unreadable:
    # Go names its own struct here; which one depends on the libcni that Multus was built with
    # (4.2.2, run: "Go struct field PluginConf.ipam of type types.IPAM").
    field = key.partition("[")[0]
    reason = f"json: cannot unmarshal {kind_of(value)} into Go struct field ...{field} of type ..."
    in_list = "plugins" in (field, *path[:1])
    at = f"{_CHAIN}error unmarshalling delegate conflist: " if in_list else f"{_LOAD}{_CONFIG}"
    return Unreadable(
        message=at + reason,
        reason=reason,
        path=path,
        hint=f"{key} takes {'an' if wanted == 'object' else 'a'} {wanted}",
    )
