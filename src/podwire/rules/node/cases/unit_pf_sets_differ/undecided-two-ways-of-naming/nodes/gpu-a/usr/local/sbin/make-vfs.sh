#!/bin/bash
echo 0 > /sys/bus/pci/devices/0000:18:00.0/sriov_numvfs
echo 1 > /sys/bus/pci/devices/0000:18:00.0/sriov_numvfs
ip link set dev ibp24s0 vf 0 node_guid 02:5f:3a:91:00:00:18:01 port_guid 02:5f:3a:91:00:00:18:01 state auto
echo 0000:18:00.2 > /sys/bus/pci/drivers/mlx5_core/unbind
echo 0000:18:00.2 > /sys/bus/pci/drivers/mlx5_core/bind
udevadm settle
