package main

import (
	"os"
	"path/filepath"
	"testing"

	"selffix/internal/testuser"
	"selffix/pipeline/agent"
)

// The demo needs no privilege: an ordinary user plays the same loop behind the fence that such a user can have.
func TestDemoAsOrdinaryUser(t *testing.T) {
	needAgent(t)
	cache, err := agent.CacheDir(os.Getenv)
	if err != nil {
		t.Fatal(err)
	}
	parts := map[string]string{}
	for _, part := range []string{"agent", "demo-app"} {
		if from := filepath.Join(cache, part); isDir(from) {
			parts[from] = filepath.Join(".cache", "self-fix", part)
		}
	}
	testuser.Again{Tests: "^TestDemo", Skip: "AsOrdinaryUser", Copy: parts, Getenv: os.Getenv}.Run(t)
}

func isDir(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}
