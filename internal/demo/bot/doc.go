// Package bot is the work of the stand-in for the test bot: it runs the application's own tests on one commit.
//
// In go the base URL of a GitHub that is a stand-in, a commit, and the installed test runner; out comes a demo.TestRun. The
// bytes are those that the GitHub serves, brought as the loop brings them; the tests, which are the pull request's code, run
// behind the fence. It refuses a GitHub that is not a sandbox's, and a runner whose exit code and summary disagree.
package bot
