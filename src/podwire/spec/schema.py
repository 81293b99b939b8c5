"""The JSON schema of the spec, from the records that read it."""

from typing import Any

import msgspec

from podwire.spec.wiring import API_VERSION, KIND, Wiring

_OURS = "podwire.io/"


def schema() -> dict[str, Any]:
    """Give the schema (JSON Schema 2020-12) of `kind: Wiring`."""
    made = msgspec.json.schema(Wiring)
    whole = made["$defs"]["Wiring"]
    whole["properties"] = {
        name: value for name, value in whole["properties"].items() if not name.startswith(_OURS)
    }
    whole["properties"]["apiVersion"] = {"const": API_VERSION}
    whole["properties"]["kind"] = {"const": KIND}
    whole["required"] = ["apiVersion", "kind"]
    made["$defs"] = {
        name: _cleaned(value) for name, value in made["$defs"].items() if name != "Document"
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"{KIND} ({API_VERSION})",
        **made,
    }


def _cleaned(definition: dict[str, Any]) -> dict[str, Any]:
    """Let every value be null, as the reader does, and drop words about the code."""
    properties = definition.get("properties", {})
    definition["properties"] = {
        name: value if "const" in value else _or_null(value) for name, value in properties.items()
    }
    return definition


def _or_null(value: dict[str, Any]) -> dict[str, Any]:
    default = {"default": value["default"]} if "default" in value else {}
    plain = {key: item for key, item in value.items() if key != "default"}
    return {"anyOf": [plain, {"type": "null"}], **default}
