// How containerd 1.7 reads the configuration that is named: its own loader and its CRI plugin's
// own record, as JSON. `containerd config dump` of that version leaves plugins as they are.
package main

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/containerd/containerd/pkg/cri/config"
	"github.com/containerd/containerd/plugin"
	srvconfig "github.com/containerd/containerd/services/server/config"
)

type runtime struct {
	Binary     string   `json:"binary"`
	Type       string   `json:"runtime_type"`
	Pod        []string `json:"pod_annotations"`
	Container  []string `json:"container_annotations"`
	Privileged bool     `json:"privileged_without_host_devices"`
}

func main() {
	loaded := &srvconfig.Config{Version: 1} // as cmd/containerd/command/config.go has it
	fail(srvconfig.LoadConfig(os.Args[1], loaded))
	defaults := config.DefaultConfig()
	cri := &plugin.Registration{Type: plugin.GRPCPlugin, ID: "cri", Config: &defaults}
	decoded, err := loaded.Decode(cri)
	fail(err)
	read := decoded.(*config.PluginConfig)
	runtimes := map[string]runtime{}
	for name, each := range read.Runtimes {
		binary, _ := each.Options["BinaryName"].(string)
		runtimes[name] = runtime{
			Binary:     binary,
			Type:       each.Type,
			Pod:        append([]string{}, each.PodAnnotations...),
			Container:  append([]string{}, each.ContainerAnnotations...),
			Privileged: each.PrivilegedWithoutHostDevices,
		}
	}
	fail(json.NewEncoder(os.Stdout).Encode(map[string]any{
		"default":   read.DefaultRuntimeName,
		"spec_dirs": append([]string{}, read.CDISpecDirs...),
		"cdi":       read.EnableCDI,
		"runtimes":  runtimes,
	}))
}

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
