//go:build amd64 || arm64

package fence

import (
	"fmt"
	"slices"
)

// among keeps the ways that meet the demand. A kernel that cannot is refused before anything is tried.
func (d Demand) among(ways []layout, kernel handled) ([]layout, error) {
	if d == Mandatory {
		return ways, nil
	}
	if kernel.Scoped == 0 {
		return nil, fmt.Errorf("%w: Landlock ABI %d keeps no signals inside, and every part is demanded; it needs ABI 6 (Linux 6.12)",
			ErrUnavailable, kernel.abi)
	}
	return slices.DeleteFunc(ways, func(l layout) bool { return !l.Namespaces }), nil
}
