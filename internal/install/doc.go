// Package install makes what a repository needs to use self-fix: policy, workflows, scripts and the places for pins
// and for the test bot's lockfile.
//
// In go a folder and what a person says on the command line; what is in the tree decides the roots and the candidates for
// security modules. Out come files, all of them below .github, and a list of what only a person can do on GitHub.
//
// The workflows and scripts are a function of the policy alone ([Workflows]), so that they can be compared with it at any
// time; what differs between installations beside that (versions and hashes) lies in one data file, [PinsPath].
//
// It refuses to replace a file that differs from what it would write unless it is told to, to follow a link below the folder, and
// to write a policy that the policy's own reader refuses. The policy that it writes is disabled.
package install
