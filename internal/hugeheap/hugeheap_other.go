//go:build !linux

package hugeheap

func advise(_, _ uintptr, _ func()) {}

func reserve8MiB()  {}
func reserve32MiB() {}
