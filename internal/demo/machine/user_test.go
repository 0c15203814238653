package machine

import (
	"os"
	"testing"

	"selffix/internal/testuser"
)

// The stage is laid out, and leaves nothing behind, for an ordinary user too.
func TestAsOrdinaryUser(t *testing.T) {
	testuser.Again{Tests: ".", Skip: "^TestAsOrdinaryUser$", Getenv: os.Getenv}.Run(t)
}
