// Package diff makes the canonical patch of what an agent did.
//
// In go the folder that the agent was given, the folder that it left, and the links that may be there.
// Out come one safe copy of the second (package tree), both inventories, every changed path with its blob
// ids, and the patch as git itself writes it: full ids, three lines of context, no renames.
//
// Before the patch is made, whole-file flips by the agent's tools are undone ([Undo]): an editor that reads
// a file with CRLF line endings, a byte order mark or no newline at its end, and writes it in its own
// fashion, changes every line or the last one, and would hide a two-line repair in a rewritten file.
//
// git runs in a scratch folder on objects that were written there, never in either folder, so that no
// configuration or attribute that an agent wrote is read.
package diff
