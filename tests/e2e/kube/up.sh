#!/bin/bash
# up.sh DIR: one Kubernetes node with its control plane, all of it below the new folder DIR and on
# free ports of 127.0.0.1. Prints the path of an administrator's kubeconfig when the node is ready.
#
# Everything runs in a mount and a PID namespace of its own, where node.sh is PID 1: it all ends
# with the one process whose id stands in DIR/pid, and it changes no setting of the machine.
# With KUBE_OWNER, a process id, the cluster is taken down when that process is gone.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
[[ $EUID == 0 ]] || { echo "a node needs root: namespaces, cgroups, interfaces" >&2; exit 1; }
BIN=$("$here/build.sh")
mkdir "$1" && DIR=$(realpath "$1")
ID=$(openssl rand -hex 4)
export BIN DIR ID PATH=$BIN:$PATH
mkdir "$DIR/pki" "$DIR/log"
echo "$ID" >"$DIR/id"

# Below the ports that outgoing connections take, so that none of them is in the way.
read -r API ETCD PEERS KCM SCHEDULER KUBELET KUBELET_HEALTH < <(python3 - <<'P'
import random, socket
free = []
for port in random.sample(range(20000, 32000), 500):
    with socket.socket() as candidate:
        if len(free) < 7 and candidate.connect_ex(("127.0.0.1", port)):
            free.append(port)
print(*free)
P
)
export API ETCD PEERS KCM SCHEDULER KUBELET KUBELET_HEALTH

key() { openssl ecparam -name prime256v1 -genkey -noout -out "$DIR/pki/$1.key"; }
certificate() { # NAME SUBJECT EXTENSION...
  local name=$1 subject=$2
  shift 2
  key "$name"
  openssl req -new -key "$DIR/pki/$name.key" -subj "$subject" |
    openssl x509 -req -CA "$DIR/pki/ca.crt" -CAkey "$DIR/pki/ca.key" -CAcreateserial -days 30 \
      -extfile <(printf '%s\n' "$@") -out "$DIR/pki/$name.crt" 2>/dev/null
}
kubeconfig() { # FILE CERTIFICATE
  cat >"$DIR/$1" <<K
apiVersion: v1
kind: Config
clusters: [{name: lab, cluster: {server: "https://127.0.0.1:$API", certificate-authority: "$DIR/pki/ca.crt"}}]
users: [{name: lab, user: {client-certificate: "$DIR/pki/$2.crt", client-key: "$DIR/pki/$2.key"}}]
contexts: [{name: lab, context: {cluster: lab, user: lab}}]
current-context: lab
K
}
client="extendedKeyUsage=clientAuth"
key ca
openssl req -x509 -key "$DIR/pki/ca.key" -days 30 -subj /CN=lab-ca -out "$DIR/pki/ca.crt"
certificate apiserver /CN=kube-apiserver "subjectAltName=IP:127.0.0.1,IP:10.96.0.1" "extendedKeyUsage=serverAuth"
certificate kubelet-client /O=system:masters/CN=apiserver-kubelet-client "$client"
certificate admin /O=system:masters/CN=lab-admin "$client"
certificate kcm /CN=system:kube-controller-manager "$client"
certificate scheduler /CN=system:kube-scheduler "$client"
certificate node /O=system:nodes/CN=system:node:lab-node "subjectAltName=IP:127.0.0.1,DNS:lab-node" "$client,serverAuth"
key sa
openssl ec -in "$DIR/pki/sa.key" -pubout -out "$DIR/pki/sa.pub" 2>/dev/null
kubeconfig kubeconfig admin
for name in kcm scheduler node; do kubeconfig $name.kubeconfig $name; done
export KUBECONFIG=$DIR/kubeconfig

setsid unshare --mount --pid --fork --kill-child --mount-proc bash "$here/node.sh" "$DIR" \
  >"$DIR/log/node.log" 2>&1 </dev/null &
pid=$!
echo "$pid" >"$DIR/pid"
if [[ -n ${KUBE_OWNER:-} ]]; then
  setsid "$here/down.sh" "$DIR" "$KUBE_OWNER" >/dev/null 2>&1 </dev/null &
fi

await() { # WHAT COMMAND...: until the command succeeds; a minute at most
  local what=$1
  shift
  for _ in $(seq 240); do
    "$@" >/dev/null 2>&1 && return
    kill -0 "$pid" 2>/dev/null || break
    sleep 0.25
  done
  echo "$what did not come up; the ends of the logs:" >&2
  tail -n 15 "$DIR"/log/*.log >&2
  "$here/down.sh" "$DIR"
  exit 1
}
await "the API server" kubectl get --raw /readyz
kubectl apply -f "$here/nad-crd.yaml" >&2
await "the controller manager" kubectl get serviceaccount default
await "the node" kubectl get node lab-node
# kubelet takes no loopback address; with an external cloud provider it leaves them alone.
kubectl taint node lab-node node.cloudprovider.kubernetes.io/uninitialized- >/dev/null 2>&1 || true
kubectl patch node lab-node --subresource=status --type=merge >/dev/null \
  -p '{"status":{"addresses":[{"type":"InternalIP","address":"127.0.0.1"},{"type":"Hostname","address":"lab-node"}]}}'
await "a ready node" kubectl wait --for=condition=Ready node/lab-node --timeout=1s
await "the network definitions" kubectl get network-attachment-definitions
echo "$KUBECONFIG"
