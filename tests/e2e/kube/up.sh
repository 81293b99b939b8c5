#!/bin/bash
# up.sh DIR [NODE...]: a Kubernetes control plane and its nodes, all of it below the new folder DIR
# and on free ports of 127.0.0.1. Prints the path of an administrator's kubeconfig when the nodes
# are ready.
#
# Everything runs in a mount and a PID namespace of its own, where control.sh is PID 1: it all ends
# with the one process whose id stands in DIR/pid, and it changes no setting of the machine.
# With KUBE_OWNER, a process id, the cluster is taken down when that process is gone.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/pki.sh"
[[ $EUID == 0 ]] || { echo "a node needs root: namespaces, cgroups, interfaces" >&2; exit 1; }
BIN=$("$here/build.sh")
mkdir "$1" && DIR=$(realpath "$1")
shift
ID=$(openssl rand -hex 4)
export BIN DIR ID PATH=$BIN:$PATH
mkdir "$DIR/pki" "$DIR/log"
echo "$ID" >"$DIR/id"
read -r API ETCD PEERS KCM SCHEDULER < <(free_ports 5)
echo "$API" >"$DIR/port"
export API ETCD PEERS KCM SCHEDULER

client="extendedKeyUsage=clientAuth"
key ca
openssl req -x509 -key "$DIR/pki/ca.key" -days 30 -subj /CN=lab-ca -out "$DIR/pki/ca.crt"
certificate apiserver /CN=kube-apiserver "subjectAltName=IP:127.0.0.1,IP:10.96.0.1" "extendedKeyUsage=serverAuth"
certificate kubelet-client /O=system:masters/CN=apiserver-kubelet-client "$client"
certificate admin /O=system:masters/CN=lab-admin "$client"
certificate kcm /CN=system:kube-controller-manager "$client"
certificate scheduler /CN=system:kube-scheduler "$client"
key sa
openssl ec -in "$DIR/pki/sa.key" -pubout -out "$DIR/pki/sa.pub" 2>/dev/null
kubeconfig kubeconfig admin
for name in kcm scheduler; do kubeconfig $name.kubeconfig $name; done
export KUBECONFIG=$DIR/kubeconfig

# A root of its own in each hierarchy: a kubelet removes every pod below its root that it does not know.
if [[ -e /sys/fs/cgroup/cgroup.controllers ]]; then
  mkdir "/sys/fs/cgroup/podwire-$ID"
else
  for hierarchy in /sys/fs/cgroup/*/; do mkdir "$hierarchy/podwire-$ID" 2>/dev/null || true; done
fi

setsid unshare --mount --pid --fork --kill-child --mount-proc bash "$here/control.sh" "$DIR" \
  >"$DIR/log/control.log" 2>&1 </dev/null &
pid=$!
echo "$pid" >"$DIR/pid"
if [[ -n ${KUBE_OWNER:-} ]]; then
  setsid "$here/down.sh" "$DIR" "$KUBE_OWNER" >/dev/null 2>&1 </dev/null &
fi

trap '[[ $? == 0 ]] || "$here/down.sh" "$DIR"' EXIT
started=()
for node in "$@"; do
  "$here/node-up.sh" "$DIR" "$node" --wait-no &
  started+=($!)
done
await $pid "the API server" kubectl get --raw /readyz
kubectl apply -f "$here/crds.yaml" >&2
await $pid "the controller manager" kubectl get serviceaccount default
((!$#)) || wait "${started[@]}"
for node in "$@"; do "$here/node-up.sh" "$DIR" "$node" --wait; done
await $pid "the network definitions" kubectl get network-attachment-definitions
echo "$KUBECONFIG"
