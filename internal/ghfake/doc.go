// Package ghfake is a GitHub on loopback, for tests, the demo and proofs.
//
// # What it is
//
// [Serve] starts an HTTP server on 127.0.0.1 that answers the part of GitHub's REST API that self-fix and its doctor use, and
// git's smart HTTP protocol at URL/OWNER/NAME.git. Git itself (git http-backend on a real bare repository) is the source of
// truth: heads, commits, trees and the listing of a pull request's commits come from its objects, a lease is refused by it, and a
// push moves pull requests and is recorded with the server's clock. It keeps state: what is posted is read back by everybody.
//
// Time is the server's own ([Clock]): Date headers, created_at, expiry of tokens. Who acts is decided by the token alone
// ([Server.AddToken]), never by a request's body. Every token begins with "sandbox-"; a real one is answered 401.
//
// # A scene in a few lines
//
//	sc, err := ghfake.NewScene(ctx, ghfake.Options{Now: noon}, ghfake.SceneOptions{})
//	defer sc.Server.Close()
//	// sc.Server.URL is hosts.github_api and hosts.github_git; ghfake.ReadToken and WriteToken are its tokens
//	sc.AddAttempt(sc.Pull.Number, noon.Add(-time.Hour), "cancelled")
//	sc.Pull.Push(ghfake.ActionsBot(), ghfake.Commit{Message: "self-fix: repair", Files: files})
//	sc.Pull.Label(sc.Maintainer, "reviewed")
//	event := sc.Repo.StatusEvent(sc.Status) // the webhook payload
//
// [Server.AddRepository], [Repository.OpenPull], [Repository.PostStatus], [Repository.AddRun], [Repository.Rerun],
// [Repository.AddDeployment], [Repository.RequireChecks], [Repository.Protect], [Server.AddApp] and their neighbours set any other
// situation. Handles stay valid over [Server.Restore], which brings everything, refs too, back to a [Checkpoint].
//
// # What it can do wrong
//
// [Server.Inject] makes chosen answers go wrong: [Broken] lists answers that are none, [Odd] answers that are well formed and untrue.
// [Server.Mark] and the stale distortion answer from the past, [Repository.LagPulls] lets pull requests lag their branch,
// [Repository.Rename], [Repository.DeleteRun], [Repository.RenameLabel], [Repository.DeleteLabel] and [PullRequest.Edit] are the rest of what other people do.
// [Server.Transport] answers a client in this process, for thousands of evaluations, or for a client that insists on https://api.github.com
// ([Options.Public]). [Server.Requests] tells what was asked, by whom, and how it was answered.
//
// # What it refuses
//
// A request without the right that GitHub asks for (403), to an unknown route (404), a status beyond 1,000 for one commit and context (422), a
// push to a protected branch (by hook), a merge while a required status is not success of the pinned app (405), a JWT with a wrong signature or time (401).
//
// What it leaves out: GraphQL, checks, reviews, webhooks' delivery and signatures, forks as repositories of their own, Actions that run.
// It is held to GitHub's OpenAPI description by the tests in contract, which are a module of their own so that the validator is
// no dependency of self-fix. Sources of the behaviour: docs.github.com/rest, that description, and recorded answers of api.github.com
// in @octokit/fixtures.
package ghfake
