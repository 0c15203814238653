// Package fence runs one program behind a fence that the kernel holds, whatever the program does.
//
// # What goes in, what comes out
//
// [Run] takes [Options]: a program, the paths that it may read and execute, the paths that it may write, its whole
// environment, a deadline, and at most one place that its connects lead to. It returns a [Result] when no process of the
// run is left, so that what the program wrote stands still. Nothing of the caller's descriptors, terminal, environment
// or network reaches the program.
//
//	func main() {
//		helper := fence.Enter() // the same program is started again as the supervisor
//		…
//		result, err := fence.Run(ctx, fence.Options{
//			Helper: helper, Profile: fence.Tools, Timeout: time.Minute,
//			Args: []string{"git", "status"}, Dir: dir, Read: []string{"/usr"}, Write: []string{dir},
//		})
//
// The process that Run starts never reaches main: it turns off when package internal/supervisor is initialised, which is
// before nearly every other. So a test binary can be its own supervisor, and Enter may be called anywhere.
//
// An error means that nothing has run (ErrOptions: the options; ErrUnavailable: this kernel or container, with what is
// missing and what to do), or that what was written may still change (ErrLost). A program that ran and failed is no error.
//
// # What is enforced
//
// Mandatory, or Run refuses: Landlock ABI 3 or newer with everything denied that the kernel knows and the fewest rights
// granted; a default-deny list of system calls on the native architecture, with arguments where they matter; a session
// of its own; pipes made for the run as descriptors 0 to 2 and no other; a uid that no process has, where there is
// privilege; limits; a deadline; the end of every descendant. Optional, used where the kernel gives them: a root, network,
// process, ipc and host name namespace; Landlock's scopes. [Explain] says what there is, and [EveryPart] refuses to run without one of them.
//
// Options has no field that takes one of these away.
//
// # What a program notices
//
// A rename from one folder into another answers EXDEV, as between two file systems, and programs copy instead. Links, FIFOs,
// sockets, devices and set-id bits cannot be made. What lies in a folder to write cannot be executed unless it is also given
// to read. Without a namespace of its own, a file that is not given answers EACCES where it would otherwise be absent: node
// then wants OPENSSL_CONF=/dev/null. As root, what is written belongs to the folder's owner afterwards (a mapped owner, or
// where the file system has none, by giving the folder away and taking it back).
//
// The tools profile may also signal, where the kernel keeps signals inside, and change modes by path, where no file of the
// caller can be reached; elsewhere chmod answers success and changes nothing, which git takes for a file system without
// modes. Neither profile may leave its session or process group.
//
// # Processes
//
// Run starts the program's own binary as a supervisor, on a thread which can reach no TCP port but the relay's. The
// supervisor is told what to do in one message that leaves nothing to decide. It enters the root, forks, and the child makes
// a list of system calls (child.calls), in the memory of the supervisor, which waits; the list ends in the filter and exec.
// Then the supervisor gives up files, programs and everything else it does not need, answers the child's sockets, and is
// the first process, or the subreaper, of all that the program starts. It ends them when the deadline passes, when the
// caller says so, and when the caller dies.
package fence
