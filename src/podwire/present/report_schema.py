"""The JSON schemas that podwire publishes: of its report, and of the spec that it reads."""

from typing import Any

import msgspec

from podwire.present.report_document import ReportDocument
from podwire.spec.wiring import Wiring

_DRAFT = "https://json-schema.org/draft/2020-12/schema"
_OWN = "podwire.io/"  # keys that a reader adds; no file has them


def report_schema() -> dict[str, Any]:
    """Describe the JSON report: every key of it is there."""
    schema = _schema(ReportDocument, title="podwire report")
    version = schema["$defs"]["ReportDocument"]
    version["required"] = ["schemaVersion", *version["required"]]
    return schema


def spec_schema() -> dict[str, Any]:
    """Describe `kind: Wiring`."""
    schema = _schema(Wiring, title="podwire spec")
    for part in schema["$defs"].values():
        for key in [key for key in part.get("properties", {}) if key.startswith(_OWN)]:
            del part["properties"][key]
    del schema["$defs"]["Document"]
    return schema


def _schema(record: type, *, title: str) -> dict[str, Any]:
    (main,), parts = msgspec.json.schema_components([record], ref_template="#/$defs/{name}")
    return {"$schema": _DRAFT, "title": title, **main, "$defs": dict(sorted(parts.items()))}
