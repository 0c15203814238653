package worker

import (
	"os"
	"strconv"
	"testing"
	"testing/fstest"

	"selffix/pipeline/fence"
)

// procOf shows processes with their parents.
func procOf(parents map[string]string) fstest.MapFS {
	fs := fstest.MapFS{"cpuinfo": {}, "self": {}}
	for pid, parent := range parents {
		fs[pid+"/stat"] = &fstest.MapFile{Data: []byte(pid + " (name) 1 ) S " + parent + " 1 1 0")}
	}
	return fs
}

func TestAlone(t *testing.T) {
	for name, tt := range map[string]struct {
		parents map[string]string
		want    bool
	}{
		"not to be seen itself":       {map[string]string{"1": "0"}, false},
		"below the first":             {map[string]string{"1": "0", "7": "1"}, true},
		"below its starter":           {map[string]string{"1": "0", "5": "1", "7": "5"}, true},
		"beside another":              {map[string]string{"1": "0", "5": "1", "7": "1"}, false},
		"with a child":                {map[string]string{"1": "0", "7": "1", "9": "7"}, false},
		"the first is hidden":         {map[string]string{"5": "1", "7": "5"}, false},
		"entered from outside":        {map[string]string{"1": "0", "7": "0"}, false},
		"a machine":                   {map[string]string{"1": "0", "2": "0", "7": "1"}, false},
		"in circles":                  {map[string]string{"1": "0", "5": "7", "7": "5"}, false},
		"nothing is to be seen":       {map[string]string{}, false},
		"a process that cannot be it": {map[string]string{"1": "0", "4294967294": "1", "7": "1"}, false},
	} {
		if got := alone(procOf(tt.parents), 7); got != tt.want {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
}

// Only a container of the step's own stands in for a part of the fence: never a layout, which an interpreter on a machine makes.
func TestDemandOfPullRequestCode(t *testing.T) {
	self := os.Getpid()
	container := procOf(map[string]string{"1": "0"})
	container[strconv.Itoa(self)+"/stat"] = procOf(map[string]string{strconv.Itoa(self): "1"})[strconv.Itoa(self)+"/stat"]
	machine := procOf(map[string]string{"1": "0", "2": "0"})
	machine[strconv.Itoa(self)+"/stat"] = container[strconv.Itoa(self)+"/stat"]
	laid := work{Options: Options{Layout: Layout{Mounts: []Mount{{Inside: "/in", Outside: "/x"}}}}}
	for name, tt := range map[string]struct {
		got, want fence.Demand
	}{
		"container":             {work{}.demand(container), fence.Mandatory},
		"machine":               {work{}.demand(machine), fence.EveryPart},
		"layout in a container": {laid.demand(container), fence.EveryPart},
		"no /proc":              {work{}.demand(fstest.MapFS{}), fence.EveryPart},
	} {
		if tt.got != tt.want {
			t.Errorf("%s: %q, want %q", name, tt.got, tt.want)
		}
	}
}
