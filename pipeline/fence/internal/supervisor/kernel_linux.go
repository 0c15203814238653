//go:build amd64 || arm64

package supervisor

import (
	"runtime"
	"syscall"
	"unsafe"
)

// Numbers of Linux's interfaces that package syscall does not have; a test compares them with golang.org/x/sys. Those that are
// not the same on both architectures are in numbers of the architecture.
const (
	sysOpenTree              = 428
	sysMoveMount             = 429
	sysFsopen                = 430
	sysFsconfig              = 431
	sysFsmount               = 432
	sysCloseRange            = 436
	sysMountSetattr          = 442
	sysLandlockCreateRuleset = 444
	sysLandlockAddRule       = 445
	sysLandlockRestrictSelf  = 446

	atFdcwd     = -100
	atEmptyPath = 0x1000
	atRecursive = 0x8000

	openTreeClone       = 1
	openTreeCloexec     = syscall.O_CLOEXEC
	moveMountFEmptyPath = 4
	fsopenCloexec       = 1
	fsmountCloexec      = 1
	fsconfigSetString   = 1
	fsconfigCmdCreate   = 6

	mountAttrRdonly = 1
	mountAttrNosuid = 2
	mountAttrNodev  = 4
	mountAttrNoexec = 8
	mountAttrIdmap  = 0x100000

	oPath = 0x200000

	landlockRulePathBeneath = 1

	seccompSetModeFilter    = 1
	seccompFlagTsync        = 1
	seccompFlagNewListener  = 8
	seccompFlagWaitKillable = 32
	seccompNotifRecv        = 0xc0502100
	seccompNotifSend        = 0xc0182101
	seccompNotifAddfd       = 0x40182103 // _IOW('!', 3, struct seccomp_notif_addfd)
	capabilityVersion3      = 0x20080522
	prSetNoNewPrivs         = 38
	prSetChildSubreaper     = 36
	prCapAmbient            = 47
	prCapAmbientClearAll    = 4
	closeRangeUnshare       = 2
	sigSetmask, sigBlock    = 2, 0
	pollIn, pollHup         = 1, 0x10
)

// argument of a system call is a number, or a pointer that the garbage collector can see until the call is done.
type argument struct {
	n uintptr
	p unsafe.Pointer
}

func num[N ~int | ~uint32 | ~uint64 | ~uintptr](n N) argument { return argument{n: uintptr(n)} }
func ptr[T any](p *T) argument                                { return argument{p: unsafe.Pointer(p)} }

// do makes one system call.
func do(nr uintptr, args ...argument) (int, error) {
	var a [6]argument
	copy(a[:], args)
	n, _, errno := syscall.Syscall6(nr, a[0].n|uintptr(a[0].p), a[1].n|uintptr(a[1].p), a[2].n|uintptr(a[2].p),
		a[3].n|uintptr(a[3].p), a[4].n|uintptr(a[4].p), a[5].n|uintptr(a[5].p))
	runtime.KeepAlive(&a)
	if errno != 0 {
		return -1, errno
	}
	return int(n), nil
}

// onText makes a system call with a text in its arguments, which must hold no NUL.
func onText(nr uintptr, text string, args func(text argument) []argument) (int, error) {
	p, err := syscall.BytePtrFromString(text)
	if err != nil {
		return -1, err
	}
	return do(nr, args(ptr(p))...)
}

// open opens for use by this process alone.
func open(path string, flags int) (int, error) { return syscall.Open(path, flags|syscall.O_CLOEXEC, 0) }

// mountAttr is struct mount_attr.
type mountAttr struct{ set, clear, propagation, userns uint64 }

// setMount changes the attributes of the mount that fd is, and with atRecursive of those below it.
func setMount(fd, flags int, attr mountAttr) error {
	_, err := do(sysMountSetattr, num(fd), ptr(new(byte)), num(flags|atEmptyPath), ptr(&attr), num(unsafe.Sizeof(attr)))
	return err
}

// moveMount attaches the mount that fd is at a name below a folder.
func moveMount(fd, folder int, name string) error {
	_, err := onText(sysMoveMount, name, func(name argument) []argument {
		return []argument{num(fd), ptr(new(byte)), num(folder), name, num(moveMountFEmptyPath)}
	})
	return err
}

// newMount makes a file system of a kind, with options, and a mount of it that is attached nowhere.
func newMount(kind string, options [][2]string, attr int) (int, error) {
	fs, err := onText(sysFsopen, kind, func(kind argument) []argument { return []argument{kind, num(fsopenCloexec)} })
	if err != nil {
		return -1, wrap("file system", err)
	}
	defer syscall.Close(fs)
	for _, o := range options {
		value, err := syscall.BytePtrFromString(o[1])
		if err != nil {
			return -1, err
		}
		_, err = onText(sysFsconfig, o[0], func(key argument) []argument {
			return []argument{num(fs), num(fsconfigSetString), key, ptr(value)}
		})
		if err != nil {
			return -1, wrap(o[0], err)
		}
	}
	if _, err := do(sysFsconfig, num(fs), num(fsconfigCmdCreate)); err != nil {
		return -1, wrap("creation", err)
	}
	fd, err := do(sysFsmount, num(fs), num(fsmountCloexec), num(attr))
	return fd, wrap("mount", err)
}

// wait looks at descriptors until one is ready or the time is over; a negative time waits for ever.
func wait(fds []pollFD, milliseconds int64) (int, error) {
	var limit *syscall.Timespec
	if milliseconds >= 0 {
		t := syscall.NsecToTimespec(milliseconds * 1e6)
		limit = &t
	}
	return do(syscall.SYS_PPOLL, ptr(&fds[0]), num(len(fds)), ptr(limit))
}

// pollFD is struct pollfd.
type pollFD struct {
	fd              int32
	events, revents int16
}
