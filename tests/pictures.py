"""Pictures from manifests and Lists as text: what tests of the wire need."""

import json
from collections.abc import Mapping
from typing import Any

import yaml

from podwire.collect.collecting import collect
from podwire.collect.given import Input
from podwire.model.versions import Version
from podwire.wire.picture import Picture
from tests.fakes.hostfs import FakeHostFs


def picture(
    manifests: str = "",
    *,
    cluster: Mapping[str, list[dict[str, Any]]] | None = None,
    files: Mapping[str, str] | None = None,
    assume: Mapping[str, str] | None = None,
) -> Picture:
    """Collect a bundle.

    Args:
        manifests: YAML documents as a user would apply them.
        cluster: items by plural, complete for the cluster.
        files: other files of the bundle, by path.
        assume: versions by component, as `--assume` gives them.
    """
    tree = dict(files or {})
    if manifests:
        tree["manifests/all.yaml"] = manifests
    for plural, items in (cluster or {}).items():
        tree[f"cluster/{plural}.json"] = json.dumps({"kind": "List", "items": items})
    tree.setdefault("bundle.json", "{}")
    fs = FakeHostFs(tree)
    versions = {name: Version.parse(text) for name, text in (assume or {}).items()}
    facts = collect((Input(typed="bundle", files=fs),), assumed_versions=versions)
    assert [fault.message for fault in facts.faults] == []
    return Picture(facts)


def items(text: str) -> list[dict[str, Any]]:
    """Read YAML documents as items of a List."""
    return [document for document in yaml.safe_load_all(text) if document]
