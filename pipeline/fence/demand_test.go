//go:build linux && (amd64 || arm64)

package fence

import (
	"errors"
	"slices"
	"testing"
	"time"
)

// Every part is namespaces and scopes: a way or a kernel without one of them is no way to run what demands all.
func TestDemandAmongWays(t *testing.T) {
	ways := []layout{{Name: "a", Namespaces: true}, {Name: "b"}, {Name: "c", Namespaces: true, UserNS: true}}
	for abi, ok := range map[int]bool{3: false, 5: false, 6: true, 7: true} {
		got, err := EveryPart.among(slices.Clone(ways), handledBy(abi))
		if ok != (err == nil) || (err != nil && !errors.Is(err, ErrUnavailable)) {
			t.Errorf("ABI %d: %v", abi, err)
		}
		if ok && (len(got) != 2 || got[0].Name != "a" || got[1].Name != "c") {
			t.Errorf("ABI %d keeps %+v", abi, got)
		}
		if got, err := Mandatory.among(slices.Clone(ways), handledBy(abi)); err != nil || len(got) != 3 {
			t.Errorf("ABI %d, nothing demanded: %+v, %v", abi, got, err)
		}
	}
}

// What demands every part has every part, or has not run.
func TestEveryPartIsThereOrNothingRuns(t *testing.T) {
	dir := folder(t)
	result, err := Run(t.Context(), Options{
		Helper: helper, Profile: Tools, Demand: EveryPart, Timeout: time.Minute,
		Args: []string{"/bin/sh", "-c", "echo ran > file"}, Dir: dir, Read: systemPaths(), Write: []string{dir},
	})
	if errors.Is(err, ErrUnavailable) {
		t.Skipf("this machine cannot: %v", err)
	}
	if err != nil || result.Code != 0 || !result.Layers.Namespaces || !result.Layers.Scope {
		t.Errorf("%+v, %v", result, err)
	}
}
