"""One node as GPUs come through it: cards, container runtime, NVIDIA's toolkit, CDI specs."""

from functools import cached_property

from podwire.facts.node import Card, NodeFiles
from podwire.facts.objects import Node
from podwire.model.evidence import Answer, Known, Place, Unknown, derived
from podwire.model.versions import Version
from podwire.peers.cdi import (
    CONTAINERD,
    LIBRARIES,
    NEWEST,
    SPEC_DIRS,
    TOOLKIT,
    Library,
    Registry,
    library_of,
    registry,
)
from podwire.peers.nvidia_toolkit import Node as ToolkitNode
from podwire.peers.nvidia_toolkit import (
    Outcome,
    Program,
    Request,
    ToolkitConfig,
    outcome,
    read_config,
)
from podwire.peers.runtime_config import RuntimeConfig, runtime_config
from podwire.wire.gpu.as_set_up import AsSetUp

TOOLKIT_FILE = "toolkit/config.toml"
_FOLDERS = ("etc/cdi", "var/run/cdi", "run/cdi")
_RUNTIMES = ("etc/containerd/", "etc/crio/")


def _is_of_runtime(name: str) -> bool:
    return name.startswith(_RUNTIMES)


def _seen(found: Registry) -> tuple[object, ...]:
    """What a container notices of a registry: the words for what was refused are aside."""
    return found.devices, found.conflicts, tuple(found.faults)


def cards_of(files: NodeFiles | None, *, node: str) -> Answer[tuple[Card, ...]]:
    """Give the GPUs of a node."""
    if files is None:
        return Unknown(
            reason=f"the GPUs of node {node} were not listed",
            give="nvidia-smi -L",
            fact="the list of GPUs of a node",
        )
    return files.cards


