package fence

// The lists below are names: numbers.go of the architecture gives each its number, and a name which an
// architecture does not have (arm64 has no open, only openat) is left out there. What is on no list is
// refused. Nothing here reaches another process, another user's file or the network:
//
//   - no chmod, chown, utimensat, setxattr: Landlock does not govern them, so they change files outside
//   - no setsid, setpgid: the process group stays complete, and killing it leaves nobody behind
//   - no link, symlink, mknod: nothing but files and folders can be made
//   - no ptrace, process_vm_*, pidfd_getfd, kcmp: memory and descriptors of others
//   - no bind, listen, accept, sendmmsg: an address is never looked at, so none may be given
//   - no execveat, memfd_create: what runs lies in a folder that may be executed
//   - no mount, unshare, setns, bpf, keyctl, io_uring, perf, userfaultfd, SysV, mq: kernel surface

// common is what a program needs to live: memory, threads, time, its own descriptors, files below the paths it was given.
var common = []string{
	"access", "arch_prctl", "brk", "chdir", "clock_getres", "clock_gettime", "clock_nanosleep", "close", "close_range",
	"dup", "dup2", "dup3", "epoll_create", "epoll_create1", "epoll_ctl", "epoll_pwait", "epoll_pwait2", "epoll_wait",
	"eventfd2", "execve", "exit", "exit_group", "faccessat", "faccessat2", "fchdir", "fdatasync", "fstat", "fstatfs",
	"fsync", "ftruncate", "futex", "getcwd", "getdents64", "getegid", "geteuid", "getgid", "getgroups", "getpeername", "getpgrp",
	"getpid", "getppid", "getrandom", "getresgid", "getresuid", "getrlimit", "getrusage", "getsockname", "getsockopt",
	"gettid", "gettimeofday", "getuid", "inotify_add_watch", "inotify_init1", "inotify_rm_watch", "lseek", "lstat",
	"madvise", "membarrier", "mmap", "mprotect", "mremap", "munmap", "nanosleep", "newfstatat", "pidfd_open", "pipe",
	"pipe2", "poll", "ppoll", "pread64", "preadv", "preadv2", "pselect6", "pwrite64", "pwritev", "pwritev2", "read",
	"readlink", "readlinkat", "readv", "recvfrom", "rename", "renameat", "renameat2", "restart_syscall", "rmdir", "rseq",
	"rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "rt_sigsuspend", "rt_sigtimedwait", "sched_getaffinity",
	"sched_yield", "select", "set_robust_list", "set_tid_address", "shutdown", "sigaltstack", "stat", "statfs", "statx",
	"sysinfo", "timerfd_create", "timerfd_settime", "times", "truncate", "umask", "uname", "unlink", "unlinkat",
	"vfork", "wait4", "waitid", "write", "writev",
}

// toolsOnly is what git, node and a project's own type check need beyond common.
var toolsOnly = []string{
	"alarm", "capget", "copy_file_range", "fadvise64", "fallocate", "flock", "fork", "getcpu", "getitimer",
	"getpgid", "getpriority", "getsid", "mincore", "mlock", "msync", "munlock", "pause", "recvmsg", "rt_sigpending",
	"sched_get_priority_max", "sched_get_priority_min", "sched_getparam", "sched_getscheduler", "sendfile", "sendmsg",
	"setitimer", "splice", "sync_file_range", "timer_create", "timer_delete", "timer_getoverrun", "timer_gettime",
	"timer_settime", "timerfd_gettime",
}

// absent answer ENOSYS, so that a C library falls back on an older call whose arguments a filter can see: the
// arguments of clone3 and openat2 lie in memory.
var absent = []string{"clone3", "openat2", "fchmodat2", "io_uring_setup", "io_uring_enter", "io_uring_register"}

// attributes of files are neither read nor changed: those of files outside could be, since Landlock does not govern them.
var attributes = []string{
	"getxattr", "lgetxattr", "fgetxattr", "listxattr", "llistxattr", "flistxattr", "setxattr", "lsetxattr", "fsetxattr",
	"removexattr", "lremovexattr", "fremovexattr",
}

// supervisorCalls is what is left to the supervisor once the program runs: the Go runtime's own needs, the pipes and streams
// that it has, new sockets for the relay, and ending processes. No file can be opened and no program started.
var supervisorCalls = []string{
	"clock_gettime", "clock_nanosleep", "close", "connect", "dup3", "epoll_create1", "epoll_ctl", "epoll_pwait", "epoll_wait",
	"eventfd2", "exit", "exit_group", "fcntl", "fstat", "futex", "getpeername", "getpid", "getrandom", "getsockname", "getsockopt",
	"gettid", "ioctl", "kill", "lseek", "madvise", "mincore", "mmap", "mprotect", "munmap", "nanosleep", "pipe2", "poll",
	"ppoll", "read", "readv", "recvfrom", "restart_syscall", "rseq", "rt_sigaction", "rt_sigprocmask", "rt_sigreturn",
	"rt_sigtimedwait", "sched_getaffinity", "sched_yield", "sendto", "set_robust_list", "set_tid_address", "setitimer",
	"setsockopt", "shutdown", "sigaltstack", "socketpair", "tgkill", "timer_create", "timer_delete", "timer_settime",
	"tkill", "uname", "wait4", "waitid", "write", "writev",
}
