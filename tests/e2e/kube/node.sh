#!/bin/bash
# node.sh: what up.sh runs as PID 1 of the node's namespaces. Lays the node's own folders over the
# machine's, starts every program, and ends (and all of them with it) when one of them ends.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cd "$DIR"
mkdir -p var run net.d cni sysctl

mount --make-rprivate /
mkdir -p /var/lib/kubelet # stays behind, empty
mount --bind var /var/lib/kubelet
mount --make-shared /var/lib/kubelet
mount --bind run /run
mkdir -p /run/netns
# kubelet sets these; here it sets copies, and the machine keeps its own.
for name in vm/overcommit_memory vm/panic_on_oom kernel/panic kernel/panic_on_oops \
  kernel/keys/root_maxkeys kernel/keys/root_maxbytes; do
  copy=sysctl/${name//\//.}
  cat "/proc/sys/$name" >"$copy"
  mount --bind "$copy" "/proc/sys/$name"
done
# A root of its own in each hierarchy: a kubelet removes every pod below its root that it does not know.
if [[ -e /sys/fs/cgroup/cgroup.controllers ]]; then
  mkdir "/sys/fs/cgroup/podwire-$ID"
else
  for hierarchy in /sys/fs/cgroup/*/; do mkdir "$hierarchy/podwire-$ID" 2>/dev/null || true; done
fi

ln -s "$BIN"/cni/* cni/
ln -sf "$here/ib_sriov.py" cni/ib-sriov # a stand-in
cat >containerd.toml <<T
version = 2
root = "$DIR/containerd"
state = "$DIR/run/containerd"
[grpc]
  address = "$DIR/run/containerd.sock"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "lab.local/busybox:1"
  disable_apparmor = true
  restrict_oom_score_adj = true # containers often lack CAP_SYS_RESOURCE
  stream_server_address = "127.0.0.1"
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "$DIR/cni"
    conf_dir = "$DIR/net.d"
  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
T
# The bridge has no address: pods see each other, the machine's routes stay as they are.
cat >net.d/00-multus.conf <<J
{"cniVersion": "0.4.0", "name": "multus-cni-network", "type": "multus", "kubeconfig": "$DIR/kubeconfig",
 "logLevel": "error", "logFile": "$DIR/log/multus.log",
 "delegates": [{"cniVersion": "0.4.0", "name": "lab", "plugins": [
   {"type": "bridge", "bridge": "pw$ID", "isGateway": false, "ipMasq": false,
    "ipam": {"type": "host-local", "dataDir": "/run/ipam", "ranges": [[{"subnet": "10.77.0.0/16"}]]}}]}]}
J
cat >kubelet.yaml <<Y
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
address: 127.0.0.1
port: $KUBELET
healthzPort: $KUBELET_HEALTH
readOnlyPort: 0
containerRuntimeEndpoint: unix://$DIR/run/containerd.sock
cgroupDriver: cgroupfs
cgroupRoot: /podwire-$ID
failCgroupV1: false
failSwapOn: false
authentication: {anonymous: {enabled: false}, webhook: {enabled: true}, x509: {clientCAFile: $DIR/pki/ca.crt}}
authorization: {mode: Webhook}
tlsCertFile: $DIR/pki/node.crt
tlsPrivateKeyFile: $DIR/pki/node.key
resolvConf: ""
clusterDNS: [10.96.0.10]
makeIPTablesUtilChains: false
nodeStatusUpdateFrequency: 1s
evictionHard: {nodefs.available: "1%", imagefs.available: "1%", memory.available: 50Mi}
imageGCHighThresholdPercent: 100
imageGCLowThresholdPercent: 99
Y

start() { # NAME COMMAND...
  local name=$1
  shift
  "$@" >"log/$name.log" 2>&1 &
}
await() { # COMMAND...
  for _ in $(seq 240); do "$@" >/dev/null 2>&1 && return || sleep 0.25; done
  echo "in vain: $*"
  exit 1
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
start containerd containerd -c containerd.toml
python3 "$here/image.py" busybox.tar lab.local/busybox:1 "$(command -v busybox)"
await ctr -a "$DIR/run/containerd.sock" version
ctr -a "$DIR/run/containerd.sock" -n k8s.io images import busybox.tar
await kubectl get --raw /readyz
start kcm kube-controller-manager --kubeconfig kcm.kubeconfig --bind-address 127.0.0.1 --secure-port "$KCM" \
  --use-service-account-credentials --service-account-private-key-file pki/sa.key \
  --root-ca-file pki/ca.crt --leader-elect=false
start scheduler kube-scheduler --kubeconfig scheduler.kubeconfig --bind-address 127.0.0.1 \
  --secure-port "$SCHEDULER" --leader-elect=false
start kubelet kubelet --config kubelet.yaml --kubeconfig node.kubeconfig --hostname-override lab-node \
  --cloud-provider external --v 2
wait -n
echo "a program ended with status $?"
