"""Collecting from a tree that stands in the test."""

from collections.abc import Mapping

from tests.fakes.hostfs import Content, FakeHostFs

from podwire.collect.collecting import collect
from podwire.collect.given import Input
from podwire.facts.inventory import Inventory


def given(files: Mapping[str, Content], *, typed: str = "site") -> Input:
    """An input; a tree with the empty path is a single file."""
    return Input(typed=typed, files=FakeHostFs(files))


def facts_of(
    files: Mapping[str, Content], *, typed: str = "site", namespace: str = "default"
) -> Inventory:
    return collect([given(files, typed=typed)], namespace=namespace)


def facts_of_file(content: Content, *, typed: str = "given.yaml") -> Inventory:
    return facts_of({"": content}, typed=typed)


def facts_of_node_root(files: Mapping[str, Content], *, typed: str = "/host") -> Inventory:
    return collect([Input(typed=typed, files=FakeHostFs(files), is_node_root=True)])
