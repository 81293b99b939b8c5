// kubelet's CPU manager with its static policy: machines with CPUs, and what other pods hold of them.

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/kubernetes/pkg/kubelet/cm/containermap"
	"k8s.io/kubernetes/pkg/kubelet/cm/cpumanager"
	"k8s.io/kubernetes/pkg/kubelet/cm/topologymanager"
	"k8s.io/kubernetes/pkg/kubelet/cm/topologymanager/bitmask"
	"k8s.io/utils/cpuset"
)

// Nodes has the CPUs of each NUMA node; Threads of them, one after the other, are a core.
type cpus struct {
	Nodes    map[int][]int     `json:"nodes"`
	Threads  int               `json:"threads"`
	Reserved []int             `json:"reserved"`
	Options  map[string]string `json:"options"`
	Held     map[int]int       `json:"held,omitempty"`
}

type nobody struct{}

func (nobody) GetPodStatus(types.UID) (v1.PodStatus, bool) { return v1.PodStatus{}, false }

func (c *cpus) machine() *machineInfo {
	info := &machineInfo{NumSockets: len(c.Nodes)}
	for id, list := range c.Nodes {
		node := machineNode{Id: id}
		for i := 0; i < len(list); i += c.Threads {
			node.Cores = append(node.Cores, machineCore{Id: i, Threads: list[i : i+c.Threads], SocketID: id})
		}
		info.NumCores += len(list)
		info.Topology = append(info.Topology, node)
	}
	return info
}

// cpuManager serves all cases with the same CPUs; kubelet itself drops what pods held that are gone.
func (m *machine) cpuManager(c *cpus) (cpumanager.Manager, error) {
	text, err := json.Marshal(cpus{Nodes: c.Nodes, Threads: c.Threads, Reserved: c.Reserved, Options: c.Options})
	if err != nil {
		return nil, err
	}
	if made := m.cpus[string(text)]; made != nil {
		return made, nil
	}
	folder := filepath.Join(m.folder, fmt.Sprintf("cpus-%d", len(m.cpus)))
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	reserved := v1.ResourceList{v1.ResourceCPU: *resource.NewQuantity(int64(len(c.Reserved)), resource.DecimalSI)}
	made, err := cpumanager.NewManager(quiet, "static", c.Options, 1000*time.Hour, c.machine(), cpuset.New(c.Reserved...), reserved, folder, m.affinity)
	if err != nil {
		return nil, err
	}
	m.cpus[string(text)] = made
	return made, made.Start(quietContext, func() []*v1.Pod { return m.active }, ready{}, nobody{}, nil, containermap.NewContainerMap())
}

func (m *machine) holdCPUs(manager cpumanager.Manager, c *cpus, uid string) ([]int, error) {
	pod := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "cpu-holder", UID: types.UID(uid)}}
	for id, count := range c.Held {
		limits := v1.ResourceList{
			v1.ResourceCPU:    *resource.NewQuantity(int64(count), resource.DecimalSI),
			v1.ResourceMemory: resource.MustParse("1Gi"),
		}
		one := v1.Container{Name: fmt.Sprint("on-", id), Resources: v1.ResourceRequirements{Limits: limits, Requests: limits}}
		pod.Spec.Containers = append(pod.Spec.Containers, one)
	}
	m.active = append(m.active, pod)
	held := []int{}
	for i := range pod.Spec.Containers {
		one := &pod.Spec.Containers[i]
		var id int
		if _, err := fmt.Sscanf(one.Name, "on-%d", &id); err != nil {
			return nil, err
		}
		mask, err := bitmask.NewBitMask(id)
		if err != nil {
			return nil, err
		}
		m.affinity.forced = &topologymanager.TopologyHint{NUMANodeAffinity: mask, Preferred: true}
		err = allocateCPUs(manager, pod, one)
		m.affinity.forced = nil
		if err != nil {
			return nil, err
		}
		held = append(held, manager.GetExclusiveCPUs(uid, one.Name).List()...)
	}
	return held, nil
}

// beside puts the hints for CPUs or memory beside those for devices, in the step that they belong to.
func (w *witness) beside(hints map[string][]topologymanager.TopologyHint) map[string][]topologymanager.TopologyHint {
	last := len(w.seen) - 1
	all := map[string][]topologymanager.TopologyHint{}
	for _, each := range []map[string][]topologymanager.TopologyHint{w.seen[last], hints} {
		for name, list := range each {
			all[name] = list
		}
	}
	w.seen[last] = all
	return hints
}
