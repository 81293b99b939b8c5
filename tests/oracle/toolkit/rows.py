"""Rows: a configuration of the toolkit, a node, and a container that asks.

A hand-written part has what is known to be odd, a generated one mixes everything; the same
seed gives the same rows.
"""

import json
import random
from collections.abc import Iterator
from typing import Any

from tests.oracle.toolkit.asking import ANNOTATIONS, EXTRAS, MODES, MOUNTED, VALUES
from tests.oracle.toolkit.programs import FORCED, PLAIN
from tests.oracle.toolkit.running import FOLDER, Row
from tests.oracle.toolkit.specs import MANAGEMENT, NVIDIA, PLUGIN, SPECS

VISIBLE = "NVIDIA_VISIBLE_DEVICES"
FOLDER_OF_MOUNTS = "/var/run/nvidia-container-devices"
PRIVILEGED = ("CAP_CHOWN", "CAP_SYS_ADMIN")
PLAIN_CAPABILITIES = ("CAP_CHOWN",)


def config(
    *,
    mode: str = "auto",
    kind: str | None = None,
    top: dict[str, Any] | None = None,
    cdi: dict[str, Any] | None = None,
    more: str = "",
) -> str:
    """Write a config.toml with what a run needs, and what a row wants."""
    chosen = {"spec-dirs": [f"{FOLDER}/cdi", f"{FOLDER}/run"], **(cdi or {})}
    if kind is not None:
        chosen["default-kind"] = kind
    lines = [
        *(f"{key} = {json.dumps(value)}" for key, value in (top or {}).items()),
        "[nvidia-container-cli]",
        f'root = "{FOLDER}/driver"',
        f'path = "{FOLDER}/cli"',
        "[nvidia-container-runtime]",
        f'debug = "{FOLDER}/log"',
        f'runtimes = ["{FOLDER}/runc"]',
        f'mode = "{mode}"',
        "[nvidia-container-runtime.modes.cdi]",
        *(f"{key} = {json.dumps(value)}" for key, value in chosen.items()),
        more,
    ]
    return "\n".join(lines) + "\n"


def row(
    *,
    config: str,
    env: tuple[str, ...] = (),
    specs: str = "none",
    capabilities: tuple[str, ...] = PLAIN_CAPABILITIES,
    mounts: tuple[tuple[str, str], ...] = (),
    annotations: dict[str, str] | None = None,
    gpus: int | None = 2,
    program: str = PLAIN,
) -> Row:
    return {
        "config": config,
        "env": list(env),
        "specs": specs,
        "capabilities": list(capabilities),
        "mounts": [list(pair) for pair in mounts],
        "annotations": annotations or {},
        "gpus": gpus,
        "program": program,
    }


def mount(name: str, source: str = "/dev/null") -> tuple[str, str]:
    return source, f"{FOLDER_OF_MOUNTS}/{name}" if name else FOLDER_OF_MOUNTS


def rows(seed: int, count: int) -> Iterator[Row]:
    """Give the odd rows, then generated ones up to `count`."""
    written = list(_odd())
    yield from written[:count]
    choose = random.Random(seed)  # noqa: S311 - test data
    for _ in range(count - len(written)):
        yield _generated(choose)


def _generated(choose: random.Random) -> Row:
    top: dict[str, Any] = {}
    if choose.random() < 0.3:
        top["accept-nvidia-visible-devices-envvar-when-unprivileged"] = choose.random() < 0.2
    if choose.random() < 0.35:
        top["accept-nvidia-visible-devices-as-volume-mounts"] = choose.random() < 0.8
    if choose.random() < 0.15:
        top["swarm-resource"] = "DOCKER_RESOURCE_GPU, OTHER"
    if choose.random() < 0.08:
        top["supported-driver-capabilities"] = choose.choice(("compute,utility", "all", "foo"))
    if choose.random() < 0.08:
        top["disable-require"] = True
    cdi = {"annotation-prefixes": ["example.com/"]} if choose.random() < 0.1 else {}
    features = "[features]\nignore-imex-channel-requests = true"
    value = choose.choice(VALUES)
    env = () if value is None else (f"{VISIBLE}={value}",)
    if choose.random() < 0.1:
        env = (*env, f"{VISIBLE}={choose.choice(('1', 'void', 'all'))}")
    extra = choose.choice(EXTRAS) if choose.random() < 0.35 else ()
    listed = choose.sample(MOUNTED, choose.randint(1, 2)) if choose.random() < 0.3 else []
    return row(
        config=config(
            mode=choose.choice(MODES),
            kind=choose.choice((None, None, MANAGEMENT, PLUGIN)),
            top=top,
            cdi=cdi,
            more=features if choose.random() < 0.05 else "",
        ),
        env=(*env, *extra),
        specs=choose.choice(tuple(SPECS)),
        capabilities=PRIVILEGED if choose.random() < 0.25 else PLAIN_CAPABILITIES,
        mounts=tuple(mount(name) for name in listed),
        annotations=choose.choice(ANNOTATIONS) if choose.random() < 0.3 else {},
        gpus=None if choose.random() < 0.05 else choose.choice((1, 2, 8)),
        program=choose.choice(FORCED) if choose.random() < 0.06 else PLAIN,
    )


