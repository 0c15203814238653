// Package local is the interpreter that needs no engine: each step is a process of its own, in a private
// folder, with a fresh environment, behind the fence.
//
// In goes one step of a validated plan with the paths of its inputs; out come the paths of its outputs, each
// opened without following a link, measured against the plan's bounds, and kept in a folder that no later
// step may write. The process is the worker ("self-fix step NAME"). As root it gets a root of its own, in which
// the step's paths are the fixed ones of the plan; as an ordinary user its paths are mapped below the step's folder.
//
// Secrets exist as files of mode 0400 from just before a step's one exec until it has ended, or until a
// service has read them. Nothing is passed on from this process's environment but what an installer needs.
//
// Everything lies in one run folder below /var/tmp, held by a lock that every process of the run holds
// with it. A run that was killed leaves its folder, but no lock: the next run sweeps it away.
package local
