// Package bot is the work of the stand-in for the test bot: it runs the application's own tests on one commit.
//
// [Bring] takes a GitHub that is a stand-in and a commit, and writes the tree that it serves, as the loop brings it. [Test] takes
// that tree and the installed test runner, and returns a demo.TestRun: the tests, which are the pull request's code, run behind
// the fence. They are two, because a container has git or Node.
//
// It refuses a GitHub that is not a sandbox's, and a runner whose exit code and summary disagree.
package bot
