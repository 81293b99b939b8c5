// The oracle answers placement questions with kubelet's own code: one case a line in, one answer a line out.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sort"

	"github.com/go-logr/logr"
	"google.golang.org/grpc"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"
	deviceplugin "k8s.io/kubelet/pkg/apis/deviceplugin/v1beta1"
	"k8s.io/kubernetes/pkg/kubelet/cm/cpumanager"
	"k8s.io/kubernetes/pkg/kubelet/cm/devicemanager"
	"k8s.io/kubernetes/pkg/kubelet/cm/memorymanager"
)

var (
	quiet        = logr.Discard()
	quietContext = klog.NewContext(context.Background(), quiet)
)

// plugin stands where a device plugin's gRPC client would.
type plugin struct{ resource string }

func (p plugin) API() deviceplugin.DevicePluginClient { return p }
func (p plugin) Resource() string                     { return p.resource }
func (p plugin) SocketPath() string                   { return p.resource }
func (p plugin) GetDevicePluginOptions(context.Context, *deviceplugin.Empty, ...grpc.CallOption) (*deviceplugin.DevicePluginOptions, error) {
	return &deviceplugin.DevicePluginOptions{}, nil
}
func (p plugin) ListAndWatch(context.Context, *deviceplugin.Empty, ...grpc.CallOption) (grpc.ServerStreamingClient[deviceplugin.ListAndWatchResponse], error) {
	return nil, fmt.Errorf("the oracle lists by itself")
}
func (p plugin) GetPreferredAllocation(context.Context, *deviceplugin.PreferredAllocationRequest, ...grpc.CallOption) (*deviceplugin.PreferredAllocationResponse, error) {
	return &deviceplugin.PreferredAllocationResponse{}, nil
}
func (p plugin) Allocate(context.Context, *deviceplugin.AllocateRequest, ...grpc.CallOption) (*deviceplugin.AllocateResponse, error) {
	return &deviceplugin.AllocateResponse{ContainerResponses: []*deviceplugin.ContainerAllocateResponse{{}}}, nil
}
func (p plugin) PreStartContainer(context.Context, *deviceplugin.PreStartContainerRequest, ...grpc.CallOption) (*deviceplugin.PreStartContainerResponse, error) {
	return &deviceplugin.PreStartContainerResponse{}, nil
}

type ready struct{}

func (ready) AddSource(string) {}
func (ready) AllReady() bool   { return true }

// A machine is a device manager for one list of NUMA nodes; it serves all cases that have that list.
type machine struct {
	devices   *devicemanager.ManagerImpl
	affinity  *affinity
	active    []*v1.Pod
	connected map[string]bool
	folder    string
	cpus      map[string]cpumanager.Manager
	memory    map[string]memorymanager.Manager
}

type oracle struct {
	folder   string
	machines map[string]*machine
	cases    int
}

func (o *oracle) machine(numa []int) (*machine, error) {
	key := fmt.Sprint(numa)
	if m := o.machines[key]; m != nil {
		return m, nil
	}
	folder := filepath.Join(o.folder, fmt.Sprint(len(o.machines)))
	m := &machine{affinity: &affinity{}, connected: map[string]bool{}, folder: folder, cpus: map[string]cpumanager.Manager{}, memory: map[string]memorymanager.Manager{}}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	var err error
	m.devices, err = newDevices(filepath.Join(folder, "s"), nodes(numa, nil), m.affinity, func() []*v1.Pod { return m.active })
	o.machines[key] = m
	return m, err
}

