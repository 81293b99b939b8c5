#!/bin/bash
# Two VFs on each of two PFs; GUIDs were drawn for this machine.
set -euo pipefail

make() {  # PF, then a GUID for each VF
    local pf=/sys/bus/pci/devices/$1
    echo 0 > "$pf/sriov_drivers_autoprobe"
    echo 0 > "$pf/sriov_numvfs"
    echo 2 > "$pf/sriov_numvfs"
    for vf in 0 1; do
        shift
        echo "$1" > "$pf/sriov/$vf/node"
        echo "$1" > "$pf/sriov/$vf/port"
        echo Follow > "$pf/sriov/$vf/policy"
    done
    echo 1 > "$pf/sriov_drivers_autoprobe"
    for vf in "$pf"/virtfn*; do
        basename "$(readlink "$vf")" > /sys/bus/pci/drivers_probe
    done
}

make 0000:18:00.0 02:5f:3a:91:00:00:18:01 02:5f:3a:91:00:00:18:02
make 0000:40:00.0 02:5f:3a:91:00:00:40:01 02:5f:3a:91:00:00:40:02
udevadm settle