class NodeGpus:
    """Worked out when first asked for; `node` and `files` are None where not in sight."""

    def __init__(
        self,
        name: str,
        *,
        node: Node | None,
        files: NodeFiles | None,
        toolkit_version: Answer[Version],
        as_set_up: AsSetUp | None = None,
    ) -> None:
        self.name = name
        self.node = node
        self.files = files
        self.toolkit_version = toolkit_version
        self._as_set_up = as_set_up
        self._outcomes: dict[tuple[object, ...], Answer[Outcome]] = {}
        self._registries: dict[tuple[tuple[str, ...], str], Registry] = {}

    @cached_property
    def cards(self) -> Answer[tuple[Card, ...]]:
        """The GPUs."""
        return cards_of(self.files, node=self.name)

    @cached_property
    def runtime(self) -> Answer[RuntimeConfig]:
        """What starts containers, by handler; as the GPU Operator sets it up where not read."""
        if self._as_set_up is not None and not self._has_runtime:
            return self._as_set_up.containers
        return self.runtime_read

    @property
    def _has_runtime(self) -> bool:
        return self.files is not None and any(map(_is_of_runtime, self.files.files))

    @cached_property
    def runtime_read(self) -> Answer[RuntimeConfig]:
        """The container runtime's own configuration: it alone says which handlers there are not."""
        if self.files is None or not self._has_runtime:
            return Unknown(
                reason=f"the container runtime's configuration on {self.name} was not read",
                give="nodes/<node>/etc/containerd/config.toml in a bundle",
                fact="the container runtime's configuration",
            )
        text = self.node.status.node_info.container_runtime_version if self.node else ""
        version: Answer[str] = Known(value=text)
        if not text:
            version = Unknown(
                reason=f"the version of the container runtime of {self.name}",
                give="kubectl get nodes -o json",
                fact="the version of the container runtime",
            )
        files = self.files
        return runtime_config(files.files, version=version, listings=files.listings)

    @cached_property
    def toolkit(self) -> Answer[ToolkitConfig]:
        """The configuration of NVIDIA's runtime."""
        file = self.files.files.get(TOOLKIT_FILE) if self.files else None
        if file is None and self._as_set_up is not None:
            return self._as_set_up.toolkit
        if file is None:
            return Unknown(
                reason=f"config.toml of the NVIDIA container toolkit on {self.name} was not read",
                give=f"nodes/<node>/{TOOLKIT_FILE} in a bundle",
                fact="the configuration of the NVIDIA container toolkit",
            )
        return Known(value=read_config(file), places=(Place(document=file.document),))

    @cached_property
    def _has_specs(self) -> bool:
        names = (*self.files.files, *(f"{f}/" for f in self.files.listings)) if self.files else ()
        return any(name.startswith(tuple(f"{f}/" for f in _FOLDERS)) for name in names)

    def registry(self, component: str, spec_dirs: tuple[str, ...]) -> Answer[Registry]:
        """The CDI specs as a program of a component loads them from its folders."""
        if self.files is None or not self._has_specs:
            if component == TOOLKIT and self._as_set_up is not None:
                return self._as_set_up.specs
            return Unknown(
                reason=f"the CDI specs of node {self.name} were not collected",
                give="ls /etc/cdi /var/run/cdi, and the files in them",
                fact="the CDI specs of a node",
            )
        version = self.toolkit_version if component == TOOLKIT else self._runtime_version
        library = library_of(component, version)
        if isinstance(library, Known):
            return Known(value=self._loaded(spec_dirs, library.value))
        every = [self._loaded(spec_dirs, each) for each in LIBRARIES.values()]
        if any(_seen(found) != _seen(every[-1]) for found in every):
            return library
        return Known(value=every[-1])

    def _loaded(self, spec_dirs: tuple[str, ...], library: Library) -> Registry:
        """The CDI specs as one version of the library loads them."""
        key = (spec_dirs, library.version)
        if key not in self._registries:
            files = self.files.files if self.files else {}
            listings = self.files.listings if self.files else {}
            self._registries[key] = registry(
                files, spec_dirs=spec_dirs, listings=listings, library=library
            )
        return self._registries[key]

    @cached_property
    def _runtime_version(self) -> Answer[Version]:
        text = self.node.status.node_info.container_runtime_version if self.node else ""
        try:
            return Known(value=Version.parse(text.partition("://")[2]))
        except ValueError:
            return Unknown(reason=f"the version of the container runtime of {self.name}")

    def outcome(
        self, request: Request, config: ToolkitConfig, *, program: Program
    ) -> Answer[Outcome]:
        """Say what NVIDIA's runtime makes of a container; those that are alike are asked once."""
        key = (program, *request.key)
        if key not in self._outcomes:
            self._outcomes[key] = outcome(
                request,
                config,
                version=self.toolkit_version,
                node=self.as_toolkit_sees(config),
                program=program,
            )
        return self._outcomes[key]

    def as_toolkit_sees(self, config: ToolkitConfig) -> ToolkitNode:
        """The node as NVIDIA's runtime finds it."""
        cards: Answer[tuple[Card, ...] | None] = derived(self.cards, lambda found: found)
        return ToolkitNode(cards=cards, registry=self.registry(TOOLKIT, config.spec_dirs))

    def images(self, image: str) -> tuple[str, ...] | None:
        """The variables of an image on the node; None where nobody read them."""
        return self.files.images.get(image) if self.files else None

    def setting(self, key: str) -> Place | None:
        """Where a setting of the toolkit stands."""
        config = self.toolkit
        return config.value.place((key,)) if isinstance(config, Known) else None

    @property
    def toolkit_places(self) -> tuple[Place, ...]:
        """Where the toolkit's configuration stands."""
        return self.toolkit.places if isinstance(self.toolkit, Known) else ()

    @property
    def accepts_mounts(self) -> bool:
        """The toolkit takes volume mounts for a request."""
        return isinstance(self.toolkit, Known) and self.toolkit.value.accept_mounts

    @property
    def runtime_places(self) -> tuple[Place, ...]:
        """The container runtime's configuration."""
        files = self.files.files if self.files else {}
        return tuple(
            Place(document=file.document) for name, file in files.items() if _is_of_runtime(name)
        )

    @property
    def cdi_place(self) -> Place | None:
        """Where it stands whether the container runtime looks CDI names up."""
        cdi = self.runtime.value.cdi if isinstance(self.runtime, Known) else None
        return cdi.value.place if isinstance(cdi, Known) else None

    @cached_property
    def specs(self) -> Registry | None:
        """The CDI specs as NVIDIA's runtime loads them; None where none were collected."""
        folders = self.toolkit.value.spec_dirs if isinstance(self.toolkit, Known) else SPEC_DIRS
        found = self.registry(TOOLKIT, folders)
        return found.value if isinstance(found, Known) else None

    def text_of(self, place: Place) -> str:
        """What stands in a file of the node."""
        files = self.files.files.values() if self.files else ()
        return next((f.text for f in files if f.document == place.document), "")

    @property
    def library_gap(self) -> Unknown | None:
        """Why it is not known which version of the CDI library reads the specs."""
        runtime = self.node.status.node_info.container_runtime_version if self.node else ""
        found = library_of(runtime.partition("://")[0], self._runtime_version)
        return None if isinstance(found, Known) else found

    @property
    def specs_of_runtime(self) -> Registry | None:
        """The CDI specs as the container runtime loads them; None where none were collected.

        Where `library_gap` says that its version is not known, as the newest would.
        """
        if not self._has_specs:
            return None
        library = library_of(CONTAINERD, self._runtime_version)
        return self._loaded(SPEC_DIRS, library.value if isinstance(library, Known) else NEWEST)

    @property
    def mode_gap(self) -> Unknown | None:
        """Why the mode of NVIDIA's runtime is not known; None where it is, or does not differ."""
        config = self.toolkit
        if isinstance(config, Unknown):
            return config
        if "mode" in config.value.written or isinstance(self.toolkit_version, Known):
            return None
        return Unknown(
            reason=f"the mode of NVIDIA's runtime on {self.name}: its config.toml names none, and "
            "what auto means differs by version",
            give="--assume nvidia-container-toolkit=VERSION",
            fact="the mode of NVIDIA's runtime",
        )