// furnish makes the machine as the case has it: devices that are held first, given to another pod.
func (m *machine) furnish(q *question, uid string) error {
	m.active, m.affinity.now = nil, nil
	forget(m.devices)
	holder := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "holder", UID: types.UID(uid)}}
	m.active = []*v1.Pod{holder}
	for name, devs := range q.Resources {
		if !m.connected[name] {
			if err := connect(m.devices, name); err != nil {
				return err
			}
			m.connected[name] = true
		}
		held, all := []*deviceplugin.Device{}, []*deviceplugin.Device{}
		for i := range devs {
			all = append(all, devs[i].asListed(devs[i].healthy))
			if devs[i].held {
				held = append(held, devs[i].asListed(true))
			}
		}
		if len(held) > 0 {
			list(m.devices, name, held)
			limits := v1.ResourceList{v1.ResourceName(name): *resource.NewQuantity(int64(len(held)), resource.DecimalSI)}
			c := v1.Container{Name: name, Resources: v1.ResourceRequirements{Limits: limits, Requests: limits}}
			holder.Spec.Containers = append(holder.Spec.Containers, c)
			if err := allocate(m.devices, holder, &c); err != nil {
				return err
			}
		}
		list(m.devices, name, all)
	}
	return nil
}

func (o *oracle) answer(q *question) (*answer, error) {
	o.cases++
	m, err := o.machine(q.Numa)
	if err != nil {
		return nil, err
	}
	w := &witness{devices: m.devices}
	if q.CPUs != nil {
		if w.cpus, err = m.cpuManager(q.CPUs); err != nil {
			return nil, err
		}
	}
	if q.Memory != nil {
		if w.memory, err = m.memoryManager(q.Memory); err != nil {
			return nil, err
		}
	}
	manager, err := newTopology(nodes(q.Numa, q.Distances), q.Policy, q.Scope, q.Options, w)
	if err != nil {
		return &answer{Refused: err.Error()}, nil
	}
	if err := m.furnish(q, fmt.Sprintf("holder-%d", o.cases)); err != nil {
		return nil, err
	}
	held := []int{}
	if w.cpus != nil {
		if held, err = m.holdCPUs(w.cpus, q.CPUs, fmt.Sprintf("cpu-holder-%d", o.cases)); err != nil {
			return nil, err
		}
	}
	blocks := []block{}
	if w.memory != nil {
		blocks = m.holdMemory(w.memory, q.Memory, fmt.Sprintf("memory-holder-%d", o.cases))
	}
	pod := q.pod(fmt.Sprintf("pod-%d", o.cases))
	m.active = append(m.active, pod)
	m.affinity.now = manager
	result := admit(manager, pod)
	found := &answer{Admitted: result.Admit, Reason: result.Reason, Message: result.Message, Steps: []step{}, Given: map[string]map[string][]string{}, HeldCPUs: held, Blocks: blocks}
	for _, hints := range w.seen {
		merged, ok := merge(manager, hints)
		found.Steps = append(found.Steps, step{Hints: written(hints), Merged: asHint(merged), OK: ok})
	}
	for _, c := range q.Containers {
		given := map[string][]string{}
		if w.cpus != nil {
			for _, id := range w.cpus.GetExclusiveCPUs(string(pod.UID), c.Name).List() {
				given["cpu"] = append(given["cpu"], fmt.Sprint(id))
			}
		}
		for name, instances := range m.devices.GetDevices(string(pod.UID), c.Name) {
			for id := range instances {
				given[name] = append(given[name], id)
			}
			sort.Strings(given[name])
		}
		if len(given) > 0 {
			found.Given[c.Name] = given
		}
	}
	return found, nil
}

func run() error {
	base := "/dev/shm"
	if _, err := os.Stat(base); err != nil {
		base = ""
	}
	folder, err := os.MkdirTemp(base, "oracle-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	o := &oracle{folder: folder, machines: map[string]*machine{}}
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 16<<20)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	encoder := json.NewEncoder(out)
	for in.Scan() {
		var q question
		if err := json.Unmarshal(in.Bytes(), &q); err != nil {
			return err
		}
		found, err := o.answer(&q)
		if err != nil {
			return fmt.Errorf("%s: %w", in.Text(), err)
		}
		if err := encoder.Encode(found); err != nil {
			return err
		}
	}
	return in.Err()
}

func main() {
	klog.SetLogger(quiet) // what kubelet logs without being given a logger
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
