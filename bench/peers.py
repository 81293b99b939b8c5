"""Programs that podwire is measured beside."""

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from bench.cache import made
from bench.manifests import DOCUMENTS
from bench.process import Program

_MODULE = "github.com/yannh/kubeconform/cmd/kubeconform"
_VERSION = "v0.8.0"
_KUBERNETES = "v1.37.0-local"
_KINDS = ("configmap-v1", "pod-v1")
_SHARED = "/api/_definitions.json#/$defs/"


class MissingError(Exception):
    """What has to be installed for a peer to be there."""


def kubectl() -> Program:
    """Give kubectl's help."""
    found = shutil.which("kubectl")
    if found is None:
        raise MissingError("kubectl is not installed")
    return Program(name="kubectl", command=(found, "--help"), is_sound=bool)


def kubeconform(folder: Path, *, cache: Path, talk: Callable[[str], None]) -> Program:
    """Give kubeconform on a folder of manifests, built and with schemas at first."""
    binary = made(cache / f"kubeconform-{_VERSION}", _build, talk=talk) / "kubeconform"
    schemas = made(cache / f"schemas-{_KUBERNETES}", _write_schemas, talk=talk)
    template = schemas / "{{.ResourceKind}}{{.KindSuffix}}.json"
    options = ("-strict", "-summary", "-output", "json", "-schema-location", str(template))
    return Program(
        name=f"kubeconform {_VERSION}",
        command=(str(binary), *options, str(folder)),
        is_sound=_found_all_valid,
    )


def _found_all_valid(output: str) -> bool:
    """Skipping is cheap: a resource that it skipped would make the figure worth nothing."""
    summary: dict[str, int] = json.loads(output)["summary"]
    return summary == {"valid": DOCUMENTS, "invalid": 0, "errors": 0, "skipped": 0}


def _build(folder: Path) -> None:
    go = shutil.which("go")
    if go is None:
        raise MissingError("Go is not installed: kubeconform is built from its module")
    built = subprocess.run(  # noqa: S603 - the command stands here
        (go, "install", f"{_MODULE}@{_VERSION}"),
        env={**os.environ, "GOBIN": str(folder)},
        capture_output=True,
        check=False,
        text=True,
    )
    if built.returncode:
        raise MissingError(f"kubeconform {_VERSION} was not built: {built.stderr.strip()[-500:]}")


def _write_schemas(folder: Path) -> None:
    """Make the schemas stand alone: they refer to a file at a path that is nowhere."""
    spec = find_spec("kubernetes_validate")
    if spec is None or spec.origin is None:
        raise MissingError("the Python package kubernetes-validate is not installed")
    source = Path(spec.origin).parent / "kubernetes-json-schema" / f"{_KUBERNETES}-strict"
    definitions = json.loads((source / "_definitions.json").read_text())["$defs"]
    for kind in _KINDS:
        schema = json.loads((source / f"{kind}.json").read_text().replace(_SHARED, "#/$defs/"))
        schema.pop("$id", None)
        schema["$defs"] = {name: definitions[name] for name in _reached(schema, definitions)}
        (folder / f"{kind}.json").write_text(json.dumps(schema))


def _reached(schema: dict[str, Any], definitions: dict[str, Any]) -> set[str]:
    found: set[str] = set()
    waiting: list[Any] = [schema]
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict):
            name = str(node.get("$ref", "")).removeprefix("#/$defs/")
            if name in definitions and name not in found:
                found.add(name)
                waiting.append(definitions[name])
            waiting.extend(node.values())
        elif isinstance(node, list):
            waiting.extend(node)
    return found
