#!/bin/bash
# build.sh: builds Kubernetes and what a node of it needs from the Go modules in modules/, once.
#
# All goes to bin/ in ${PODWIRE_KUBE_CACHE:-~/.cache/podwire-kube}. bin/.built holds a hash of
# the modules' go.mod and go.sum and of this file; nothing is built while it agrees. The first time takes a quarter of
# an hour on two cores (kube-apiserver half of it). Prints the folder.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
bin=${PODWIRE_KUBE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/podwire-kube}/bin
key=$(cat "$here"/modules/*/go.{mod,sum} "$here/build.sh" | sha256sum | cut -c1-16)

is_built() { [[ -e $bin/.built && $(<"$bin/.built") == "$key" ]]; }

need() { # PACKAGE...: installs Debian packages, or says which are missing
  (($#)) || return 0
  [[ $EUID == 0 ]] || { echo "missing here: $* (as root: apt-get install $*)" >&2; exit 1; }
  apt-get update -q >&2
  apt-get install -y -q --no-install-recommends "$@" >&2
}

need_to_run() {
  local missing=() busybox
  command -v ip >/dev/null || missing+=(iproute2)
  command -v openssl >/dev/null || missing+=(openssl)
  command -v python3 >/dev/null || missing+=(python3)
  # The pods' image is this one file, so it has to be the static one.
  busybox=$(command -v busybox) && ! ldd "$busybox" >/dev/null 2>&1 || missing+=(busybox-static)
  need "${missing[@]}"
}

need_to_build() {
  command -v go >/dev/null || { echo "building Kubernetes needs Go 1.26" >&2; exit 1; }
  local missing=()
  command -v cc >/dev/null || missing+=(gcc libc6-dev)
  command -v pkg-config >/dev/null || missing+=(pkg-config)
  # runc without seccomp refuses every pod.
  pkg-config --exists libseccomp 2>/dev/null || missing+=(libseccomp-dev)
  need "${missing[@]}"
}

build() { # MODULE OUTPUT PACKAGE [FLAG...]
  local module=$1 output=$2 package=$3
  shift 3
  echo "building $output" >&2
  (cd "$here/modules/$module" && nice go build -trimpath "$@" -o "$bin/$output" "$package")
}

build_all() {
  local version stamp name
  version=$(sed -n 's#^require k8s.io/kubernetes ##p' "$here/modules/kubernetes/go.mod")
  for name in "gitVersion=$version" gitMajor=1 "gitMinor=$(cut -d. -f2 <<<"$version")"; do
    stamp+=" -X k8s.io/component-base/version.$name"
  done
  for name in kube-apiserver kube-scheduler kube-controller-manager kubelet kubectl; do
    build kubernetes $name k8s.io/kubernetes/cmd/$name -ldflags "-s -w$stamp"
  done
  build etcd etcd go.etcd.io/etcd/server/v3 -ldflags "-s -w"
  build runc runc github.com/opencontainers/runc -tags seccomp -ldflags "-s -w"
  for name in containerd containerd-shim-runc-v2 ctr; do
    build containerd $name github.com/containerd/containerd/v2/cmd/$name \
      -tags no_btrfs,no_devmapper,no_zfs -ldflags "-s -w"
  done
  for name in main/bridge main/loopback ipam/host-local; do
    build cni "cni/${name##*/}" github.com/containernetworking/plugins/plugins/$name -ldflags "-s -w"
  done
  build cni cni/multus gopkg.in/k8snetworkplumbingwg/multus-cni.v4/cmd/multus -ldflags "-s -w"
}

mkdir -p "$bin/cni"
exec 9>"$bin/.lock"
flock 9 # another run may be building
need_to_run
if ! is_built; then
  need_to_build
  rm -f "$bin/.built"
  build_all
  echo "$key" >"$bin/.built"
fi
echo "$bin"
