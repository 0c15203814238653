package policy_test

import (
	"testing"

	"selffix/pipeline/policy"
)

func TestSeedPolicy(t *testing.T) {
	p, err := policy.Load("../../testdata/policy/seed.yaml")
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%+v", p)
}
