// Package evidence turns a failing run's report into the one bundle that the agent reads.
//
// [Fetch] holds the test bot's key: it runs the bot's own command line (or, for a bot that publishes one
// file a commit, sends one request) and leaves raw bytes, capped, of which it reads nothing but ids, times and
// status of the bot's own listings. [Read] holds no secret and has no network: it reads those bytes strictly,
// holds each run to this preview and to the window of the gates, and writes a [Bundle]: text only, bounded,
// with every invisible and direction character shown as its code point, under a notice that all of it is
// untrusted. Page content can hold instructions for an agent; it can hide none, and it is never a first line.
//
// Read of the documented report are meta.json, result.json, failure.json and steps/NN-evidence.json. Videos,
// screenshots, HTML, logs and the test's own code are never opened. Refused are a report that is partial,
// mixes runs or snapshots, or is larger than the limits; a run for another preview, or from outside the
// window, is no evidence.
//
// [ReadFile] is for the report that a person gives on the command line. There is no window to hold it to,
// so its bundle says claimed.
package evidence
