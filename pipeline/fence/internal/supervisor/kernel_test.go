//go:build linux && (amd64 || arm64)

package supervisor

import (
	"runtime"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// TestNumbersAreTheKernels compares what this package writes down for itself with golang.org/x/sys, which it may not import.
func TestNumbersAreTheKernels(t *testing.T) {
	for name, c := range map[string][2]int{
		"open_tree":                 {sysOpenTree, unix.SYS_OPEN_TREE},
		"move_mount":                {sysMoveMount, unix.SYS_MOVE_MOUNT},
		"fsopen":                    {sysFsopen, unix.SYS_FSOPEN},
		"fsconfig":                  {sysFsconfig, unix.SYS_FSCONFIG},
		"fsmount":                   {sysFsmount, unix.SYS_FSMOUNT},
		"close_range":               {sysCloseRange, unix.SYS_CLOSE_RANGE},
		"mount_setattr":             {sysMountSetattr, unix.SYS_MOUNT_SETATTR},
		"landlock_create_ruleset":   {sysLandlockCreateRuleset, unix.SYS_LANDLOCK_CREATE_RULESET},
		"landlock_add_rule":         {sysLandlockAddRule, unix.SYS_LANDLOCK_ADD_RULE},
		"landlock_restrict_self":    {sysLandlockRestrictSelf, unix.SYS_LANDLOCK_RESTRICT_SELF},
		"seccomp":                   {sysSeccomp, unix.SYS_SECCOMP},
		"AT_FDCWD":                  {atFdcwd, unix.AT_FDCWD},
		"AT_EMPTY_PATH":             {atEmptyPath, unix.AT_EMPTY_PATH},
		"AT_RECURSIVE":              {atRecursive, unix.AT_RECURSIVE},
		"OPEN_TREE_CLONE":           {openTreeClone, unix.OPEN_TREE_CLONE},
		"OPEN_TREE_CLOEXEC":         {openTreeCloexec, unix.OPEN_TREE_CLOEXEC},
		"MOVE_MOUNT_F_EMPTY_PATH":   {moveMountFEmptyPath, unix.MOVE_MOUNT_F_EMPTY_PATH},
		"FSOPEN_CLOEXEC":            {fsopenCloexec, unix.FSOPEN_CLOEXEC},
		"FSMOUNT_CLOEXEC":           {fsmountCloexec, unix.FSMOUNT_CLOEXEC},
		"FSCONFIG_SET_STRING":       {fsconfigSetString, unix.FSCONFIG_SET_STRING},
		"FSCONFIG_CMD_CREATE":       {fsconfigCmdCreate, unix.FSCONFIG_CMD_CREATE},
		"MOUNT_ATTR_RDONLY":         {mountAttrRdonly, unix.MOUNT_ATTR_RDONLY},
		"MOUNT_ATTR_NOSUID":         {mountAttrNosuid, unix.MOUNT_ATTR_NOSUID},
		"MOUNT_ATTR_NODEV":          {mountAttrNodev, unix.MOUNT_ATTR_NODEV},
		"MOUNT_ATTR_NOEXEC":         {mountAttrNoexec, unix.MOUNT_ATTR_NOEXEC},
		"MOUNT_ATTR_IDMAP":          {mountAttrIdmap, unix.MOUNT_ATTR_IDMAP},
		"O_PATH":                    {oPath, unix.O_PATH},
		"RULE_PATH_BENEATH":         {landlockRulePathBeneath, unix.LANDLOCK_RULE_PATH_BENEATH},
		"SET_MODE_FILTER":           {seccompSetModeFilter, unix.SECCOMP_SET_MODE_FILTER},
		"FLAG_TSYNC":                {seccompFlagTsync, unix.SECCOMP_FILTER_FLAG_TSYNC},
		"FLAG_NEW_LISTENER":         {seccompFlagNewListener, unix.SECCOMP_FILTER_FLAG_NEW_LISTENER},
		"FLAG_WAIT_KILLABLE":        {seccompFlagWaitKillable, unix.SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV},
		"NOTIF_RECV":                {seccompNotifRecv, unix.SECCOMP_IOCTL_NOTIF_RECV},
		"NOTIF_SEND":                {seccompNotifSend, unix.SECCOMP_IOCTL_NOTIF_SEND},
		"_LINUX_CAPABILITY_VERSION": {capabilityVersion3, unix.LINUX_CAPABILITY_VERSION_3},
		"PR_SET_NO_NEW_PRIVS":       {prSetNoNewPrivs, unix.PR_SET_NO_NEW_PRIVS},
		"PR_SET_CHILD_SUBREAPER":    {prSetChildSubreaper, unix.PR_SET_CHILD_SUBREAPER},
		"PR_CAP_AMBIENT":            {prCapAmbient, unix.PR_CAP_AMBIENT},
		"PR_CAP_AMBIENT_CLEAR_ALL":  {prCapAmbientClearAll, unix.PR_CAP_AMBIENT_CLEAR_ALL},
		"CLOSE_RANGE_UNSHARE":       {closeRangeUnshare, unix.CLOSE_RANGE_UNSHARE},
		"SIG_SETMASK":               {sigSetmask, unix.SIG_SETMASK},
		"SIG_BLOCK":                 {sigBlock, unix.SIG_BLOCK},
		"POLLIN":                    {pollIn, unix.POLLIN},
		"POLLHUP":                   {pollHup, unix.POLLHUP},
		"prctl, as in sleeper":      {map[string]int{"amd64": 157, "arm64": 167}[runtime.GOARCH], syscall.SYS_PRCTL},
		"ppoll, as in sleeper":      {map[string]int{"amd64": 271, "arm64": 73}[runtime.GOARCH], syscall.SYS_PPOLL},
		"PR_SET_PDEATHSIG":          {1, syscall.PR_SET_PDEATHSIG},
		"clone, as in vfork":        {map[string]int{"amd64": 56, "arm64": 220}[runtime.GOARCH], syscall.SYS_CLONE},
		"size of mount_attr":        {int(unsafe.Sizeof(mountAttr{})), int(unsafe.Sizeof(unix.MountAttr{}))},
		"size of pollfd":            {int(unsafe.Sizeof(pollFD{})), int(unsafe.Sizeof(unix.PollFd{}))},
		"size of sock_fprog":        {int(unsafe.Sizeof(sockFprog{})), int(unsafe.Sizeof(unix.SockFprog{}))},
	} {
		if c[0] != c[1] {
			t.Errorf("%s: %#x here, %#x in golang.org/x/sys", name, c[0], c[1])
		}
	}
}
