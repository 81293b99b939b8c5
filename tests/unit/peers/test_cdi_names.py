"""What is a CDI device's name, and the library's sentence for what is none."""

import pytest

from podwire.peers.cdi import (
    QualifiedName,
    RefusedNameError,
    annotated,
    is_qualified,
    parse_qualified,
)


@pytest.mark.parametrize(
    "text",
    [
        "nvidia.com/gpu=all",
        "nvidia.com/gpu=0",
        "management.nvidia.com/gpu=GPU-3fa90004-0c2e-4d71-8b1a-6e5d4c3b0004",
        "ib.example.com/vf=0000:18:00.2",
        "k8s.device-plugin.nvidia.com/gpu=0:1",
    ],
)
def test_names_in_use_parse_and_print_alike(text: str) -> None:
    assert str(parse_qualified(text)) == text


def test_a_name_has_a_kind_and_a_device() -> None:
    name = parse_qualified("nvidia.com/gpu=0")
    assert name == QualifiedName(vendor="nvidia.com", device_class="gpu", device="0")
    assert name.kind == "nvidia.com/gpu"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("0", 'unqualified device "0", missing vendor'),
        ("GPU-3fa9", 'unqualified device "GPU-3fa9", missing vendor'),
        ("/dev/nvidia0=a/b", 'unqualified device "/dev/nvidia0=a/b", missing vendor'),
        ("nvidia.com/gpu=", 'unqualified device "nvidia.com/gpu=", missing vendor'),
    ],
)
def test_what_is_no_name_has_the_library_s_sentence(text: str, sentence: str) -> None:
    with pytest.raises(RefusedNameError) as refused:
        parse_qualified(text)
    assert str(refused.value) == sentence
    assert not is_qualified(text)


@pytest.mark.parametrize(
    ("text", "quoted", "reason"),
    [
        ("1x/gpu=0", "1x/gpu=0", 'invalid vendor. "1x", should start with letter'),
        ("x/g!u=0", "x/g!u=0", "invalid class. invalid character '!' in name \"g!u\""),
        ("x/gpu-=0", "x/gpu-=0", 'invalid class. "gpu-", should end with a letter or digit'),
        ("x/gpu=-0", "x/gpu=-0", 'invalid class "-0", should start with a letter or digit'),
        ("x/gpu=0 ", "x/gpu=0 ", 'invalid name "0 ", should end with a letter or digit'),
        (
            "x/gpu=a\u202e\x07b",
            "x/gpu=a\\u202e\\ab",
            "invalid character '\u202e' in device name \"a\\u202e\\ab\"",
        ),
    ],
)
def test_a_part_that_does_not_fit_is_quoted_as_go_does(text: str, quoted: str, reason: str) -> None:
    with pytest.raises(RefusedNameError) as refused:
        parse_qualified(text)
    assert str(refused.value) == f'invalid device "{quoted}": {reason}'


def test_annotations_of_cdi_ask_for_devices_and_others_do_not() -> None:
    annotations = {
        "cdi.k8s.io/plugin_b": "nvidia.com/gpu=1",
        "cdi.k8s.io/plugin_a": "nvidia.com/gpu=0,ib.example.com/vf=x",
        "nvidia.cdi.k8s.io/container.main": "nvidia.com/gpu=all",
    }
    assert annotated(annotations) == ("nvidia.com/gpu=0", "ib.example.com/vf=x", "nvidia.com/gpu=1")


def test_a_bare_name_in_an_annotation_refuses_the_container() -> None:
    with pytest.raises(RefusedNameError, match=r'^invalid CDI device name "0"$'):
        annotated({"cdi.k8s.io/a": "nvidia.com/gpu=0,0"})
