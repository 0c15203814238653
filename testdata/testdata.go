// Package testdata holds what tests, the demo and proofs play with: a small application with a real bug, plays,
// and policies. It is embedded so that the command can play without its sources.
package testdata

import "embed"

// Files are "app", "plays" and "policy".
//
//go:embed all:app plays policy
var Files embed.FS
