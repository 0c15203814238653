// Package testdata holds what tests, the demo and proofs play with: a small application with a real bug, plays,
// and policies. It is embedded so that the command can play without its sources.
package testdata

import "embed"

// Files are "app", "plays", "policy" and "demo".
//
//go:embed all:app plays policy demo
var Files embed.FS
