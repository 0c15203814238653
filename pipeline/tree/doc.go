// Package tree takes one safe copy of a folder that a hostile process has written, and says what git
// would call it.
//
// In goes a folder and limits; out comes a copy that nothing else can change, and a [Listing] of its files
// with git's modes, sizes and blob ids. Inventory, patch, check and verification all use that one copy:
// if each read the live folder, a process that outlived the agent could show each of them another one.
//
// Every name is opened on its own, below the folder's descriptor, without following links (openat2 with
// RESOLVE_BENEATH and RESOLVE_NO_SYMLINKS, or openat of one plain name where a fence refuses that call) and
// without waiting (O_NONBLOCK: a FIFO has no writer).
// Refused are FIFOs, sockets, devices, files with a second hard link (it may lie outside), links that the
// caller did not expect, and more entries, depth, name length or bytes than the limits allow.
package tree
