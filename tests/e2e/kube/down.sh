#!/bin/bash
# down.sh DIR [OWNER]: ends the cluster that up.sh started in DIR, and nothing else; the logs stay.
# With OWNER, a process id: once that process is gone.
dir=$(realpath "$1") owner=${2:-}
if [[ -n $owner ]]; then
  while [[ -d /proc/$owner && -e $dir/pid ]]; do sleep 1; done
fi
[[ -e $dir/pid ]] || exit 0
pid=$(<"$dir/pid") id=$(<"$dir/id")
# The command line names DIR: no other process that got this number later does.
if grep -qsF "$dir" "/proc/$pid/cmdline"; then
  read -r init _ <"/proc/$pid/task/$pid/children"
  kill -9 "$pid" # and with it the namespace's PID 1, and with that all in it
  for _ in $(seq 100); do
    [[ $(sed -n 's/^State:\t//p' "/proc/$init/status" 2>/dev/null) == [^Z]* ]] || break
    sleep 0.1
  done
fi

roots() { find /sys/fs/cgroup -maxdepth 2 -type d -name "podwire-$id"; }
for _ in $(seq 40); do
  roots | while read -r root; do find "$root" -depth -type d -exec rmdir {} + 2>/dev/null; done
  [[ -n $(roots) ]] || break
  sleep 0.25
done
ip link del "pw$id" 2>/dev/null
rm -f "$dir/pid"
