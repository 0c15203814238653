#include "textflag.h"

// A stack is always a power of two: a frame of a little more than half of it makes the runtime take one of that size.

// func reserve8MiB()
TEXT ·reserve8MiB(SB), 0, $4194304-0
	RET

// func reserve32MiB()
TEXT ·reserve32MiB(SB), 0, $16777216-0
	RET
