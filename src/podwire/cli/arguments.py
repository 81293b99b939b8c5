"""Every command with its options and examples. Imports nothing that takes time."""

import argparse
from collections.abc import Callable, Sequence
from typing import NoReturn, TypeAlias

FORMATS = ("text", "short", "json", "sarif", "junit", "github")
# What --assume takes; a test compares them with those that podwire recognises.
COMPONENTS = (
    "gpu-operator",
    "hami",
    "ib-kubernetes",
    "ib-sriov-cni",
    "k8s-device-plugin",
    "multus",
    "network-resources-injector",
    "nvidia-container-toolkit",
    "sriov-cni",
    "sriov-network-device-plugin",
    "whereabouts",
)
_WIDTH = 80

_EXAMPLES = """\
examples:
  podwire check manifests/            what is broken in these files
  podwire explain PW103               a rule's page
  podwire trace pod/worker-0 -n train dump/
                                      one pod's wire, joint by joint

exit status:
  0  nothing at or above --fail-on (default: error)
  1  findings; a document that cannot be read is one
  2  wrong usage: an option, or a path or an object that is not there
  3  with --require-complete: nothing found, but something undecided
  70 a fault of podwire: what it could not judge is on stderr, the rest stands
"""

_CHECK_EXAMPLES = f"""\
examples:
  podwire check pod.yaml nad.yaml
  podwire check manifests/ dump/      judged together: will this work there
  kubectl get pods,nodes,net-attach-def,configmaps -A -o json | podwire check -
  podwire check bundle.tar.gz -o json=report.json -o text
  podwire check manifests/ --node-root / --assume multus=4.2.2
  podwire check manifests/ --baseline report.json --fail-on warning
  podwire check -A dump/*.json        of kubectl get ... -A -o json

components for --assume:
  {", ".join(COMPONENTS[:5])},
  {", ".join(COMPONENTS[5:8])},
  {", ".join(COMPONENTS[8:])}

exit status: see podwire --help

a configuration file says what not to report:
  silence:
  - rule: nad-resource-unadvertised
    subject: "NetworkAttachmentDefinition lab/*"
    reason: the lab has no cards yet
    until: 2027-01-31
what follows from a silenced finding is reported: silence that as well
"""

_EXPLAIN_EXAMPLES = """\
examples:
  podwire explain PW103
  podwire explain nad-resource-unadvertised
  podwire explain                     all rules, one a line
"""

_TRACE_EXAMPLES = """\
examples:
  podwire trace pod/worker-0 -n train dump/
  podwire trace mpijob/llm -n train dump/     ranks that are alike as one

exit status:
  0  no joint is broken; some may be undecided
  1  a joint is broken, by a warning too
  else as of podwire --help
"""

_NUMA_EXAMPLES = """\
examples:
  podwire numa pod pod/full-0 -n train bundle/
  podwire numa policy bundle/
"""

_NUMA_POD_EXAMPLES = """\
examples:
  podwire numa pod pod/full-0 -n train bundle/
  podwire numa pod mpijob/llm -n train bundle/ -o json

exit status:
  0  some node admits it, or may
  1  every node that was looked at rejects it

a node needs kubelet-config.yaml and podresources-allocatable.json in the
bundle; podresources-list.json says what is in use; sysfs.txt has what a
static CPU manager looks at
"""

_NUMA_POLICY_EXAMPLES = """\
examples:
  podwire numa policy bundle/         all pods that ask for devices
  podwire numa policy new.yaml bundle/
  podwire numa policy --of mpijob/llm -n train bundle/ -o json

exit status:
  0  answered
  1  the policy that nodes have now never admits one of the pods
  2  no pod asks for devices, or wrong usage

every policy is tried on every kind of node, with nothing in use and with what
is in use now; a node needs podresources-allocatable.json in the bundle
"""

_SCHEMA_EXAMPLES = """\
examples:
  podwire schema report > report.schema.json
  podwire schema spec > wiring.schema.json
"""


