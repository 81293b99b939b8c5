"""What containerd and CRI-O are configured to run, from the files that were collected."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podwire.facts.node import TextFile
from podwire.model.evidence import Answer, Document, Known, Origin, Unknown
from podwire.peers.runtime_config import Cdi, Handler, RuntimeConfig, runtime_config

TOOLKIT = "/usr/local/nvidia/toolkit/nvidia-container-runtime"
VERSION_2 = f"""\
version = 2
[plugins."io.containerd.grpc.v1.cri".containerd]
  default_runtime_name = "nvidia"
[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.nvidia]
  runtime_type = "io.containerd.runc.v2"
  privileged_without_host_devices = false
  container_annotations = ["cdi.k8s.io/*"]
  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.nvidia.options]
    BinaryName = "{TOOLKIT}"
[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
  runtime_type = "io.containerd.runc.v2"
"""
VERSION_3 = VERSION_2.replace("version = 2", "version = 3").replace(
    "io.containerd.grpc.v1.cri", "io.containerd.cri.v1.runtime"
)
MAIN = "etc/containerd/config.toml"
DROP_IN = "etc/containerd/conf.d/99-nvidia.toml"
SECTION_2 = '[plugins."io.containerd.grpc.v1.cri"]'
CRIO = """\
[crio.runtime]
default_runtime = "crun"
[crio.runtime.runtimes.crun]
runtime_path = "/usr/libexec/crio/crun"
[crio.runtime.runtimes.nvidia]
runtime_path = "/usr/bin/nvidia-container-runtime"
runtime_type = "oci"
"""


def read(
    texts: dict[str, str],
    version: str | None = "containerd://2.4.2",
    listings: dict[str, tuple[str, ...]] | None = None,
) -> Answer[RuntimeConfig]:
    files = {
        name: TextFile(
            document=Document(name=f"nodes/n/{name}", origin=Origin.NODE, owner="n"), text=text
        )
        for name, text in texts.items()
    }
    known: Answer[str] = Unknown(reason="no Node") if version is None else Known(value=version)
    return runtime_config(files, version=known, listings=listings)


def config(texts: dict[str, str], version: str | None = "containerd://2.4.2") -> RuntimeConfig:
    return read(texts, version).need().value


def cdi(texts: dict[str, str], version: str) -> Cdi:
    return config(texts, version).cdi.need().value


@pytest.mark.parametrize("text", [VERSION_2, VERSION_3])
def test_a_handler_runs_the_program_that_its_options_name(text: str) -> None:
    found = config({MAIN: text})
    nvidia = found.handler("nvidia")
    assert nvidia is not None
    assert (nvidia.binary, nvidia.is_nvidia, nvidia.forced_mode) == (TOOLKIT, True, "")
    assert found.default == nvidia
    assert found.handler("") == nvidia
    assert found.handler("kata") is None
    runc = found.handler("runc")
    assert runc is not None
    assert not runc.is_nvidia


def test_a_handler_stands_where_its_table_does() -> None:
    found = config({MAIN: VERSION_3}).handler("nvidia")
    assert found is not None
    assert found.place is not None
    assert found.place.path[-2:] == ("runtimes", "nvidia")


@pytest.mark.parametrize(
    ("binary", "is_nvidia", "mode"),
    [
        (f"{TOOLKIT}.cdi", True, "cdi"),
        ("nvidia-container-runtime.legacy", True, "legacy"),
        (f"{TOOLKIT}.real", True, ""),
        ("/usr/bin/runc", False, ""),
        ("", False, ""),
    ],
)
def test_the_program_s_name_tells_whose_it_is_and_its_mode(
    binary: str, mode: str, *, is_nvidia: bool
) -> None:
    handler = Handler(name="x", binary=binary)
    assert (handler.is_nvidia, handler.forced_mode) == (is_nvidia, mode)


def test_patterns_of_annotations_stop_at_a_slash() -> None:
    handler = Handler(name="x", pod_annotations=("cdi.k8s.io/*",), container_annotations=("*",))
    assert handler.passes("cdi.k8s.io/plugin_gpu0")
    assert not handler.passes("cdi.k8s.io/a/b")
    assert not handler.passes("nvidia.cdi.k8s.io/a")
    assert not handler.passes_of_container("cdi.k8s.io/a")


def test_without_a_section_there_is_runc() -> None:
    found = config({MAIN: "version = 3\n"})
    assert found.default == Handler(name="runc", runtime_type="io.containerd.runc.v2")


def test_a_named_default_that_is_not_configured_is_none() -> None:
    text = '[plugins."io.containerd.cri.v1.runtime".containerd]\ndefault_runtime_name = "nvidia"'
    assert config({MAIN: f"version = 3\n{text}"}).default is None


@pytest.mark.parametrize(
    ("version", "setting", "is_on", "refuses"),
    [
        ("1.6.36", "true", False, False),
        ("1.7.28", "", False, False),
        ("1.7.28", "true", True, False),
        ("2.0.0", "", True, False),
        ("2.2.7", "false", False, False),
        ("2.3.0", "", True, False),
        ("2.3.0", "false", False, True),
        ("2.4.2", "false", True, False),
    ],
)
def test_cdi_is_on_by_version_and_setting(
    version: str, setting: str, *, is_on: bool, refuses: bool
) -> None:
    line = f"enable_cdi = {setting}\n" if setting else ""
    found = cdi({MAIN: f"version = 2\n{SECTION_2}\n{line}"}, f"containerd://{version}")
    assert (found.is_on, found.refuses) == (is_on, refuses)


def test_the_sentence_for_a_device_while_cdi_is_off_is_that_of_2_3() -> None:
    text = f"version = 2\n{SECTION_2}\nenable_cdi = false\n"
    names = ("nvidia.com/gpu=0", "nvidia.com/gpu=1")
    assert cdi({MAIN: text}, "containerd://2.3.0").refusal(names) == (
        "CDI devices (nvidia.com/gpu=0, nvidia.com/gpu=1) requested but CDI support is "
        "explicitly disabled"
    )
    assert cdi({MAIN: text}, "containerd://2.2.0").refusal(names) == ""


def test_folders_of_specs_are_those_configured() -> None:
    text = f'version = 2\n{SECTION_2}\ncdi_spec_dirs = ["/opt/cdi"]\n'
    found = cdi({MAIN: text}, "containerd://2.4.2")
    assert found.spec_dirs == ("/opt/cdi",)
    assert found.place is not None
    assert found.place.path[-1] == "cdi_spec_dirs"


def test_an_import_is_laid_over_the_main_file() -> None:
    texts = {
        MAIN: f'imports = ["/etc/containerd/conf.d/*.toml"]\n{VERSION_3}',
        DROP_IN: VERSION_3.replace(TOOLKIT, f"{TOOLKIT}.cdi").replace(
            'default_runtime_name = "nvidia"', ""
        ),
    }
    found = config(texts)
    assert found.default is not None
    assert found.default.binary == f"{TOOLKIT}.cdi"
    assert found.default.place is not None
    assert found.default.place.document.name == f"nodes/n/{DROP_IN}"


def test_before_2_0_an_import_replaces_the_section_whole() -> None:
    above = '[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.kata]'
    texts = {
        MAIN: f'imports = ["conf.d/*.toml"]\n{VERSION_2}',
        DROP_IN: f'version = 2\n{above}\nruntime_type = "io.containerd.kata.v2"\n',
    }
    assert list(config(texts, "containerd://1.7.28").handlers) == ["kata"]
    assert list(config(texts, "containerd://2.1.0").handlers) == ["kata", "nvidia", "runc"]


def test_a_file_without_a_version_is_of_version_1() -> None:
    text = '[plugins.cri.containerd.runtimes.nvidia.options]\nBinaryName = "x"\n'
    assert "nvidia" in config({MAIN: text}, "containerd://1.7.28").handlers
    assert "nvidia" in config({MAIN: text}, "containerd://2.4.2").handlers


def test_the_section_of_a_file_of_version_1_is_lost_in_2_0_to_2_2() -> None:
    text = '[plugins.cri.containerd.runtimes.nvidia.options]\nBinaryName = "x"\n'
    assert "nvidia" not in config({MAIN: f"version = 1\n{text}"}, "containerd://2.2.7").handlers
    texts = {MAIN: f'imports = ["conf.d/*"]\n{text}', DROP_IN: "version = 2\n"}
    assert "nvidia" in config(texts, "containerd://2.2.7").handlers


@pytest.mark.parametrize(
    ("version", "starts"), [("2.2.7", True), ("2.3.0", False), ("2.4.0", True)]
)
def test_2_3_does_not_start_with_a_drop_in_newer_than_the_main_file(
    version: str, *, starts: bool
) -> None:
    texts = {MAIN: f'imports = ["conf.d/*.toml"]\n{VERSION_2}', DROP_IN: "version = 3\n"}
    found = read(texts, f"containerd://{version}")
    assert isinstance(found, Known) is starts
    if isinstance(found, Unknown):
        assert found.reason == (
            f"drop-in config version 3 (nodes/n/{DROP_IN}) higher than root config version 2"
        )


def test_before_2_0_a_file_of_version_2_has_no_short_names_of_plugins() -> None:
    found = read({MAIN: f"{VERSION_2}[plugins.cri]\n"}, "containerd://1.7.28")
    assert isinstance(found, Unknown)
    assert found.reason == 'invalid plugin key URI "cri" expect io.containerd.x.vx'
    assert isinstance(read({MAIN: f"{VERSION_2}[plugins.cri]\n"}), Known)


def test_the_old_section_in_a_file_of_version_3_counts_since_2_3_only() -> None:
    text = VERSION_2.replace("version = 2", "version = 3")
    assert "nvidia" not in config({MAIN: text}, "containerd://2.2.0").handlers
    assert "nvidia" in config({MAIN: text}, "containerd://2.3.0").handlers


def test_a_default_runtime_of_its_own_counts_before_2_0() -> None:
    text = (
        'version = 2\n[plugins."io.containerd.grpc.v1.cri".containerd.default_runtime]\n'
        'runtime_type = "io.containerd.runc.v2"\noptions = {BinaryName = "/opt/x"}\n'
    )
    default = config({MAIN: text}, "containerd://1.7.28").default
    assert default is not None
    assert default.binary == "/opt/x"


def test_an_import_that_was_not_collected_leaves_it_open() -> None:
    found = read({MAIN: f'imports = ["more.toml"]\n{VERSION_3}'})
    assert isinstance(found, Unknown)
    assert found.reason == "/etc/containerd/more.toml of node n was not collected"


def test_a_drop_in_that_is_listed_and_was_not_collected_leaves_it_open() -> None:
    texts = {MAIN: f'imports = ["conf.d/*.toml"]\n{VERSION_3}'}
    found = read(texts, listings={"etc/containerd/conf.d": ("99-nvidia.toml", "README")})
    assert isinstance(found, Unknown)
    assert found.reason == "/etc/containerd/conf.d/99-nvidia.toml of node n was not collected"
    empty = read(texts, listings={"etc/containerd/conf.d": ()})
    assert isinstance(empty, Known)
    assert empty.assumes == ()


def test_of_drop_ins_that_nobody_listed_it_is_assumed_that_there_are_none() -> None:
    found = read({MAIN: f'imports = ["conf.d/*.toml"]\n{VERSION_3}'})
    assert isinstance(found, Known)
    assert found.assumes == (
        "nothing of node n matches /etc/containerd/conf.d/*.toml beside what was collected",
    )


@pytest.mark.parametrize(
    ("text", "version", "reason"),
    [
        (
            "version = [",
            "2.4.2",
            f"/{MAIN} of node n cannot be read: expected a value here (line 1)",
        ),
        (
            VERSION_3,
            "1.7.28",
            f"nodes/n/{MAIN} has version 3, and this containerd starts with 2 at most",
        ),
        (VERSION_3, "2.9.0", "containerd 2.9.0 is newer than 2.4.2, the newest podwire knows"),
    ],
)
def test_what_cannot_be_read_is_unknown(text: str, version: str, reason: str) -> None:
    found = read({MAIN: text}, f"containerd://{version}")
    assert isinstance(found, Unknown)
    assert found.reason == reason


def test_without_a_version_only_cdi_may_be_open() -> None:
    found = config({MAIN: VERSION_2}, None)
    assert found.default_name == "nvidia"
    assert isinstance(found.cdi, Unknown)
    assert found.cdi.reason == "whether containerd does CDI depends on its version"
    third = config({MAIN: VERSION_3}, None)  # No containerd before 2.0 starts with it.
    assert third.cdi == Known(value=Cdi(is_on=True))


def test_a_version_that_is_no_number_is_unknown_and_what_all_agree_on_is_not() -> None:
    assert config({MAIN: VERSION_3}, "containerd://latest").default_name == "nvidia"


def test_without_a_version_runtimes_that_depend_on_it_are_unknown() -> None:
    text = VERSION_2.replace("version = 2", "version = 3")
    found = read({MAIN: text}, None)
    assert isinstance(found, Unknown)
    assert found.reason == "which runtimes containerd has depends on its version"


def test_crio_s_drop_ins_are_read_in_order_and_replace_a_handler_whole() -> None:
    texts = {
        "etc/crio/crio.conf": CRIO,
        "etc/crio/crio.conf.d/99-nvidia": (
            '[crio.runtime]\ndefault_runtime = "nvidia"\ncdi_spec_dirs = ["/opt/cdi"]\n'
            '[crio.runtime.runtimes.nvidia]\nallowed_annotations = ["cdi.k8s.io/*"]\n'
        ),
    }
    found = config(texts, "cri-o://1.33.0")
    assert found.default is not None
    assert found.default.binary == "nvidia"  # looked up in $PATH
    assert found.default.passes("cdi.k8s.io/x")
    assert found.cdi.need().value.spec_dirs == ("/opt/cdi",)
    assert found.default_place is not None


def test_crio_does_cdi_without_being_asked() -> None:
    found = config({"etc/crio/crio.conf.d/10-crio.conf": CRIO}, None)
    assert found.runtime == "cri-o"
    assert found.cdi == Known(value=Cdi(is_on=True))
    nvidia = found.handler("nvidia")
    assert nvidia is not None
    assert nvidia.is_nvidia
    assert found.default_name == "crun"


def test_a_handler_of_crio_may_inherit_the_default_s_program() -> None:
    text = CRIO + "[crio.runtime.runtimes.high]\ninherit_default_runtime = true\n"
    handler = config({"etc/crio/crio.conf": text}, "cri-o://1.33.0").handler("high")
    assert handler is not None
    assert handler.binary == "/usr/libexec/crio/crun"


def test_without_any_file_crio_s_configuration_is_unknown() -> None:
    found = read({}, "cri-o://1.33.0")
    assert isinstance(found, Unknown)
    assert found.reason == "/etc/crio/crio.conf and /etc/crio/crio.conf.d were not collected"


def test_a_main_file_of_crio_that_nobody_looked_for_is_assumed_not_to_be_there() -> None:
    texts = {"etc/crio/crio.conf.d/10-crio.conf": CRIO}
    found = read(texts, "cri-o://1.33.0")
    assert isinstance(found, Known)
    assert found.assumes == (
        "there is no /etc/crio/crio.conf of node n",
        "/etc/crio/crio.conf.d of node n has no file beside those collected",
    )
    listings: dict[str, tuple[str, ...]] = {
        "etc/crio": ("crio.conf.d",),
        "etc/crio/crio.conf.d": ("10-crio.conf",),
    }
    listed = read(texts, "cri-o://1.33.0", listings)
    assert isinstance(listed, Known)
    assert listed.assumes == ()


def test_crio_s_file_that_cannot_be_read_is_unknown() -> None:
    found = read({"etc/crio/crio.conf": "[crio"}, "cri-o://1.33.0")
    assert isinstance(found, Unknown)


@pytest.mark.parametrize("version", [None, "docker://27.0"])
def test_a_runtime_without_files_or_without_a_model_is_unknown(version: str | None) -> None:
    assert isinstance(read({}, version), Unknown)


def test_without_the_main_file_containerd_s_configuration_is_unknown() -> None:
    found = read({DROP_IN: VERSION_3})
    assert isinstance(found, Unknown)
    assert found.give == f"cat /{MAIN}"


PIECES = (
    "version = 3\n",
    'imports = ["*.toml"]\n',
    "[plugins]\n",
    '[plugins."io.containerd.cri.v1.runtime"',
    ".containerd]\n",
    ".runtimes.x]\n",
    'default_runtime_name = "x"\n',
    "options = 5\n",
    "[[plugins]]\n",
    "cdi_spec_dirs = [1]\n",
    "enable_cdi = 1\n",
    "plugins = {}\n",
    "imports = 1\n",
    "runtimes = []\n",
    "[",
    "=",
)


@given(
    st.lists(st.sampled_from(PIECES)),
    st.sampled_from([None, "containerd://1.7.28", "containerd://2.4.2", "cri-o://1.33.0", "x"]),
)
def test_no_text_makes_it_raise(pieces: list[str], version: str | None) -> None:
    text = "".join(pieces)
    found = read({MAIN: text, "etc/crio/crio.conf": text}, version)
    assert isinstance(found, Known | Unknown)
