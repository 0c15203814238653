package agent

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"

	"selffix/internal/strictjson"
)

// The files that the agent is called with. They are part of this binary, so nothing in a pull request or on a
// machine can put others in their place.
var (
	//go:embed files/package.json
	packageJSON []byte
	//go:embed files/package-lock.json
	packageLock []byte
	//go:embed files/settings.json
	settingsJSON []byte
	//go:embed files/system.txt
	systemText []byte
	//go:embed files/pin.json
	pinJSON []byte
)

// Pin says which program is the agent.
type Pin struct {
	Package  string `json:"package"`  // npm package that the lockfile's root asks for
	Version  string `json:"version"`  // exact
	Platform string `json:"platform"` // GOOS/GOARCH that the binary runs on, with glibc
	Binary   string `json:"binary"`   // where npm puts the program, below the folder of the install
	Bytes    int64  `json:"bytes"`
	SHA256   string `json:"sha256"` // of the binary, in lower-case hex
}

// ThePin reads the pin that was built in.
func ThePin() (Pin, error) {
	var p Pin
	if err := strictjson.Unmarshal(pinJSON, &p); err != nil {
		return Pin{}, fmt.Errorf("%w: the built-in pin: %w", ErrTools, err)
	}
	if raw, err := hex.DecodeString(p.SHA256); err != nil || len(raw) != sha256.Size || p.Bytes <= 0 {
		return Pin{}, fmt.Errorf("%w: the built-in pin has no usable hash", ErrTools)
	}
	return p, nil
}

// digest names an install: another lockfile, pin or settings file gets another folder, so no start ever mixes them.
func digest() string {
	h := sha256.New()
	for _, f := range [][]byte{packageJSON, packageLock, pinJSON, settingsJSON, systemText} {
		sum := sha256.Sum256(f)
		h.Write(sum[:])
	}
	return hex.EncodeToString(h.Sum(nil))[:32]
}
