package local

// OwnRoot reports whether steps get a root of their own, in which paths are the plan's fixed ones. Without it they are
// mapped below the step's folder, and a scripted model that names paths must name them relative to the agent's folder.
func (i *Interpreter) OwnRoot() bool { return i.ownRoot }
