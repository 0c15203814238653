#include "textflag.h"

// func vfork(flags uintptr) (pid, errno uintptr)
//
// As rawVforkSyscall of package syscall: the child runs on the same stack. The return address stays in its register.
TEXT ·vfork(SB),NOSPLIT,$0-24
	MOVD	flags+0(FP), R0
	MOVD	ZR, R1
	MOVD	ZR, R2
	MOVD	ZR, R3
	MOVD	ZR, R4
	MOVD	ZR, R5
	MOVD	$220, R8 // clone
	SVC
	CMN	$4095, R0
	BCC	done
	MOVD	ZR, pid+8(FP)
	NEG	R0, R0
	MOVD	R0, errno+16(FP)
	RET
done:
	MOVD	R0, pid+8(FP)
	MOVD	ZR, errno+16(FP)
	RET

// func sleeper(flags uintptr) (pid, errno uintptr)
//
// With CLONE_VM the child shares the stack with a caller that goes on: it never touches it.
TEXT ·sleeper(SB),NOSPLIT,$0-24
	MOVD	flags+0(FP), R0
	MOVD	ZR, R1
	MOVD	ZR, R2
	MOVD	ZR, R3
	MOVD	ZR, R4
	MOVD	ZR, R5
	MOVD	$220, R8 // clone
	SVC
	CBZ	R0, child
	CMN	$4095, R0
	BCC	done
	MOVD	ZR, pid+8(FP)
	NEG	R0, R0
	MOVD	R0, errno+16(FP)
	RET
done:
	MOVD	R0, pid+8(FP)
	MOVD	ZR, errno+16(FP)
	RET
child:
	MOVD	$1, R0 // PR_SET_PDEATHSIG
	MOVD	$9, R1 // SIGKILL
	MOVD	$167, R8 // prctl
	SVC
sleep:
	MOVD	ZR, R0
	MOVD	ZR, R1
	MOVD	ZR, R2
	MOVD	ZR, R3
	MOVD	ZR, R4
	MOVD	$73, R8 // ppoll
	SVC
	B	sleep
