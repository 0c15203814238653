#include "textflag.h"

// func vfork(flags uintptr) (pid, errno uintptr)
//
// As rawVforkSyscall of package syscall: the child runs on the same stack and writes over the return address, so that
// is kept in a register, which is the child's own.
TEXT ·vfork(SB),NOSPLIT|NOFRAME,$0-24
	MOVQ	flags+0(FP), DI
	MOVQ	$0, SI
	MOVQ	$0, DX
	MOVQ	$0, R10
	MOVQ	$0, R8
	MOVQ	$0, R9
	MOVQ	$56, AX // clone
	POPQ	R12
	SYSCALL
	PUSHQ	R12
	CMPQ	AX, $0xfffffffffffff001
	JLS	done
	MOVQ	$0, pid+8(FP)
	NEGQ	AX
	MOVQ	AX, errno+16(FP)
	RET
done:
	MOVQ	AX, pid+8(FP)
	MOVQ	$0, errno+16(FP)
	RET

// func sleeper(flags uintptr) (pid, errno uintptr)
//
// With CLONE_VM the child shares the stack with a caller that goes on: it never touches it.
TEXT ·sleeper(SB),NOSPLIT,$0-24
	MOVQ	flags+0(FP), DI
	MOVQ	$0, SI
	MOVQ	$0, DX
	MOVQ	$0, R10
	MOVQ	$0, R8
	MOVQ	$0, R9
	MOVQ	$56, AX // clone
	SYSCALL
	CMPQ	AX, $0
	JEQ	child
	CMPQ	AX, $0xfffffffffffff001
	JLS	done
	MOVQ	$0, pid+8(FP)
	NEGQ	AX
	MOVQ	AX, errno+16(FP)
	RET
done:
	MOVQ	AX, pid+8(FP)
	MOVQ	$0, errno+16(FP)
	RET
child:
	MOVQ	$1, DI // PR_SET_PDEATHSIG
	MOVQ	$9, SI // SIGKILL
	MOVQ	$157, AX // prctl
	SYSCALL
sleep:
	MOVQ	$0, DI
	MOVQ	$0, SI
	MOVQ	$0, DX
	MOVQ	$0, R10
	MOVQ	$0, R8
	MOVQ	$271, AX // ppoll
	SYSCALL
	JMP	sleep
