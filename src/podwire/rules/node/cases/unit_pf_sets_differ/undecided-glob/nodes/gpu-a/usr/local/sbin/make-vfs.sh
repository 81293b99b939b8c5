#!/bin/bash
for pf in /sys/class/infiniband/*; do echo 0 > $pf/device/sriov_numvfs; echo 2 > $pf/device/sriov_numvfs; done
echo 02:5f:3a:91:00:00:18:01 > /sys/class/infiniband/ibp24s0/device/sriov/0/node
echo Follow > /sys/class/infiniband/ibp24s0/device/sriov/0/policy
echo 0000:18:00.2 > /sys/bus/pci/drivers/mlx5_core/unbind
echo 0000:18:00.2 > /sys/bus/pci/drivers/mlx5_core/bind
