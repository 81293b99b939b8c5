"""`podwire guard ...`: its commands, options and examples."""

import argparse
from collections.abc import Callable

GUARD_EXAMPLES = """\
examples:
  podwire guard doors bundle/
  podwire guard simulate bundle/ --set accept-envvar-when-unprivileged=false

each of them has --help of its own
"""

_DOORS_EXAMPLES = """\
examples:
  podwire guard doors bundle/
  podwire guard doors bundle/ --node gpu-b -o json
  podwire guard doors spec.yaml dump/ -o csv > doors.csv

of each GPU: who owns it, who offers it to pods, who holds it; then each way in
to a GPU that nobody gave: whether the settings leave it open to anybody who may
make a pod, and which pods use it as they are written now; the node's own
software and that of its GPUs stand apart

exit status:
  0  no GPU that the spec keeps for the host can be reached
  1  one can, or a pod gets one
  2  wrong usage, or nothing in what was given is about GPUs

a node needs nvidia-smi-L.txt, toolkit/config.toml and
etc/containerd/config.toml in the bundle; images.json says what images ask for,
podresources-*.json who holds what; cluster/runtimeclasses.json the classes
"""

_SIMULATE_EXAMPLES = """\
examples:
  podwire guard simulate bundle/ --set accept-envvar-when-unprivileged=false
  podwire guard simulate bundle/ --set default-runtime=runc \\
      --drop-runtime-class nvidia
  podwire guard simulate bundle/ --assume gpu-operator=v25.10.0

what --set takes:
  accept-envvar-when-unprivileged, accept-as-volume-mounts   true or false
  mode, default-kind            of NVIDIA's runtime, in the toolkit's config.toml
  default-runtime               a handler of the container runtime, such as runc
  device-list-strategy          of every device plugin for GPUs, such as cdi-cri

--assume gpu-operator=VERSION is what the operator becomes; versions of other
components are what they are before and after. Nothing is changed anywhere.

doors are compared before and after: those to GPUs that the spec keeps for the
host; on a node without such, those to all its GPUs

exit status:
  0  every pod that has its GPUs keeps them, and no door opens to a GPU that the
     spec keeps for the host; of some it may not be known
  1  a pod loses them or does not start again, or such a door opens
  2  wrong usage, or nothing in what was given is about GPUs
"""

Inputs = Callable[[argparse.ArgumentParser], None]


def add_guard(guard: argparse.ArgumentParser, *, inputs: Inputs) -> None:
    """Give `guard` its own commands; `inputs` adds what they read."""
    commands = guard.add_subparsers(metavar="COMMAND", required=True, parser_class=type(guard))
    doors = _command(
        commands, guard, "doors", "show who can reach which GPU, by which door", _DOORS_EXAMPLES
    )
    inputs(doors)
    doors.add_argument("--node", metavar="NAME", help="only this node")
    _add_format(doors, "table", "json", "csv")
    doors.set_defaults(command="guard_doors", called=doors.prog)
    simulate = _command(
        commands,
        guard,
        "simulate",
        "say which pods a change would cost their GPUs, and which doors it moves",
        _SIMULATE_EXAMPLES,
    )
    inputs(simulate)
    simulate.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        dest="changes",
        help="a setting as it would be; repeatable",
    )
    simulate.add_argument(
        "--drop-runtime-class",
        action="append",
        default=[],
        metavar="NAME",
        help="without this RuntimeClass; repeatable",
    )
    _add_format(simulate, "text", "json")
    simulate.set_defaults(command="guard_simulate", called=simulate.prog)


def _command(
    commands: "argparse._SubParsersAction[argparse.ArgumentParser]",
    above: argparse.ArgumentParser,
    name: str,
    does: str,
    examples: str,
) -> argparse.ArgumentParser:
    return commands.add_parser(
        name,
        help=does,
        description=does[0].upper() + does[1:] + ".",
        epilog=examples,
        formatter_class=above.formatter_class,
        allow_abbrev=False,
    )


def _add_format(command: argparse.ArgumentParser, *forms: str) -> None:
    command.add_argument(
        "-o", "--format", choices=forms, default=forms[0], help=f"default: {forms[0]}"
    )
