"""Firmware settings as mstconfig prints them."""

from podwire.model.addresses import PciAddress
from podwire.peers.mstconfig import LINK_TYPE, NUM_OF_VFS, SRIOV_EN, Setting, read_settings

_TWO = """\

Device #1:
----------

Device type:    ConnectX7
Name:           MCX75310AAS-NEA_Ax
Description:    NVIDIA ConnectX-7 HHHL Adapter card; NDR IB (default mode); Single-port OSFP
Device:         0000:18:00.0

Configurations:                              Default         Current         Next Boot
        MEMIC_SIZE_LIMIT                    _256KB(1)       _256KB(1)       _256KB(1)
        HOST_CHAINING_DESCRIPTORS           Array[0..7]     Array[0..7]     Array[0..7]
*       NUM_OF_VFS                          0               0               8
*       SRIOV_EN                            False(0)        False(0)        True(1)
        LINK_TYPE_P1                        IB(1)           IB(1)           IB(1)
The '*' shows parameters with next value different from default/current value.

Device #2:
----------

Device type:    ConnectX7
Device:         40:00.0

Configurations:                              Default         Current         Next Boot
        SRIOV_EN                            False(0)        True(1)         True(1)
        LINK_TYPE_P1                        IB(1)           ETH(2)          ETH(2)
        LINK_TYPE_P2                        IB(1)           ETH(2)          IB(1)
"""


def test_each_device_has_its_settings() -> None:
    first, second = read_settings(_TWO)
    assert first.address == PciAddress(text="0000:18:00.0")
    assert second.address == PciAddress(text="0000:40:00.0")
    assert first.get(NUM_OF_VFS) == Setting(default="0", current="0", next_boot="8")
    assert first.get(SRIOV_EN) == Setting(default="0", current="0", next_boot="1")


def test_what_the_next_boot_changes_is_pending() -> None:
    first, second = read_settings(_TWO)
    pending = {name for name, setting in first.parameters.items() if setting.is_pending}
    assert pending == {NUM_OF_VFS, SRIOV_EN}
    assert not second.parameters[LINK_TYPE.format(1)].is_pending


def test_a_single_port_card_has_no_second_link_type() -> None:
    first, second = read_settings(_TWO)
    assert first.get(LINK_TYPE.format(2)) is None
    assert (first.ports, second.ports) == ((1,), (1, 2))


def test_without_the_extended_form_only_the_next_boot_is_known() -> None:
    text = "Device: 0000:18:00.0\n\nConfigurations:      Next Boot\n    SRIOV_EN    True(1)\n"
    (only,) = read_settings(text)
    assert only.get(SRIOV_EN) == Setting(default=None, current=None, next_boot="1")
    assert not only.parameters[SRIOV_EN].is_pending


def test_a_device_by_another_name_has_no_address() -> None:
    (only,) = read_settings("Device:   /dev/mst/mt4129_pciconf0\n")
    assert only.address is None
    assert only.parameters == {}


def test_an_error_message_gives_nothing() -> None:
    assert read_settings("-E- Failed to open the device\n") == ()
