#!/bin/bash
# control.sh: what up.sh runs as PID 1 of a cluster's namespaces. Starts the control plane, and
# ends (and all with it, nodes as well) when one of its programs ends.
set -euo pipefail
cd "$DIR"
mount --make-rprivate /

start() { # NAME COMMAND...
  local name=$1
  shift
  "$@" >"log/$name.log" 2>&1 &
}
start etcd etcd --name lab --data-dir etcd --unsafe-no-fsync --log-level warn \
  --listen-client-urls "http://127.0.0.1:$ETCD" --advertise-client-urls "http://127.0.0.1:$ETCD" \
  --listen-peer-urls "http://127.0.0.1:$PEERS" --initial-cluster "lab=http://127.0.0.1:$PEERS" \
  --initial-advertise-peer-urls "http://127.0.0.1:$PEERS"
start apiserver kube-apiserver --etcd-servers "http://127.0.0.1:$ETCD" \
  --bind-address 127.0.0.1 --secure-port "$API" --client-ca-file pki/ca.crt \
  --tls-cert-file pki/apiserver.crt --tls-private-key-file pki/apiserver.key \
  --authorization-mode Node,RBAC --allow-privileged=true --endpoint-reconciler-type none \
  --service-cluster-ip-range 10.96.0.0/16 --service-account-issuer https://kubernetes.default.svc \
  --service-account-key-file pki/sa.pub --service-account-signing-key-file pki/sa.key \
  --kubelet-client-certificate pki/kubelet-client.crt --kubelet-client-key pki/kubelet-client.key \
  --kubelet-certificate-authority pki/ca.crt --kubelet-preferred-address-types InternalIP
for _ in $(seq 240); do kubectl get --raw /readyz >/dev/null 2>&1 && break || sleep 0.25; done
start kcm kube-controller-manager --kubeconfig kcm.kubeconfig --bind-address 127.0.0.1 --secure-port "$KCM" \
  --use-service-account-credentials --service-account-private-key-file pki/sa.key \
  --root-ca-file pki/ca.crt --leader-elect=false
start scheduler kube-scheduler --kubeconfig scheduler.kubeconfig --bind-address 127.0.0.1 \
  --secure-port "$SCHEDULER" --leader-elect=false
wait -n
echo "a program ended with status $?"
