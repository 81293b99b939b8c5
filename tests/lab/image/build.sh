#!/bin/bash
# build.sh: the lab's guest, once: QEMU, a Debian root as an ext4 image, its kernel and a small initrd.
#
# All goes to a folder of the cache that is named by a hash of what the guest is made of. Prints QEMU's path and that folder.
. "$(dirname "$0")/settings.sh"
mkdir -p "$cache"
exec 9>"$cache/.lock"
flock 9 # another run may be building

cannot() { # WHY: what this machine lacks, for a test to skip with
  echo "the lab's guest cannot be built here: $*"
  exit 3
}

[[ $EUID == 0 ]] || cannot 'it needs root'
missing=()
for need in mmdebstrap:mmdebstrap mkfs.ext4:e2fsprogs zstd:zstd setpriv:util-linux; do
  command -v "${need%%:*}" >/dev/null || missing+=("${need##*:}")
done
if ((${#missing[@]})); then
  command -v apt-get >/dev/null || cannot "it lacks ${missing[*]}"
  { apt-get update -q && apt-get install -y -q --no-install-recommends "${missing[@]}"; } >&2 ||
    cannot "it lacks ${missing[*]}, and apt-get cannot install that"
fi

qemu=$("$here/qemu.sh") || cannot "no QEMU with the card igb (8.0 or newer), and none from bookworm-backports"
key=$({ cat "$here"/{packages.list,customize.sh,build.sh}; echo "$suite"; "$qemu" --version; } | sha256sum | cut -c1-16)
guest=$cache/$key
if [[ ! -e $guest/.built ]]; then
  began=$SECONDS
  packages=$(sed 's/#.*//' "$here/packages.list" | xargs | tr ' ' ,)
  debs=$cache/debs # a rebuild fetches only what changed
  mkdir -p "$guest" "$debs"
  work=$(mktemp -d -p "$cache" build.XXXX)
  trap 'rm -rf "$work"' EXIT
  mmdebstrap --variant=minbase --mode=root --format=directory --keyring="$keyring" --include="$packages" \
    --aptopt='Acquire::Languages "none"' --aptopt='APT::Install-Recommends "false"' \
    --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/man/*' \
    --dpkgopt='path-exclude=/usr/share/locale/*' --dpkgopt='force-unsafe-io' \
    --skip=download/empty --skip=essential/unlink \
    --setup-hook='mkdir -p "$1/var/cache/apt/archives"' \
    --setup-hook="sync-in '$debs' /var/cache/apt/archives" \
    --essential-hook='mkdir -p "$1/etc/initramfs-tools/conf.d"; printf "%s\n" MODULES=list COMPRESS=zstd RESUME=none >"$1/etc/initramfs-tools/conf.d/lab"' \
    --customize-hook="sync-out /var/cache/apt/archives '$debs'" \
    --customize-hook="bash '$here/customize.sh' \"\$1\"" \
    "$suite" "$work/root" "deb $(mirror) $suite main" >"$guest/build.log" 2>&1 ||
    { tail -30 "$guest/build.log" >&2; exit 1; }
  rm -rf "$debs/lock" "$debs/partial"
  chroot "$work/root" dpkg-query -W -f '${Package} ${Version}\n' >"$guest/packages.txt"
  cp -L "$work"/root/boot/vmlinuz-* "$guest/vmlinuz"
  cp -L "$work"/root/boot/initrd.img-* "$guest/initrd.img"
  rm -f "$work"/root/boot/initrd.img-* "$work"/root/var/cache/apt/*.bin
  find "$work/root/var/cache/apt/archives" "$work/root/var/lib/apt/lists" -type f -delete
  rm -f "$guest/root.img"
  truncate -s 4G "$guest/root.img"
  mkfs.ext4 -q -L labroot -O ^has_journal -E lazy_itable_init=1 -d "$work/root" "$guest/root.img"
  touch "$guest/.built"
  say "guest: $((SECONDS - began)) s, $(du -m "$guest/root.img" | cut -f1) MiB"
fi
printf '%s\n' "$qemu" "$guest"
