// Package proxy stands between an agent that holds no secret and the model's host, and is the only
// thing that holds the model token.
//
// In come requests of a process that a hostile pull request or failure report may steer, and one
// policy. Out goes, at most, POST /v1/messages to the one model of the policy on the one host of the
// policy. Nothing of a request is forwarded: each is decoded into a strict type, judged and written anew,
// under a fixed list of headers. httputil.ReverseProxy is not used, since what it forwards by default is the
// hole: a client's "Connection: Authorization" removes the header that the proxy just set, and the
// client's own x-api-key then sends the sources to somebody else's account.
//
// It takes text, thinking, tool calls, tool results and pictures in the request itself (base64), which is all that Claude Code
// sends when its experimental betas are off; testdata holds requests that it was seen to make.
//
// # What it refuses
//
//   - a client without this run's random key, any other method, path or query;
//   - an unknown or repeated key, another model, a tool with a "type" (run by the service: web
//     search, code execution), MCP servers, containers, file ids, and any image or document that the
//     service would fetch from a URL: each carries sources to a third party through the one allowed host;
//   - service tiers, long-lived caches and betas that are not on the policy's list: they multiply a
//     price that the budget counts on. An unlisted beta is left out, with the fields it brought, so that a
//     newer agent still works; all else is an error;
//   - more than the policy's requests, tokens and money. The worst case of a request (each byte a token,
//     every answer as long as allowed, at the dearest price) is reserved before it is sent, and only a
//     complete usage record settles it. A stream that was cut keeps its reservation, because usage comes
//     at its end: else many streams, each dropped early, would be charged and never counted;
//   - more than two requests at once.
//
// # What it hands back
//
// Answers pass event by event. An answer that redirects, has another content type or model, is
// malformed, too long, endless or silent becomes an error for the client in bounded time, and one that holds
// the token is cut. Response headers are written anew too.
//
// GET /meter, with the key, answers with counts and cost as JSON ([Meter]). Nothing is logged.
//
// # Tokens
//
// The shape of the token decides how it is sent: an OAuth token (sk-ant-oat…) as "Authorization: Bearer"
// with the beta oauth-2025-04-20, every other one as x-api-key without it. See package tokens for
// which host may be given which token.
package proxy
