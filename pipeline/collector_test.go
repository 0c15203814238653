package pipeline

import (
	"slices"
	"testing"
)

func TestCollectorHoldsLessThanItsService(t *testing.T) {
	p := Fix()
	s, _ := p.Step("model-proxy")
	c, ok := p.Collector("model-proxy")
	if !ok || c.Name != "model-proxy-meter" || !slices.Equal(c.Args, []string{"step", "model-proxy-meter"}) {
		t.Fatalf("Collector() = %+v, %v", c, ok)
	}
	if len(c.Secrets) != 0 || len(c.Net.Hosts) != 0 || c.Net.Relay != s.Name || c.Service() || c.Effect != EffectNone {
		t.Errorf("it holds %v, reaches %v, serves %d, changes %q", c.Secrets, c.Net, c.Serves, c.Effect)
	}
	if len(c.In) != 1 || c.In[0].Ref != "in.run-key" || !slices.Contains(s.In, c.In[0]) {
		t.Errorf("it mounts %v, want the service's key and nothing else", c.In)
	}
	if !slices.Equal(c.Out, s.Out) || !c.Fresh {
		t.Errorf("outputs %v, fresh %v, want the service's, never cached", c.Out, c.Fresh)
	}
	if _, ok := p.Collector("agent"); ok {
		t.Error("a step that is no service has a collector")
	}
	if _, ok := p.Collector("none"); ok {
		t.Error("a step that is not there has a collector")
	}
}

func TestCollectorsNamesEachOnce(t *testing.T) {
	var names []StepName
	for _, c := range Collectors() {
		names = append(names, c.Name)
		for _, p := range Plans() {
			if _, ok := p.Step(c.Name); ok {
				t.Errorf("%s is a step of the plan %s as well", c.Name, p.Name)
			}
		}
	}
	if !slices.Equal(names, []StepName{"model-proxy-meter"}) {
		t.Errorf("collectors %v", names)
	}
}
