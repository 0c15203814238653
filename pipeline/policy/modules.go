package policy

import (
	"slices"
	"strings"

	"selffix/internal/lazyregexp"
)

// packageForm is a package of npm, with or without a scope and a path below it.
var packageForm = lazyregexp.New(`^(@[a-z0-9][a-z0-9._-]*/)?[a-z0-9][a-z0-9._-]*(/[A-Za-z0-9][A-Za-z0-9._-]*)*$`)

// nodeModules are the modules built into Node.js 24 ("node:module".builtinModules without those that begin with
// an underscore, which packageForm refuses).
var nodeModules = strings.Fields(`assert async_hooks buffer child_process cluster console constants crypto dgram
	diagnostics_channel dns domain events fs http http2 https inspector module net os path perf_hooks process punycode
	querystring readline repl sea sqlite stream string_decoder sys test timers tls trace_events tty url util v8 vm wasi
	worker_threads zlib`)

// NodeModule reports whether an import names a module that is built into Node.js, or a part of one.
func NodeModule(specifier string) bool {
	if strings.HasPrefix(specifier, "node:") {
		return true
	}
	first, _, _ := strings.Cut(specifier, "/")
	return slices.Contains(nodeModules, first)
}

// nextParts are the only parts of Next.js that the policy may allow. The rest runs on the server, reads requests
// and cookies, or builds the site; the framework grows, so this is a list of what is known to be harmless.
var nextParts = []string{"next/link", "next/image", "next/navigation", "next/router", "next/head", "next/form", "next/web-vitals"}

// serverPackages give a page the server's side.
var serverPackages = []string{"server-only", "react-dom/server", "react-dom/static", "react-server-dom-webpack", "react-server-dom-turbopack"}

func importCheck(s string) (string, error) {
	name, _, _ := strings.Cut(s, "/")
	switch {
	case strings.HasPrefix(s, ".") || strings.HasPrefix(s, "/"):
		return "; relative imports are judged by the file they lead to", ErrValue
	case NodeModule(s):
		return "; it is a module of Node.js", ErrFloor
	case name == "next" && !slices.Contains(nextParts, s):
		return "; of Next.js only " + strings.Join(nextParts, ", "), ErrFloor
	}
	for _, p := range serverPackages {
		if s == p || strings.HasPrefix(s, p+"/") || strings.HasPrefix(s, p+".") {
			return "; it reaches the server's side", ErrFloor
		}
	}
	return "", nil
}

func wordCheck(s string) (string, error) {
	if strings.HasPrefix(s, "-") || strings.HasPrefix(s, "!") {
		return "; a built-in word cannot be taken out", ErrFloor
	}
	return "", nil
}

// wideBetas are beginnings of anthropic-beta values that open a way out of the proxy's one endpoint, or that
// multiply the price of a token.
var wideBetas = strings.Fields(`mcp- files-api- web-fetch- web-search- code-execution- computer-use- skills-
	message-batches- context-1m- fast-mode- extended-cache-ttl- managed-agents- environments- sessions- vaults-`)

func betaCheck(s string) (string, error) {
	for _, p := range wideBetas {
		if strings.HasPrefix(s, p) {
			return "; it opens another way out, or multiplies the price", ErrFloor
		}
	}
	return "", nil
}
