#!/bin/bash
# build.sh: builds Kubernetes and what a node of it needs from the Go modules in modules/, once.
#
# All goes to bin/ in ${PODWIRE_KUBE_CACHE:-~/.cache/podwire-kube}. bin/.MODULE holds a hash of
# the module's go.mod and go.sum and of its lines below; nothing is built while it agrees. The
# first time takes a quarter of an hour on two cores (kube-apiserver half of it). Prints the folder.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
bin=${PODWIRE_KUBE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/podwire-kube}/bin

programs() { # a line each: module, output, package, tags
  cat <<P
kubernetes kube-apiserver k8s.io/kubernetes/cmd/kube-apiserver
kubernetes kube-scheduler k8s.io/kubernetes/cmd/kube-scheduler
kubernetes kube-controller-manager k8s.io/kubernetes/cmd/kube-controller-manager
kubernetes kubelet k8s.io/kubernetes/cmd/kubelet
kubernetes kubectl k8s.io/kubernetes/cmd/kubectl
etcd etcd go.etcd.io/etcd/server/v3
runc runc github.com/opencontainers/runc seccomp
containerd containerd github.com/containerd/containerd/v2/cmd/containerd no_btrfs,no_devmapper,no_zfs
containerd containerd-shim-runc-v2 github.com/containerd/containerd/v2/cmd/containerd-shim-runc-v2 no_btrfs,no_devmapper,no_zfs
containerd ctr github.com/containerd/containerd/v2/cmd/ctr no_btrfs,no_devmapper,no_zfs
cni cni/bridge github.com/containernetworking/plugins/plugins/main/bridge
cni cni/loopback github.com/containernetworking/plugins/plugins/main/loopback
cni cni/host-local github.com/containernetworking/plugins/plugins/ipam/host-local
cni cni/multus gopkg.in/k8snetworkplumbingwg/multus-cni.v4/cmd/multus
cni cni/whereabouts github.com/k8snetworkplumbingwg/whereabouts/cmd
rdma k8s-rdma-shared-dp github.com/Mellanox/k8s-rdma-shared-dev-plugin/cmd/k8s-rdma-shared-dp
P
}
modules() { programs | cut -d' ' -f1 | uniq; }

key() { # MODULE
  { cat "$here/modules/$1"/go.{mod,sum} && programs | grep "^$1 " && ldflags "$1"; } | sha256sum | cut -c1-16
}
is_built() { [[ -e $bin/.$1 && $(<"$bin/.$1") == "$(key "$1")" ]]; } # MODULE

ldflags() { # MODULE
  local version name stamp=
  if [[ $1 == kubernetes ]]; then
    version=$(sed -n 's#^require k8s.io/kubernetes ##p' "$here/modules/kubernetes/go.mod")
    for name in "gitVersion=$version" gitMajor=1 "gitMinor=$(cut -d. -f2 <<<"$version")"; do
      stamp+=" -X k8s.io/component-base/version.$name"
    done
  fi
  echo "-s -w$stamp"
}

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

build() { # MODULE
  local module output package tags
  rm -f "$bin/.$1"
  while read -r module output package tags; do
    [[ $module == "$1" ]] || continue
    echo "building $output" >&2
    (cd "$here/modules/$module" &&
      nice go build -trimpath -tags "$tags" -ldflags "$(ldflags "$1")" -o "$bin/$output" "$package")
  done < <(programs)
  key "$1" >"$bin/.$1"
}

mkdir -p "$bin/cni"
exec 9>"$bin/.lock"
flock 9 # another run may be building
need_to_run
for module in $(modules); do
  is_built "$module" && continue
  need_to_build
  build "$module"
done
echo "$bin"
