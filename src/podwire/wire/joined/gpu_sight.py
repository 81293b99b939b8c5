"""Whether anything in sight is about GPUs beside requests for them: else that half is not read."""

from podwire.facts.inventory import Inventory
from podwire.facts.node import NodeFiles
from podwire.facts.workloads import PodView
from podwire.model.evidence import Known
from podwire.wire.joined.images import GPU_PROGRAMS
from podwire.wire.joined.program_index import ProgramIndex

_FILES = ("toolkit/", "var/run/cdi/", "etc/cdi/")
_ON_NODES = ("nvidia.com/", "hami.io/")
# Keys by one of which a configuration of NVIDIA's plugin is told before anybody parses it.
CONFIG_MARKS = ("timeSlicing", "mps:", "deviceListStrategy", "migStrategy")
_WEBHOOK = "hami"
_VARIABLE = "NVIDIA_VISIBLE_DEVICES"


def has_gpus(facts: Inventory, *, programs: ProgramIndex, views: tuple[PodView, ...]) -> bool:
    """Look at what is cheap first; nothing of it is a verdict."""
    return (
        bool(facts.cluster_policies.items)
        or any(node.gpus.reserve_for_host for wiring in facts.wirings for node in wiring.nodes)
        or any(_WEBHOOK in w.name for c in facts.webhooks.items for w in c.webhooks)
        or any(map(_has_files, facts.node_files.values()))
        or any(map(programs.seen, GPU_PROGRAMS))
        or any(_is_marked(node.metadata.labels) for node in facts.nodes.items)
        or any(_is_marked(node.metadata.annotations) for node in facts.nodes.items)
        or any(map(_is_about_runtime, views))
        or any(
            m in text
            for c in facts.config_maps.items
            for text in c.data.values()
            for m in CONFIG_MARKS
        )
    )


def _has_files(files: NodeFiles) -> bool:
    return isinstance(files.cards, Known) or any(name.startswith(_FILES) for name in files.files)


def _is_marked(keys: dict[str, str]) -> bool:
    return any(key.startswith(_ON_NODES) for key in keys)


def _is_about_runtime(view: PodView) -> bool:
    """Whether a pod names a runtime class, or asks the NVIDIA runtime for GPUs itself."""
    return bool(view.spec.runtime_class_name) or any(
        variable.name == _VARIABLE
        for container in (*view.spec.containers, *view.spec.init_containers)
        for variable in container.env
    )
