#!/bin/bash
# customize.sh ROOT: makes the finished root file system a guest that boots in seconds under emulation.
set -eu
root=$1
echo lab >"$root/etc/hostname"
echo 0123456789abcdef0123456789abcdef >"$root/etc/machine-id"
printf '127.0.0.1 localhost lab\n' >"$root/etc/hosts"
printf 'LABEL=labroot / ext4 defaults,noatime 0 0\n' >"$root/etc/fstab"
mkdir -p "$root/lab" "$root/etc/systemd/network" "$root/etc/systemd/system/multi-user.target.wants"
chroot "$root" passwd -d root >/dev/null

printf '%s\n' virtio_pci virtio_blk ext4 crc32c virtio_console >"$root/etc/initramfs-tools/modules"
chroot "$root" update-initramfs -u -k all

# Each module and each service costs seconds without hardware help.
for module in kvm_amd kvm_intel kvm ahci libata i2c_i801 lpc_ich iTCO_wdt psmouse pcspkr cfg80211 drm joydev evdev button sg; do
  echo "blacklist $module"
done >"$root/etc/modprobe.d/lab-blacklist.conf"
mkdir -p "$root/etc/systemd/journald.conf.d"
printf '[Journal]\nStorage=volatile\nRuntimeMaxUse=16M\n' >"$root/etc/systemd/journald.conf.d/lab.conf"
for unit in modprobe@{drm,efi_pstore,configfs,fuse}.service dev-hugepages.mount getty.target ldconfig.service \
  proc-sys-fs-binfmt_misc.automount systemd-{binfmt,hwdb-update,journal-catalog-update,logind,pcrmachine}.service \
  systemd-{tpm2-setup,tpm2-setup-early,update-done}.service; do
  ln -sf /dev/null "$root/etc/systemd/system/$unit"
done
touch "$root/etc/.updated" "$root/var/.updated"
ln -sf /usr/lib/systemd/system/qemu-guest-agent.service "$root/etc/systemd/system/multi-user.target.wants/"
for unit in systemd-networkd.{service,socket} {apt-daily,apt-daily-upgrade,dpkg-db-backup,e2scrub_all,fstrim}.timer; do
  rm -f "$root/etc/systemd/system/"*.wants/"$unit"
done
