//go:build !linux

package hugeheap

func advise(uintptr, func()) {}

func reserve8MiB()  {}
func reserve64MiB() {}
