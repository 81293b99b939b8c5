// kubelet's memory manager with its policy Static: machines with memory, and what other pods hold of it.

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/kubernetes/pkg/kubelet/apis/config"
	"k8s.io/kubernetes/pkg/kubelet/cm/containermap"
	"k8s.io/kubernetes/pkg/kubelet/cm/memorymanager"
	"k8s.io/kubernetes/pkg/kubelet/cm/topologymanager"
	"k8s.io/kubernetes/pkg/kubelet/cm/topologymanager/bitmask"
)

// Nodes has the bytes of each NUMA node, Pages how many of them are huge pages of 2 MiB.
type memory struct {
	Nodes    map[int]uint64 `json:"nodes"`
	Pages    map[int]uint64 `json:"pages"`
	Reserved map[int]int64  `json:"reserved"`
	Held     []holding      `json:"held,omitempty"`
}

type holding struct {
	Numa  []int            `json:"numa"`
	Bytes map[string]int64 `json:"bytes"`
}

// A block is [NUMA nodes, type, bytes].
type block [3]any

func (c *memory) machine() *machineInfo {
	info := &machineInfo{}
	for id, bytes := range c.Nodes {
		node := machineNode{Id: id, Memory: bytes}
		if pages := c.Pages[id]; len(c.Pages) > 0 {
			node.HugePages = []hugePages{{PageSize: 2048, NumPages: pages}}
		}
		info.Topology = append(info.Topology, node)
	}
	return info
}

func (m *machine) memoryManager(c *memory) (memorymanager.Manager, error) {
	text, err := json.Marshal(memory{Nodes: c.Nodes, Pages: c.Pages, Reserved: c.Reserved})
	if err != nil {
		return nil, err
	}
	if made := m.memory[string(text)]; made != nil {
		return made, nil
	}
	folder := filepath.Join(m.folder, fmt.Sprintf("memory-%d", len(m.memory)))
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	total := int64(0)
	kept := []config.MemoryReservation{}
	for id, bytes := range c.Reserved {
		total += bytes
		kept = append(kept, config.MemoryReservation{NumaNode: int32(id), Limits: v1.ResourceList{v1.ResourceMemory: *resource.NewQuantity(bytes, resource.BinarySI)}})
	}
	reserved := v1.ResourceList{v1.ResourceMemory: *resource.NewQuantity(total, resource.BinarySI)}
	made, err := memorymanager.NewManager(quiet, "Static", c.machine(), reserved, kept, folder, m.affinity)
	if err != nil {
		return nil, err
	}
	m.memory[string(text)] = made
	return made, made.Start(quietContext, func() []*v1.Pod { return m.active }, ready{}, nobody{}, nil, containermap.NewContainerMap())
}

// holdMemory gives another pod what it can have of what the case says.
func (m *machine) holdMemory(manager memorymanager.Manager, c *memory, uid string) []block {
	pod := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "memory-holder", UID: types.UID(uid)}}
	for i, each := range c.Held {
		limits := v1.ResourceList{v1.ResourceCPU: resource.MustParse("1")}
		for name, size := range each.Bytes {
			limits[v1.ResourceName(name)] = *resource.NewQuantity(size, resource.BinarySI)
		}
		one := v1.Container{Name: fmt.Sprint("held-", i), Resources: v1.ResourceRequirements{Limits: limits, Requests: limits}}
		pod.Spec.Containers = append(pod.Spec.Containers, one)
	}
	m.active = append(m.active, pod)
	held := []block{}
	for i, each := range c.Held {
		mask, err := bitmask.NewBitMask(each.Numa...)
		if err != nil {
			continue
		}
		m.affinity.forced = &topologymanager.TopologyHint{NUMANodeAffinity: mask, Preferred: false}
		err = allocateMemory(manager, pod, &pod.Spec.Containers[i])
		m.affinity.forced = nil
		if err != nil {
			continue
		}
		for _, b := range memoryOf(manager, uid, pod.Spec.Containers[i].Name) {
			held = append(held, block{b.NUMAAffinity, string(b.Type), b.Size})
		}
	}
	return held
}
