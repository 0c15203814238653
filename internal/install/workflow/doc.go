// Package workflow reads GitHub Actions workflows and holds those of self-fix to the rules that keep their secrets.
//
// In goes a workflow file; [Parse] reads what the rules look at. [Rules] lists the rules, one function each, with what a breach
// would allow; [Check] applies them. [Unpinned] is for any workflow of a repository.
//
// It refuses a file that is not one YAML document, is larger than [MaxBytes], repeats a key, has aliases, since those read
// differently in other readers than GitHub's, or has a key that no rule looks at.
package workflow