def _odd() -> Iterator[Row]:
    yield from _odd_values()
    yield from _odd_ways()
    yield from _odd_variables()
    yield from _odd_programs()
    yield from _odd_settings()


def _odd_values() -> Iterator[Row]:
    setups = [(config(mode=mode), "all kinds") for mode in ("auto", "cdi", "legacy", "jit-cdi")]
    setups.append((config(mode="cdi", kind=MANAGEMENT), "management"))
    for text, specs in setups:
        for value in VALUES:
            env = () if value is None else (f"{VISIBLE}={value}",)
            yield row(config=text, env=env, specs=specs)


def _odd_ways() -> Iterator[Row]:
    asked = (f"{VISIBLE}=1",)
    top = {"accept-nvidia-visible-devices-as-volume-mounts": True}
    for mode in ("auto", "cdi", "legacy"):
        text = config(mode=mode, top=top)
        for name in MOUNTED:
            yield row(config=text, env=asked, mounts=(mount(name),), specs="by index")
    for mode in ("auto", "cdi", "jit-cdi"):
        text = config(mode=mode)
        for annotations in ANNOTATIONS:
            yield row(config=text, env=asked, annotations=annotations, specs="by index")


def _odd_variables() -> Iterator[Row]:
    top = {"swarm-resource": "DOCKER_RESOURCE_GPU, OTHER"}
    setups = [
        (config(mode=mode, top=top), capabilities)
        for mode in ("auto", "legacy")
        for capabilities in (PLAIN_CAPABILITIES, PRIVILEGED)
    ]
    for extra in EXTRAS:
        env = (f"{VISIBLE}=0", *extra)
        yield row(config=config(), env=extra)
        for text, capabilities in setups:
            yield row(config=text, env=env, capabilities=capabilities)


def _odd_programs() -> Iterator[Row]:
    for program in FORCED:
        for mode in ("auto", "cdi", "legacy", "jit-cdi"):
            for value in ("0", "runtime.nvidia.com/gpu=0"):
                env = (f"{VISIBLE}={value}",)
                yield row(config=config(mode=mode), env=env, program=program)
    skipping = "[nvidia-container-runtime-hook]\nskip-mode-detection = true"
    text = config(mode="cdi", more=skipping)
    yield row(config=text, env=(f"{VISIBLE}=0",), program=FORCED[1])


def _odd_settings() -> Iterator[Row]:
    asked = (f"{VISIBLE}=0",)
    plain = config()
    for mode in ("", "foo", "CDI", "csv"):
        yield row(config=config(mode=mode), env=asked if mode != "csv" else ())
    for text in (
        "mode = [\n",
        "[nvidia-container-runtime\n",
        plain.replace('mode = "auto"', "mode = 3"),
        plain.replace('mode = "auto"', 'MODE = "legacy"'),
        plain.replace('mode = "auto"', 'Mode = "legacy"'),
        plain.replace('mode = "auto"', 'mode = "auto"\nmode = "legacy"'),
        plain.replace(f'["{FOLDER}/cdi", "{FOLDER}/run"]', f'"{FOLDER}/cdi"'),
        plain.replace(f'"{FOLDER}/run"', "3"),
        f'accept-nvidia-visible-devices-envvar-when-unprivileged = "false"\n{plain}',
        plain.replace("[nvidia-container-cli]", '[nvidia-container-cli]\nldconfig = "/sbin/l"'),
        plain.replace("[nvidia-container-cli]", '[nvidia-container-cli]\nldconfig = "/sbin/l"')
        + "[features]\nallow-ldconfig-from-container = true\n",
        'nvidia-container-runtime = "x"\n',
    ):
        yield row(config=text, env=asked)
    yield row(config=config(mode="cdi", cdi={"spec-dirs": []}), env=asked, specs="by index")
    yield row(config=config(mode="cdi", kind=""), env=asked, specs="by index")
    none: dict[str, Any] = {"annotation-prefixes": []}
    annotated = {"cdi.k8s.io/a": f"{NVIDIA}=1"}
    yield row(config=config(mode="cdi", cdi=none), annotations=annotated, specs="by index")
    every = {"annotation-prefixes": [""]}
    yield row(config=config(mode="cdi", cdi=every), annotations={"x": "y"}, specs="by index")
