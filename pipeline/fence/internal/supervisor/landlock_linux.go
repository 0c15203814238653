//go:build amd64 || arm64

package supervisor

import (
	"errors"
	"syscall"
	"unsafe"
)

// ruleset makes an empty ruleset. An older kernel knows a shorter attribute, and refuses a longer one only if
// the rest is not zero.
func (r Rights) ruleset() (int, error) {
	return do(sysLandlockCreateRuleset, ptr(&r), num(unsafe.Sizeof(r)), num(0))
}

// grant adds the rules. All paths are opened as the supervisor sees them, which is as the program will see them.
func grant(ruleset int, grants []Grant) error {
	for _, g := range grants {
		err := g.add(ruleset)
		if err != nil && !(g.Optional && errors.Is(err, syscall.ENOENT)) {
			return wrap("path "+quoted(g.Path), err)
		}
	}
	return nil
}

func (g Grant) add(ruleset int) error {
	fd, err := open(g.Path, oPath)
	if err != nil {
		return err
	}
	defer syscall.Close(fd)
	var st syscall.Stat_t
	if err := syscall.Fstat(fd, &st); err != nil {
		return err
	}
	rule := pathBeneath{allowed: g.File, parent: int32(fd)}
	if st.Mode&syscall.S_IFMT == syscall.S_IFDIR {
		rule.allowed = g.Dir
	}
	_, err = do(sysLandlockAddRule, num(ruleset), num(landlockRulePathBeneath), ptr(&rule), num(0))
	return wrap("landlock rule", err)
}

// pathBeneath is struct landlock_path_beneath_attr, which ends after parent.
type pathBeneath struct {
	allowed uint64
	parent  int32
}
