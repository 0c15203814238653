package supervisor

import "time"

// Name is the name under which package fence starts this program again.
const Name = "self-fix fence supervisor"

// Probe as the one argument has this program end at once, with code 0: what runs behind the fence that explains itself.
const Probe = "self-fix fence probe"

// Descriptors of the supervisor. 0 to 2 are the program's pipes, made for this run.
const (
	fdOrders = 3 // the request, then orders
	fdStatus = 4
	FDOwners = 5 // and up: user namespaces, one for each owner that Mount.Owner names
)

// OwnID in a filter stands for the process id of the program, which is not known before the fork. The program writes its own id
// over it just before it installs the filter. It lies above the largest process id a kernel gives (2^22).
const OwnID = 0x7ffffff1

// RelayPrefix is how every relayed stream begins.
const RelayPrefix = "POST /v1/messages"

// ReapWithin bounds how long killed processes may take to go: one that sits in the kernel (a dead network file system) may
// never do.
const ReapWithin = 10 * time.Second

// ExitUnavailable is the exit code of a supervisor, and of a child, that could not put on the fence.
const ExitUnavailable = 125
