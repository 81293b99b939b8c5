#!/bin/bash
# VFs alone: their GUIDs and links are left to whatever attaches them.
set -euo pipefail

for pf in mlx5_0 mlx5_3; do
    echo 0 > /sys/class/infiniband/$pf/device/sriov_numvfs
    echo 2 > /sys/class/infiniband/$pf/device/sriov_numvfs
done
udevadm settle
