#!/bin/bash
# node.sh: what node-up.sh runs as PID 1 of a node's namespaces. Lays the node's own folders over
# the machine's, starts containerd and kubelet, and starts kubelet again when it ends.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
N=$DIR/$NAME
cd "$N"
mkdir -p var run net.d cni sysctl cdi

mount --make-rprivate /
mkdir -p /var/lib/kubelet # stays behind, empty
mount --bind var /var/lib/kubelet
mount --make-shared /var/lib/kubelet
mount --bind run /run
mkdir -p /run/netns /run/cdi
# kubelet sets these; here it sets copies, and the machine keeps its own.
for name in vm/overcommit_memory vm/panic_on_oom kernel/panic kernel/panic_on_oops \
  kernel/keys/root_maxkeys kernel/keys/root_maxbytes; do
  copy=sysctl/${name//\//.}
  cat "/proc/sys/$name" >"$copy"
  mount --bind "$copy" "/proc/sys/$name"
done
if [[ -d sys ]]; then # what runtimes and cadvisor need of the real one stays
  for part in fs kernel module block class/block class/dmi class/net devices/system/cpu devices/virtual; do
    [[ -d /sys/$part ]] || continue
    mkdir -p "sys/$part"
    mount --rbind "/sys/$part" "sys/$part"
  done
  mount --rbind sys /sys
fi
if [[ -e dev ]]; then # on a /dev of this namespace only
  mkdir -p devices
  mount -t tmpfs devices devices
  cp -a /dev/. devices/ 2>/dev/null || true
  for part in pts shm mqueue; do
    [[ ! -d /dev/$part ]] || { mkdir -p "devices/$part" && mount --rbind "/dev/$part" "devices/$part"; }
  done
  minor=0
  while read -r name; do
    mkdir -p "$(dirname "devices/$name")"
    mknod "devices/$name" c 231 $((minor++)) || true
  done <dev
  mount --rbind devices /dev
fi

# whereabouts looks for its settings below /etc/cni, which the machine may not have.
mkdir -p etc etc.work
mount -t overlay overlay -o "lowerdir=/etc,upperdir=$N/etc,workdir=$N/etc.work" /etc
mkdir -p /etc/cni/net.d/whereabouts.d
cat >/etc/cni/net.d/whereabouts.d/whereabouts.conf <<J
{"datastore": "kubernetes", "kubernetes": {"kubeconfig": "$DIR/kubeconfig"}, "log_level": "error"}
J

ln -sf "$BIN"/cni/* cni/
for name in ib-sriov sriov; do ln -sf "$here/stand_in_sriov.py" cni/$name; done
cat >containerd.toml <<T
version = 2
root = "$N/containerd"
state = "$N/run/containerd"
[grpc]
  address = "$N/run/containerd.sock"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "lab.local/busybox:1"
  disable_apparmor = true
  restrict_oom_score_adj = true # containers often lack CAP_SYS_RESOURCE
  stream_server_address = "127.0.0.1"
  enable_cdi = true
  cdi_spec_dirs = ["$N/cdi"]
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "$N/cni"
    conf_dir = "$N/net.d"
  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
T
[[ ! -e containerd.more ]] || cat containerd.more >>containerd.toml
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
containerRuntimeEndpoint: unix://$N/run/containerd.sock
cgroupDriver: cgroupfs
cgroupRoot: /podwire-$ID/$NAME
failCgroupV1: false
failSwapOn: false
authentication: {anonymous: {enabled: false}, webhook: {enabled: true}, x509: {clientCAFile: $DIR/pki/ca.crt}}
authorization: {mode: Webhook}
tlsCertFile: $DIR/pki/$NAME.crt
tlsPrivateKeyFile: $DIR/pki/$NAME.key
resolvConf: ""
clusterDNS: [10.96.0.10]
makeIPTablesUtilChains: false
maxPods: 400
nodeStatusUpdateFrequency: 1s
evictionHard: {nodefs.available: "1%", imagefs.available: "1%", memory.available: 50Mi}
imageGCHighThresholdPercent: 100
imageGCLowThresholdPercent: 99
Y
[[ ! -e kubelet.more ]] || cat kubelet.more >>kubelet.yaml
# Each node's kubelet has a root of its own below the cluster's.
for hierarchy in /sys/fs/cgroup/podwire-"$ID" /sys/fs/cgroup/*/podwire-"$ID"; do
  [[ ! -d $hierarchy ]] || mkdir -p "$hierarchy/$NAME"
done

await() { # COMMAND...
  for _ in $(seq 240); do "$@" >/dev/null 2>&1 && return || sleep 0.25; done
  echo "in vain: $*"
  exit 1
}
containerd -c containerd.toml >"$DIR/log/containerd-$NAME.log" 2>&1 &
python3 "$here/image.py" busybox.tar lab.local/busybox:1 "$(command -v busybox)"
await ctr -a "$N/run/containerd.sock" version
ctr -a "$N/run/containerd.sock" -n k8s.io images import busybox.tar
await kubectl get --raw /readyz
while :; do
  kubelet --config kubelet.yaml --kubeconfig kubeconfig --hostname-override "$NAME" \
    --cloud-provider external --v 2 >>"$DIR/log/kubelet-$NAME.log" 2>&1 &
  echo $! >kubelet.pid # as this namespace counts
  wait -n || true
  kill -0 $! 2>/dev/null && break # it was containerd
  sleep 0.2
done