class _Formatter(argparse.RawDescriptionHelpFormatter):
    """Help for 80 columns, whatever the terminal has: pages are made of it."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=_WIDTH, max_help_position=28)


class _Parser(argparse.ArgumentParser):
    """Shows what somebody typed without the control characters in it."""

    def print_help(self, file: object = None) -> None:
        """Print it where output goes, and say so where that cannot be."""
        from podwire.cli.streams import write_out

        del file  # argparse itself gives none.
        write_out(self.format_help())

    def error(self, message: str) -> NoReturn:
        """Say what is wrong with the arguments, and end with 2."""
        from podwire.present.lines import plain

        super().error(plain(message))


class _Command(_Parser):
    """Takes options between paths, as kubectl does: `check a.yaml -n train b.yaml`."""

    _is_mixing = False

    def parse_known_args(  # type: ignore[override]  # argparse overloads it for its own use
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        """Go through the intermixed form, which calls this one twice; not above commands."""
        if self._is_mixing or self._subparsers is not None:
            return super().parse_known_args(args, namespace)
        self._is_mixing = True
        return self.parse_known_intermixed_args(args, namespace)


_Commands: TypeAlias = "argparse._SubParsersAction[_Command]"  # noqa: SLF001 - it has no other name


class _Version(argparse.Action):
    """Looks the version up only when it is asked for."""

    def __init__(self, option_strings: Sequence[str], dest: str, **_: object) -> None:
        super().__init__(option_strings, dest, nargs=0, help="show podwire's version")

    def __call__(self, parser: argparse.ArgumentParser, *_: object, **__: object) -> None:
        from podwire.cli.streams import write_out
        from podwire.cli.version import version

        write_out(f"podwire {version()}\n")
        parser.exit(0)


def parser(called: Sequence[str] | None = None) -> argparse.ArgumentParser:
    """Build the parser; `command` of what it returns names one of this package's modules.

    Args:
        called: the command line. Only a command that it names gets its options: all of them
            together cost a small check a tenth of its time. None: every command gets them.
    """
    main = _Parser(
        prog="podwire",
        description="Explains which joint is broken between GPU pods, SR-IOV InfiniBand and the "
        "node.",
        epilog=_EXAMPLES,
        formatter_class=_Formatter,
        allow_abbrev=False,
    )
    main.add_argument("--version", action=_Version)
    commands = main.add_subparsers(metavar="COMMAND", required=True, parser_class=_Command)
    for name, does, add in _COMMANDS:
        if called is None or name in called:
            add(commands, name, does)
        else:
            commands.add_parser(name, help=does, add_help=False)
    return main


def _check(commands: "_Commands", name: str, does: str) -> None:
    _add_check(_command(commands, name, does, _CHECK_EXAMPLES))


def _explain(commands: "_Commands", name: str, does: str) -> None:
    _add_explain(_command(commands, name, does, _EXPLAIN_EXAMPLES))


def _trace(commands: "_Commands", name: str, does: str) -> None:
    _add_trace(_command(commands, name, does, _TRACE_EXAMPLES))


def _numa(commands: "_Commands", name: str, does: str) -> None:
    _add_numa(_command(commands, name, does, _NUMA_EXAMPLES))


def _node(commands: "_Commands", name: str, does: str) -> None:
    from podwire.cli.node_arguments import NODE_EXAMPLES, add_node

    add_node(_command(commands, name, does, NODE_EXAMPLES))


def _guard(commands: "_Commands", name: str, does: str) -> None:
    from podwire.cli.guard_arguments import GUARD_EXAMPLES, add_guard

    add_guard(_command(commands, name, does, GUARD_EXAMPLES), inputs=_add_inputs)


def _schema(commands: "_Commands", name: str, does: str) -> None:
    _add_schema(_command(commands, name, does, _SCHEMA_EXAMPLES))


_COMMANDS: tuple[tuple[str, str, Callable[["_Commands", str, str], None]], ...] = (
    ("check", "find broken joints in files", _check),
    ("explain", "show a rule's page", _explain),
    ("trace", "draw one pod's wire", _trace),
    ("numa", "ask which nodes admit pods' devices", _numa),
    ("node", "make and check this machine's VFs", _node),
    ("guard", "show and test the doors to GPUs", _guard),
    ("schema", "print a JSON schema", _schema),
)


def _command(
    commands: "_Commands",
    name: str,
    does: str,
    examples: str,
) -> argparse.ArgumentParser:
    command = commands.add_parser(
        name,
        help=does,
        description=does[0].upper() + does[1:] + ".",
        epilog=examples,
        formatter_class=_Formatter,
        allow_abbrev=False,
    )
    command.set_defaults(command=name, called=command.prog)
    return command


def _add_inputs(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "path",
        nargs="*",
        metavar="PATH",
        help="file, directory, bundle (directory or .tar.gz), or - for standard input",
    )
    command.add_argument(
        "-n", "--namespace", default="default", help="of objects that name none (default: default)"
    )
    command.add_argument(
        "--node-root", metavar="DIR", help="also read this machine's files below DIR"
    )
    command.add_argument(
        "-A",
        "--all-namespaces",
        action="store_true",
        help="the Lists given are of all namespaces (kubectl get ... -A)",
    )
    command.add_argument(
        "--assume",
        action="append",
        default=[],
        metavar="NAME=VERSION",
        help="take a component to have this version; repeatable",
    )


def _add_check(command: argparse.ArgumentParser) -> None:
    _add_inputs(command)
    command.add_argument(
        "-o",
        "--format",
        action="append",
        default=[],
        metavar="F[=FILE]",
        help=f"{', '.join(FORMATS)}; repeatable (default: text)",
    )
    command.add_argument(
        "--fail-on",
        choices=("error", "warning", "note", "never"),
        default="error",
        metavar="SEVERITY",
        help="error, warning, note or never (default: error)",
    )
    command.add_argument(
        "--require-complete", action="store_true", help="exit with 3 when something is undecided"
    )
    command.add_argument("--config", metavar="FILE", help="what not to report, and why (YAML)")
    command.add_argument(
        "--baseline", metavar="FILE", help="a JSON report: what it has does not fail again"
    )
    command.add_argument(
        "--only",
        "--rule",
        action="append",
        default=[],
        metavar="RULE",
        dest="only",
        help="apply this rule (id or slug) and no other; repeatable",
    )
    command.add_argument(
        "--colour",
        "--color",
        choices=("auto", "always", "never"),
        default="auto",
        metavar="WHEN",
        help="auto, always or never (default: auto)",
    )
    command.add_argument(
        "-v",
        "--verbose",
        action="store_true",
        help="every missing fact, silenced finding, unread file",
    )


def _add_explain(command: argparse.ArgumentParser) -> None:
    command.add_argument("rule", nargs="?", metavar="RULE", help="id (PW103) or slug")


def _add_trace(command: argparse.ArgumentParser) -> None:
    command.add_argument("of", metavar="TYPE/NAME", help="a pod or a workload, pod/worker-0")
    _add_inputs(command)
    command.add_argument(
        "-v", "--verbose", action="store_true", help="show where podwire itself failed"
    )


def _add_numa(command: argparse.ArgumentParser) -> None:
    asked = command.add_subparsers(metavar="WHAT", required=True, parser_class=_Command)
    pod = _command(asked, "pod", "ask every node about a pod, or a workload", _NUMA_POD_EXAMPLES)
    pod.add_argument("of", metavar="TYPE/NAME", help="a pod or a workload, pod/worker-0")
    policy = _command(
        asked, "policy", "try every policy and scope with all pods", _NUMA_POLICY_EXAMPLES
    )
    policy.add_argument(
        "--of",
        action="append",
        default=[],
        metavar="TYPE/NAME",
        help="only this pod or workload; repeatable",
    )
    for what, each in (("pod", pod), ("policy", policy)):
        _add_inputs(each)
        each.add_argument(
            "-o", "--format", choices=("text", "json"), default="text", help="default: text"
        )
        each.set_defaults(command="numa", what=what)


def _add_schema(command: argparse.ArgumentParser) -> None:
    command.add_argument("what", choices=("report", "spec"))
