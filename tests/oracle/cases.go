// Cases and answers, as JSON lines have them and as kubelet's packages want them.

package main

import (
	"encoding/json"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	deviceplugin "k8s.io/kubelet/pkg/apis/deviceplugin/v1beta1"
	"k8s.io/kubernetes/pkg/kubelet/cm/topologymanager"
)

// A device is [id, NUMA nodes, healthy, held by another pod].
type device struct {
	id      string
	numa    []int64
	healthy bool
	held    bool
}

func (d *device) UnmarshalJSON(text []byte) error {
	var parts [4]json.RawMessage
	if err := json.Unmarshal(text, &parts); err != nil {
		return err
	}
	for i, to := range []any{&d.id, &d.numa, &d.healthy, &d.held} {
		if err := json.Unmarshal(parts[i], to); err != nil {
			return err
		}
	}
	return nil
}

func (d *device) asListed(healthy bool) *deviceplugin.Device {
	listed := &deviceplugin.Device{ID: d.id, Health: deviceplugin.Unhealthy}
	if healthy {
		listed.Health = deviceplugin.Healthy
	}
	if len(d.numa) > 0 {
		listed.Topology = &deviceplugin.TopologyInfo{}
		for _, n := range d.numa {
			listed.Topology.Nodes = append(listed.Topology.Nodes, &deviceplugin.NUMANode{ID: n})
		}
	}
	return listed
}

type container struct {
	Name  string           `json:"name"`
	Kind  string           `json:"kind"` // init, sidecar, app
	Wants map[string]int64 `json:"wants"`
	CPU   string           `json:"cpu"` // where a manager gives CPUs or memory
	Bytes map[string]int64 `json:"bytes"`
}

type question struct {
	Numa       []int               `json:"numa"`
	Distances  [][]uint64          `json:"distances"`
	Policy     string              `json:"policy"`
	Scope      string              `json:"scope"`
	Options    map[string]string   `json:"options"`
	Resources  map[string][]device `json:"resources"`
	Containers []container         `json:"containers"`
	CPUs       *cpus               `json:"cpus"`
	Memory     *memory             `json:"memory"`
}

// A hint is [mask or null, preferred].
type hint [2]any

type step struct {
	Hints  map[string][]hint `json:"hints"`
	Merged hint              `json:"merged"`
	OK     bool              `json:"ok"`
}

type answer struct {
	Refused  string                         `json:"refused,omitempty"`
	Admitted bool                           `json:"admitted"`
	Reason   string                         `json:"reason,omitempty"`
	Message  string                         `json:"message,omitempty"`
	Steps    []step                         `json:"steps"`
	Given    map[string]map[string][]string `json:"given"`
	HeldCPUs []int                          `json:"heldCpus,omitempty"`
	Blocks   []block                        `json:"heldMemory,omitempty"`
}

func nodes(numa []int, distances [][]uint64) []machineNode {
	every := []machineNode{}
	for i, id := range numa {
		node := machineNode{Id: id}
		if i < len(distances) {
			node.Distances = distances[i]
		}
		every = append(every, node)
	}
	return every
}

// resourceName keeps a resource that no plugin registered apart from one of an earlier case.
func (q *question) resourceName(name string) string {
	if _, registered := q.Resources[name]; registered {
		return name
	}
	return name + "-absent"
}

func (q *question) pod(uid string) *v1.Pod {
	always := v1.ContainerRestartPolicyAlways
	pod := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Name: uid, Namespace: "oracle", UID: types.UID(uid)}}
	for _, c := range q.Containers {
		limits := v1.ResourceList{}
		for name, n := range c.Wants {
			limits[v1.ResourceName(q.resourceName(name))] = *resource.NewQuantity(n, resource.DecimalSI)
		}
		if c.CPU != "" {
			limits[v1.ResourceCPU] = resource.MustParse(c.CPU)
			for name, size := range c.Bytes {
				limits[v1.ResourceName(name)] = *resource.NewQuantity(size, resource.BinarySI)
			}
		}
		made := v1.Container{Name: c.Name, Resources: v1.ResourceRequirements{Limits: limits, Requests: limits}}
		switch c.Kind {
		case "app":
			pod.Spec.Containers = append(pod.Spec.Containers, made)
		case "sidecar":
			made.RestartPolicy = &always
			fallthrough
		default:
			pod.Spec.InitContainers = append(pod.Spec.InitContainers, made)
		}
	}
	return pod
}

func written(hints map[string][]topologymanager.TopologyHint) map[string][]hint {
	out := map[string][]hint{}
	for name, each := range hints {
		if each == nil {
			out[name] = nil
			continue
		}
		out[name] = []hint{}
		for _, h := range each {
			out[name] = append(out[name], asHint(h))
		}
	}
	return out
}

func asHint(h topologymanager.TopologyHint) hint {
	if h.NUMANodeAffinity == nil {
		return hint{nil, h.Preferred}
	}
	mask := uint64(0)
	for _, bit := range h.NUMANodeAffinity.GetBits() {
		mask |= 1 << bit
	}
	return hint{mask, h.Preferred}
}
