"""Hold podwire's model of containerd's configuration against containerd's own reading."""

from podwire.facts.node import TextFile
from podwire.model.evidence import Answer, Document, Known, Origin, Unknown
from podwire.peers.runtime_config import RuntimeConfig, runtime_config
from tests.oracle.runtime_config.cases import Case
from tests.oracle.runtime_config.containerd import VERSION


def config_of(case: Case, *, version: str) -> Answer[RuntimeConfig]:
    files = {
        name: TextFile(
            document=Document(name=f"nodes/n/{name}", origin=Origin.NODE, owner="n"), text=text
        )
        for name, text in case["files"].items()
    }
    return runtime_config(files, version=Known(value=f"containerd://{version}"))


def differences(case: Case, answer: Case, *, version: str = VERSION) -> list[str]:
    """List where the model and containerd differ."""
    config = config_of(case, version=version)
    if isinstance(config, Unknown) or not answer:
        return [] if isinstance(config, Unknown) and not answer else [f"{config}, {answer}"]
    ours = _written(config.value)
    return [
        f"{key}: {ours[key]}, containerd {answer[key]}" for key in ours if ours[key] != answer[key]
    ]


def _written(config: RuntimeConfig) -> Case:
    cdi = config.cdi.need().value
    return {
        "default": config.default_name,
        "spec_dirs": list(cdi.spec_dirs),
        "cdi": cdi.is_on,
        "runtimes": {
            name: {
                "binary": handler.binary,
                "runtime_type": handler.runtime_type,
                "pod_annotations": list(handler.pod_annotations),
                "container_annotations": list(handler.container_annotations),
                "privileged_without_host_devices": handler.privileged_without_host_devices,
            }
            for name, handler in config.handlers.items()
        },
    }
