#!/bin/bash
# qemu.sh: a QEMU with the SR-IOV card `igb` (8.0 or newer), below the cache; the machine's own stays as it is.
#
# On Debian 12 it comes from bookworm-backports, whose libraries are those of the system. Prints its path.
. "$(dirname "$0")/settings.sh"
qemu=$cache/qemu/bin/qemu

own=$(command -v qemu-system-x86_64 || true)
if [[ $own ]] && "$own" -device igb,help >/dev/null 2>&1; then
  echo "$own"
  exit
fi
if [[ -x $qemu ]]; then
  echo "$qemu"
  exit
fi

began=$SECONDS
. /etc/os-release
apt=$cache/qemu/apt
mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial"
for release in "$VERSION_CODENAME" "$VERSION_CODENAME-backports"; do
  echo "deb [signed-by=$keyring] $(mirror) $release main"
done >"$apt/sources.list"
cat >"$apt/conf" <<CONF
Dir::State::Lists "$apt/lists"; Dir::Cache "$apt/cache";
Dir::Etc::sourcelist "$apt/sources.list"; Dir::Etc::sourceparts "-";
CONF
export APT_CONFIG=$apt/conf
apt-get update -q >&2
# Resolved against this machine: what it lacks comes along.
apt-get install -y -q --download-only --no-install-recommends -t "$VERSION_CODENAME-backports" qemu-system-x86 >&2
rm -rf "$cache/qemu/root"
mkdir -p "$cache/qemu/root" "$cache/qemu/bin"
for package in "$apt"/cache/archives/*.deb; do dpkg -x "$package" "$cache/qemu/root"; done
cat >"$qemu.new" <<'RUN'
#!/bin/bash
root=$(cd "$(dirname "$0")/../root" && pwd)
lib=x86_64-linux-gnu
export LD_LIBRARY_PATH=$root/usr/lib/$lib:$root/lib/$lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export QEMU_MODULE_DIR=$root/usr/lib/$lib/qemu
folders=()
for folder in "$root"/usr/{share/qemu,share/seabios,lib/ipxe/qemu} /usr/{share/seabios,lib/ipxe/qemu}; do
  folders+=(-L "$folder")
done
exec "$root/usr/bin/qemu-system-x86_64" "${folders[@]}" "$@"
RUN
chmod +x "$qemu.new"
"$qemu.new" -device igb,help >/dev/null
rm -rf "$apt"
mv "$qemu.new" "$qemu"
say "QEMU: $((SECONDS - began)) s"
echo "$qemu"
