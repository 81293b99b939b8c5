"""`podwire node ...`: its commands, options and examples."""

import argparse

NODE_EXAMPLES = """\
examples:
  podwire node show                   what this machine has
  podwire node plan --spec wiring.yaml
  podwire node apply --spec wiring.yaml
  podwire node verify --spec wiring.yaml
  podwire node install --spec wiring.yaml --dry-run
  podwire node compare gpu-a.json gpu-b.json

each of them has --help of its own
"""

_PLAN_EXAMPLES = """\
examples:
  podwire node plan --spec wiring.yaml
  podwire node plan --spec wiring.yaml -o json
  podwire node plan --spec wiring.yaml --root copy/ --node dgx-01

exit status:
  0  nothing to do, or all of it can be done
  1  something has to be repaired first, or a PF is refused
  2  wrong usage, or a file cannot be read
"""

_APPLY_EXAMPLES = """\
examples:
  podwire node apply --spec wiring.yaml
  podwire node apply --spec wiring.yaml --other-map dgx-02/guids.json

the plan is shown on stderr before anything is written; a run that was killed
is finished, or taken back, by the next one

exit status:
  0  the machine is as the spec wants it
  1  it is not: repairs, a PF that was refused, or a step that failed
  2  wrong usage, no right to write, or another run at work
"""

_VERIFY_EXAMPLES = """\
examples:
  podwire node verify --spec wiring.yaml          for a unit or a probe

exit status:
  0  the machine is as the spec wants it
  1  it is not; what differs is shown
  2  wrong usage, or a file cannot be read
"""

_SHOW_EXAMPLES = """\
examples:
  podwire node show
  podwire node show -o wide --policies --holders
  podwire node show --spec wiring.yaml -o json > gpu-a.json

sysfs alone is read unless more is asked for: --policies asks the kernel over
netlink, --holders walks through all processes, --firmware asks mstconfig
"""

_COMPARE_EXAMPLES = """\
examples:
  podwire node compare gpu-a.json gpu-b.json gpu-c.json
  podwire node compare bundle/ -o json

exit status:
  0  the machines are alike
  1  one differs, or a GUID occurs twice
  2  wrong usage, or a file cannot be read
"""

_INSTALL_EXAMPLES = """\
examples:
  podwire node install --spec wiring.yaml --dry-run
  podwire node install --spec wiring.yaml
  podwire node install --uninstall

nothing is started and no VF is touched: the next boot runs the unit. A file
that podwire did not write is never replaced.
"""

_GUIDS_EXAMPLES = """\
examples:
  podwire node guids --spec wiring.yaml
  podwire node guids --spec wiring.yaml > /etc/sriov-operator/infiniband/guids

where the SR-IOV operator makes the VFs it takes random GUIDs, other ones after
each boot; with this file it takes those that podwire gives
"""

_NAMES_EXAMPLES = """\
examples:
  podwire node heal-names --dry-run
  podwire node heal-names

exit status:
  0  every VF has its name
  1  one keeps the name that a pod left
"""

_COMMANDS = (
    ("plan", "show the writes that would close the gap", _PLAN_EXAMPLES),
    ("apply", "make the VFs that the spec wants", _APPLY_EXAMPLES),
    ("verify", "say whether the VFs are as the spec wants them", _VERIFY_EXAMPLES),
)


def add_node(node: argparse.ArgumentParser) -> None:
    """Give `node` its own commands."""
    commands = node.add_subparsers(metavar="COMMAND", required=True, parser_class=type(node))
    for name, does, examples in _COMMANDS:
        command = _added(commands, node, name=name, does=does, examples=examples)
        command.set_defaults(command="node", what=name)
        _add_options(command, name=name)
    for name, module, does, examples, add in _OTHERS:
        command = _added(commands, node, name=name, does=does, examples=examples)
        command.set_defaults(command=module)
        add(command)


def _added(
    commands: "argparse._SubParsersAction[argparse.ArgumentParser]",
    node: argparse.ArgumentParser,
    *,
    name: str,
    does: str,
    examples: str,
) -> argparse.ArgumentParser:
    return commands.add_parser(
        name,
        help=does,
        description=does[0].upper() + does[1:] + ".",
        epilog=examples,
        formatter_class=node.formatter_class,
        allow_abbrev=False,
    )


