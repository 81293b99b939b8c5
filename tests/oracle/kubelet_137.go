//go:build !kube135

// What differs between the versions of kubelet's own packages: this file fits 1.37.

package main

import (
	"context"
	_ "unsafe" // go:linkname: the exported constructor takes no folder of our own

	cadvisor "github.com/google/cadvisor/lib/model"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/klog/v2"
	deviceplugin "k8s.io/kubelet/pkg/apis/deviceplugin/v1beta1"
	"k8s.io/kubernetes/pkg/kubelet/cm/containermap"
	"k8s.io/kubernetes/pkg/kubelet/cm/cpumanager"
	"k8s.io/kubernetes/pkg/kubelet/cm/devicemanager"
	"k8s.io/kubernetes/pkg/kubelet/cm/memorymanager"
	"k8s.io/kubernetes/pkg/kubelet/cm/memorymanager/state"
	"k8s.io/kubernetes/pkg/kubelet/cm/topologymanager"
	"k8s.io/kubernetes/pkg/kubelet/lifecycle"
)

type (
	machineNode = cadvisor.Node
	machineCore = cadvisor.Core
	machineInfo = cadvisor.MachineInfo
	hugePages   = cadvisor.HugePagesInfo
)

// affinity is the store that the managers ask; each case puts its own topology manager in.
// What other pods hold is given on the NUMA nodes that are forced.
type affinity struct {
	now    topologymanager.Manager
	forced *topologymanager.TopologyHint
}

func (a *affinity) GetAffinity(_ klog.Logger, pod, container string) topologymanager.TopologyHint {
	if a.forced != nil {
		return *a.forced
	}
	if a.now == nil {
		return topologymanager.TopologyHint{}
	}
	return a.now.GetAffinity(quiet, pod, container)
}
func (a *affinity) GetPolicy() topologymanager.Policy { return a.now.GetPolicy() }
func (a *affinity) Name() string                      { return "oracle" }

// witness passes the topology manager's questions on and writes the answers down.
type witness struct {
	devices *devicemanager.ManagerImpl
	cpus    cpumanager.Manager    // nil where no container gets CPUs of its own
	memory  memorymanager.Manager // nil where no container gets memory of its own
	seen    []map[string][]topologymanager.TopologyHint
}

func (w *witness) GetTopologyHints(l klog.Logger, pod *v1.Pod, c *v1.Container, op lifecycle.Operation) map[string][]topologymanager.TopologyHint {
	hints := w.devices.GetTopologyHints(l, pod, c, op)
	w.seen = append(w.seen, hints)
	return hints
}

func (w *witness) GetPodTopologyHints(l klog.Logger, pod *v1.Pod, op lifecycle.Operation) map[string][]topologymanager.TopologyHint {
	hints := w.devices.GetPodTopologyHints(l, pod, op)
	w.seen = append(w.seen, hints)
	return hints
}

func (w *witness) AllocatePod(l klog.Logger, pod *v1.Pod, op lifecycle.Operation) error {
	return w.devices.AllocatePod(l, pod, op)
}

func (w *witness) Allocate(ctx context.Context, pod *v1.Pod, c *v1.Container, op lifecycle.Operation) error {
	return w.devices.Allocate(ctx, pod, c, op)
}

// cpuWitness is the same for CPUs; it is asked after the devices.
type cpuWitness struct {
	cpumanager.Manager
	w *witness
}

func (c cpuWitness) GetTopologyHints(l klog.Logger, pod *v1.Pod, one *v1.Container, op lifecycle.Operation) map[string][]topologymanager.TopologyHint {
	return c.w.beside(c.Manager.GetTopologyHints(l, pod, one, op))
}

func (c cpuWitness) GetPodTopologyHints(l klog.Logger, pod *v1.Pod, op lifecycle.Operation) map[string][]topologymanager.TopologyHint {
	return c.w.beside(c.Manager.GetPodTopologyHints(l, pod, op))
}

type memoryWitness struct {
	memorymanager.Manager
	w *witness
}

func (m memoryWitness) GetTopologyHints(l klog.Logger, pod *v1.Pod, one *v1.Container, op lifecycle.Operation) map[string][]topologymanager.TopologyHint {
	return m.w.beside(m.Manager.GetTopologyHints(l, pod, one, op))
}

func (m memoryWitness) GetPodTopologyHints(l klog.Logger, pod *v1.Pod, op lifecycle.Operation) map[string][]topologymanager.TopologyHint {
	return m.w.beside(m.Manager.GetPodTopologyHints(l, pod, op))
}

//go:linkname newManagerImpl k8s.io/kubernetes/pkg/kubelet/cm/devicemanager.newManagerImpl
func newManagerImpl(klog.Logger, string, []cadvisor.Node, topologymanager.Store) (*devicemanager.ManagerImpl, error)

func newDevices(socket string, nodes []machineNode, store *affinity, active func() []*v1.Pod) (*devicemanager.ManagerImpl, error) {
	devices, err := newManagerImpl(quiet, socket, nodes, store)
	if err != nil {
		return nil, err
	}
	return devices, devices.Start(quiet, active, ready{}, containermap.NewContainerMap(), sets.New[string]())
}

func newTopology(nodes []machineNode, policy, scope string, options map[string]string, w *witness) (topologymanager.Manager, error) {
	manager, err := topologymanager.NewManager(quiet, nodes, policy, scope, options)
	if err == nil {
		manager.AddHintProvider(quiet, w)
		if w.cpus != nil {
			manager.AddHintProvider(quiet, cpuWitness{w.cpus, w})
		}
		if w.memory != nil {
			manager.AddHintProvider(quiet, memoryWitness{w.memory, w})
		}
	}
	return manager, err
}

func merge(manager topologymanager.Manager, hints map[string][]topologymanager.TopologyHint) (topologymanager.TopologyHint, bool) {
	return manager.GetPolicy().Merge(quiet, []map[string][]topologymanager.TopologyHint{hints})
}

func admit(manager topologymanager.Manager, pod *v1.Pod) lifecycle.PodAdmitResult {
	return manager.Admit(quietContext, &lifecycle.PodAdmitAttributes{Pod: pod, Operation: lifecycle.AddOperation})
}

func allocate(devices *devicemanager.ManagerImpl, pod *v1.Pod, c *v1.Container) error {
	return devices.Allocate(quietContext, pod, c, lifecycle.AddOperation)
}

func allocateCPUs(cpus cpumanager.Manager, pod *v1.Pod, c *v1.Container) error {
	return cpus.Allocate(quietContext, pod, c, lifecycle.AddOperation)
}

func allocateMemory(memory memorymanager.Manager, pod *v1.Pod, c *v1.Container) error {
	return memory.Allocate(quietContext, pod, c, lifecycle.AddOperation)
}

func memoryOf(memory memorymanager.Manager, uid, container string) []state.Block {
	return memory.GetMemory(quiet, uid, container)
}

func connect(devices *devicemanager.ManagerImpl, resource string) error {
	return devices.PluginConnected(quietContext, resource, plugin{resource})
}

func list(devices *devicemanager.ManagerImpl, resource string, devs []*deviceplugin.Device) {
	devices.PluginListAndWatchReceiver(quiet, resource, &deviceplugin.ListAndWatchResponse{Devices: devs})
}

func forget(devices *devicemanager.ManagerImpl) { devices.UpdateAllocatedDevices(quiet) }
