// The CDI library's own answers: folders of specs and names in, one JSON line out for each.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"

	oci "github.com/opencontainers/runtime-spec/specs-go"
	"tags.cncf.io/container-device-interface/pkg/cdi"
	"tags.cncf.io/container-device-interface/pkg/parser"
)

type question struct {
	Files       map[string]string `json:"files"`
	Dirs        []string          `json:"dirs"`
	Names       []string          `json:"names"`
	Annotations map[string]string `json:"annotations"`
}

type answer struct {
	Panic      string              `json:"panic,omitempty"`
	Devices    map[string]string   `json:"devices"`
	Faults     map[string][]string `json:"faults"`
	Unresolved []string            `json:"unresolved"`
	Sentence   string              `json:"sentence"`
	Env        []string            `json:"env"`
	Nodes      []string            `json:"nodes"`
	Parsed     []string            `json:"parsed"`
	Annotated  []string            `json:"annotated"`
}

func main() {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(make([]byte, 1<<20), 1<<26)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for in.Scan() {
		var asked question
		if err := json.Unmarshal(in.Bytes(), &asked); err != nil {
			panic(err)
		}
		line, err := json.Marshal(ask(asked))
		if err != nil {
			panic(err)
		}
		fmt.Fprintln(out, string(line))
	}
}

func ask(asked question) (told answer) {
	root, err := os.MkdirTemp("", "podwire-cdi-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(root)
	defer func() {
		if reason := recover(); reason != nil {
			told.Panic = fmt.Sprint(reason)
		}
	}()
	write(root, asked.Files)
	told.Parsed = parsed(asked.Names)
	told.Annotated = annotated(asked.Annotations)

	dirs := []string{}
	for _, dir := range asked.Dirs {
		dirs = append(dirs, root+dir)
	}
	cache, err := cdi.NewCache(cdi.WithSpecDirs(dirs...), cdi.WithAutoRefresh(false))
	if err != nil {
		panic(err)
	}
	told.Devices = map[string]string{}
	for _, name := range cache.ListDevices() {
		told.Devices[name] = strings.TrimPrefix(cache.GetDevice(name).GetSpec().GetPath(), root)
	}
	told.Faults = map[string][]string{}
	for path, errs := range cache.GetErrors() {
		path = strings.TrimPrefix(path, root)
		for _, each := range errs {
			told.Faults[path] = append(told.Faults[path], strings.ReplaceAll(each.Error(), root, ""))
		}
		sort.Strings(told.Faults[path])
	}
	inject(cache, asked.Names, &told)
	return told
}

func inject(cache *cdi.Cache, names []string, told *answer) {
	spec := &oci.Spec{Process: &oci.Process{}, Linux: &oci.Linux{}}
	unresolved, err := cache.InjectDevices(spec, names...)
	told.Unresolved = unresolved
	if err != nil {
		told.Sentence = err.Error()
		return
	}
	told.Env = spec.Process.Env
	for _, device := range spec.Linux.Devices {
		told.Nodes = append(told.Nodes, device.Path)
	}
}

func write(root string, files map[string]string) {
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			panic(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			panic(err)
		}
	}
}

func parsed(names []string) []string {
	every := []string{}
	for _, name := range names {
		every = append(every, verdict(name))
	}
	return every
}

// Some versions index past the end of a name of one letter.
func verdict(name string) (said string) {
	defer func() {
		if reason := recover(); reason != nil {
			said = "panic: " + fmt.Sprint(reason)
		}
	}()
	if _, _, _, err := parser.ParseQualifiedName(name); err != nil {
		return err.Error()
	}
	return ""
}

func annotated(annotations map[string]string) []string {
	_, devices, err := cdi.ParseAnnotations(annotations)
	if err != nil {
		return []string{"error", err.Error()}
	}
	sort.Strings(devices)
	return devices
}