def _add_options(command: argparse.ArgumentParser, *, name: str) -> None:
    command.add_argument(
        "--spec", required=True, metavar="FILE", help="a file of kind: Wiring (podwire.io)"
    )
    _add_name(command)
    _add_maps(command)
    command.add_argument(
        "-o", "--format", choices=("text", "json"), default="text", help="default: text"
    )
    command.add_argument(
        "--firmware",
        action="store_true",
        help="also ask mstconfig (Debian: mstflint) what the cards are set to; only reads",
    )
    if name != "verify":
        command.add_argument(
            "--force",
            action="store_true",
            help="go on where somebody holds a VF, or another program makes the PF's VFs",
        )
    if name == "apply":
        command.add_argument(
            "--pf",
            action="append",
            default=[],
            metavar="ADDRESS",
            help="only this PF of the spec; repeatable",
        )
        command.add_argument(
            "--wait",
            type=_seconds,
            default=0,
            metavar="SECONDS",
            help="how long PFs may take to appear, and another run to end (default: 0)",
        )
    else:
        _add_root(command)


def _seconds(text: str) -> float:
    """Read a number of seconds that is none of a joke."""
    if not text.isdecimal() or int(text) > _LONGEST_S:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of seconds up to {_LONGEST_S}")
    return float(text)


def _add_name(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--node", metavar="NAME", help="this machine's name in the spec (default: its host name)"
    )
    command.add_argument(
        "--label",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="a label of the node, for entries with a selector; repeatable",
    )


def _add_maps(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--other-map",
        action="append",
        default=[],
        metavar="FILE",
        help="guids.json of another machine: no GUID of it is given here; repeatable",
    )


def _add_root(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--root", default="/", metavar="DIR", help="a copy of a machine's files (default: /)"
    )


def _add_show(command: argparse.ArgumentParser) -> None:
    command.add_argument("--spec", metavar="FILE", help="says which GPUs are kept for the host")
    _add_name(command)
    _add_root(command)
    for flag, does in (
        ("--policies", "also ask the kernel for VFs' link policies (netlink)"),
        ("--holders", "also look which processes hold a VF or a GPU"),
        ("--firmware", "also ask mstconfig (Debian: mstflint) about the next boot"),
    ):
        command.add_argument(flag, action="store_true", help=does)
    command.add_argument(
        "-o", "--format", choices=("table", "wide", "json"), default="table", help="default: table"
    )


def _add_compare(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "machine", nargs="+", metavar="MACHINE", help="what show -o json printed, or a bundle"
    )
    command.add_argument(
        "-o", "--format", choices=("text", "json"), default="text", help="default: text"
    )


def _add_install(command: argparse.ArgumentParser) -> None:
    command.set_defaults(other_map=[])
    command.add_argument("--spec", metavar="FILE", help="a file of kind: Wiring; it is copied")
    _add_name(command)
    _add_root(command)
    command.add_argument("--dry-run", action="store_true", help="show the files, write nothing")
    command.add_argument("--uninstall", action="store_true", help="take podwire's files away")
    command.add_argument(
        "--no-kubelet", action="store_true", help="kubelet starts even where VFs are missing"
    )
    command.add_argument("--no-enable", action="store_true", help="write the files alone")
    command.add_argument(
        "--program",
        default="",
        metavar="PATH",
        help="what the units run (default: /usr/bin/podwire, else the program that runs now)",
    )


def _add_guids(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--spec", required=True, metavar="FILE", help="a file of kind: Wiring (podwire.io)"
    )
    _add_name(command)
    _add_maps(command)
    _add_root(command)


def _add_names(command: argparse.ArgumentParser) -> None:
    command.add_argument("--dry-run", action="store_true", help="only say which VFs have one")


_LONGEST_S = 3600
_OTHERS = (
    ("show", "node_show", "show PFs, VFs and GPUs of this machine", _SHOW_EXAMPLES, _add_show),
    ("compare", "node_compare", "say how machines differ", _COMPARE_EXAMPLES, _add_compare),
    ("install", "node_install", "write units and .link files", _INSTALL_EXAMPLES, _add_install),
    ("guids", "node_guids", "print GUIDs for the SR-IOV operator", _GUIDS_EXAMPLES, _add_guids),
    ("heal-names", "node_names", "give VFs their names back", _NAMES_EXAMPLES, _add_names),
)
