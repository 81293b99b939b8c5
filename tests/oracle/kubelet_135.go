//go:build kube135

// What differs between the versions of kubelet's own packages: this file fits 1.35.

package main

import (
	_ "unsafe" // go:linkname: the exported constructor takes no folder of our own

	cadvisor "github.com/google/cadvisor/info/v1"
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

func (a *affinity) GetAffinity(pod, container string) topologymanager.TopologyHint {
	if a.forced != nil {
		return *a.forced
	}
	if a.now == nil {
		return topologymanager.TopologyHint{}
	}
	return a.now.GetAffinity(pod, container)
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

func (w *witness) GetTopologyHints(pod *v1.Pod, c *v1.Container) map[string][]topologymanager.TopologyHint {
	hints := w.devices.GetTopologyHints(pod, c)
	w.seen = append(w.seen, hints)
	return hints
}

func (w *witness) GetPodTopologyHints(pod *v1.Pod) map[string][]topologymanager.TopologyHint {
	hints := w.devices.GetPodTopologyHints(pod)
	w.seen = append(w.seen, hints)
	return hints
}

func (w *witness) Allocate(pod *v1.Pod, c *v1.Container) error { return w.devices.Allocate(pod, c) }

// cpuWitness is the same for CPUs; it is asked after the devices.
type cpuWitness struct {
	cpumanager.Manager
	w *witness
}

func (c cpuWitness) GetTopologyHints(pod *v1.Pod, one *v1.Container) map[string][]topologymanager.TopologyHint {
	return c.w.beside(c.Manager.GetTopologyHints(pod, one))
}

func (c cpuWitness) GetPodTopologyHints(pod *v1.Pod) map[string][]topologymanager.TopologyHint {
	return c.w.beside(c.Manager.GetPodTopologyHints(pod))
}

type memoryWitness struct {
	memorymanager.Manager
	w *witness
}

func (m memoryWitness) GetTopologyHints(pod *v1.Pod, one *v1.Container) map[string][]topologymanager.TopologyHint {
	return m.w.beside(m.Manager.GetTopologyHints(pod, one))
}

func (m memoryWitness) GetPodTopologyHints(pod *v1.Pod) map[string][]topologymanager.TopologyHint {
	return m.w.beside(m.Manager.GetPodTopologyHints(pod))
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
	manager, err := topologymanager.NewManager(nodes, policy, scope, options)
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
	return manager.Admit(&lifecycle.PodAdmitAttributes{Pod: pod})
}

func allocate(devices *devicemanager.ManagerImpl, pod *v1.Pod, c *v1.Container) error {
	return devices.Allocate(pod, c)
}

func allocateCPUs(cpus cpumanager.Manager, pod *v1.Pod, c *v1.Container) error {
	return cpus.Allocate(pod, c)
}

func allocateMemory(memory memorymanager.Manager, pod *v1.Pod, c *v1.Container) error {
	return memory.Allocate(pod, c)
}

func memoryOf(memory memorymanager.Manager, uid, container string) []state.Block {
	return memory.GetMemory(uid, container)
}

func connect(devices *devicemanager.ManagerImpl, resource string) error {
	return devices.PluginConnected(quietContext, resource, plugin{resource})
}

func list(devices *devicemanager.ManagerImpl, resource string, devs []*deviceplugin.Device) {
	devices.PluginListAndWatchReceiver(quiet, resource, &deviceplugin.ListAndWatchResponse{Devices: devs})
}

func forget(devices *devicemanager.ManagerImpl) { devices.UpdateAllocatedDevices() }
