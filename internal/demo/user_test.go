package demo

import (
	"os"
	"testing"

	"selffix/internal/testuser"
)

// What the demo's own parts promise holds for an ordinary user too: the page in a browser above all.
func TestAsOrdinaryUser(t *testing.T) {
	testuser.Again{Tests: ".", Skip: "^TestAsOrdinaryUser$", Getenv: os.Getenv}.Run(t)
}
