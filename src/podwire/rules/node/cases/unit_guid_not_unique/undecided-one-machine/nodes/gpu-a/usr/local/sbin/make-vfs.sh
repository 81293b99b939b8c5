#!/bin/bash
# Two VFs on each of two PFs; GUIDs are counted.
set -euo pipefail

make() {  # PF, and a number for its GUIDs
    local pf=/sys/bus/pci/devices/$1
    echo 0 > "$pf/sriov_drivers_autoprobe"
    echo 0 > "$pf/sriov_numvfs"
    echo 2 > "$pf/sriov_numvfs"
    for vf in 0 1; do
        echo "02:5f:3a:91:00:00:$2:0$vf" > "$pf/sriov/$vf/node"
        echo "02:5f:3a:91:00:00:$2:0$vf" > "$pf/sriov/$vf/port"
        echo Follow > "$pf/sriov/$vf/policy"
    done
    echo 1 > "$pf/sriov_drivers_autoprobe"
    for vf in "$pf"/virtfn*; do
        basename "$(readlink "$vf")" > /sys/bus/pci/drivers_probe
    done
}

make 0000:18:00.0 18
make 0000:40:00.0 40
udevadm settle
