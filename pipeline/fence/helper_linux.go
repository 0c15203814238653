//go:build amd64 || arm64

package fence

import _ "selffix/pipeline/fence/internal/supervisor" // a process that Run started turns off in its init

// Helper proves that Enter was called. Its zero value is refused by Run.
type Helper struct{ entered bool }

// Enter is called at the beginning of main, and of TestMain in packages whose tests fence something: the value is what
// shows that this program can be started again as a supervisor.
func Enter() Helper { return Helper{entered: true} }
