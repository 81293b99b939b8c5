#!/bin/bash
# node-up.sh DIR NAME [--wait|--wait-no]: one more node for the cluster in DIR, below DIR/NAME, in a
# mount and a PID namespace of its own within the cluster's. Its folder may hold before:
#   sys/          a made-up sysfs, laid over /sys of the node
#   dev           names of character devices that its /dev is to have, one a line
#   containerd.more  more lines for containerd's configuration, format 2
#   kubelet.more  more lines for kubelet's configuration
# Without --wait-no it waits until the node is ready, with --wait it starts nothing.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/pki.sh"
DIR=$(realpath "$1") NAME=$2 how=${3:-}
BIN=$("$here/build.sh") ID=$(<"$DIR/id") API=$(<"$DIR/port")
export DIR NAME BIN ID API PATH=$BIN:$PATH KUBECONFIG=$DIR/kubeconfig
mkdir -p "$DIR/$NAME"

if [[ $how != --wait ]]; then
  certificate "$NAME" "/O=system:nodes/CN=system:node:$NAME" "subjectAltName=IP:127.0.0.1,DNS:$NAME" \
    "extendedKeyUsage=clientAuth,serverAuth"
  kubeconfig "$NAME/kubeconfig" "$NAME"
  read -r KUBELET KUBELET_HEALTH < <(free_ports 2)
  export KUBELET KUBELET_HEALTH
  outer=$(<"$DIR/pid")
  for _ in $(seq 100); do # PID 1 of the cluster's namespaces is the one child of that process
    init=$(cut -d' ' -f1 "/proc/$outer/task/$outer/children")
    [[ -z $init ]] && sleep 0.1 || break
  done
  setsid nsenter --mount --pid --target "$init" \
    unshare --mount --pid --fork --kill-child --mount-proc bash "$here/node.sh" "$DIR" \
    >"$DIR/log/node-$NAME.log" 2>&1 </dev/null &
  echo $! >"$DIR/$NAME/pid"
fi
[[ $how != --wait-no ]] || exit 0

pid=$(<"$DIR/$NAME/pid")
await "$pid" "node $NAME" kubectl get node "$NAME"
# kubelet takes no loopback address; with an external cloud provider it leaves them alone.
kubectl taint node "$NAME" node.cloudprovider.kubernetes.io/uninitialized- >/dev/null 2>&1 || true
kubectl patch node "$NAME" --subresource=status --type=merge >/dev/null -p '{"status":{"addresses":[
  {"type":"InternalIP","address":"127.0.0.1"},{"type":"Hostname","address":"'"$NAME"'"}]}}'
await "$pid" "a ready node $NAME" kubectl wait --for=condition=Ready "node/$NAME" --timeout=1s
