"""Flags of a container, as its command line, its variables and a shell make them."""

import pytest

from podwire.facts.objects import Container, EnvVar
from podwire.wire.joined.command_line import flag

PREFIX = EnvVar(name="PREFIX", value="example.com")


@pytest.mark.parametrize(
    "container",
    [
        Container(args=("--prefix=example.com",)),
        Container(args=("-prefix", "example.com")),
        Container(command=("plugin", "--prefix=example.com"), args=("--log-level=10",)),
        Container(args=("--prefix=$(PREFIX)",), env=(PREFIX,)),
        Container(command=("/bin/sh", "-c"), args=("exec plugin --prefix=example.com; true",)),
        Container(command=("bash", "-c", "plugin --prefix=${PREFIX}"), env=(PREFIX,)),
        Container(command=("sh", "-c"), args=('plugin --prefix "$PREFIX"',), env=(PREFIX,)),
        Container(command=("sh", "-c"), args=("echo it's; plugin --prefix=example.com",)),
    ],
)
def test_a_flag_is_read_however_it_is_written(container: Container) -> None:
    assert flag(container, "prefix") == "example.com"


def test_a_variable_without_a_value_stays_as_written() -> None:
    node = EnvVar(name="NODE_NAME", value_from={"fieldRef": {"fieldPath": "spec.nodeName"}})
    container = Container(args=("--config-file=/etc/$(NODE_NAME)",), env=(node,))
    assert flag(container, "config-file") == "/etc/$(NODE_NAME)"


@pytest.mark.parametrize("args", [(), ("--other=1",), ("--prefix",), ("prefix=example.com",)])
def test_a_flag_that_is_not_there_is_none(args: tuple[str, ...]) -> None:
    assert flag(Container(args=args), "prefix") is None
