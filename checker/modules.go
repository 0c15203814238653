package checker

import (
	"path"
	"slices"
	"strings"

	"selffix/checker/source"
	"selffix/internal/lazyregexp"
)

// moduleRule refuses imports whose target is of the rule's kind.
func moduleRule(r Rule, message string) Rule {
	return factRule(r, func(c *Change, f *File, fact source.Fact) string {
		switch fact.Kind {
		case source.Import:
			if c.moduleKind(f, fact.Name) == r.Kind {
				return message
			}
		case source.Name: // one more name from the environment's module is one more thing of it
			spec, _, _ := strings.Cut(fact.Name, " ")
			if r.Kind == "module-env" && c.moduleKind(f, spec) == r.Kind {
				return message
			}
		}
		return ""
	})
}

// moduleKind is the kind of fault that an import is, or "". spec is the decoded specifier.
func (c *Change) moduleKind(f *File, spec string) string {
	if !plainSpecifier.MatchString(spec) {
		if scheme := strings.IndexByte(spec, ':'); scheme > 0 {
			return "module-node"
		}
		if namesEnv(cutQuery(spec)) {
			return "module-env"
		}
		return "module-deny"
	}
	target := strings.TrimRight(spec, "/")
	if namesEnv(target) {
		return "module-env"
	}
	if p, ok := c.resolve(f, target); ok {
		return c.pathKind(p)
	}
	if first, _, _ := strings.Cut(target, "/"); nodeModules[first] {
		return "module-node"
	}
	if slices.Contains(c.Policy.Code.Imports, spec) || importedBefore(f, spec) {
		return ""
	}
	return "module-deny"
}

// namesEnv reports whether a part of a path is env, or env with an ending, in any case.
func namesEnv(p string) bool {
	for part := range strings.SplitSeq(strings.ToLower(p), "/") {
		if stemOf(part) == "env" {
			return true
		}
	}
	return false
}

// plainSpecifier is what an import may be spelled with: no query, no loader, no escape, no scheme.
var plainSpecifier = lazyregexp.New(`^[A-Za-z0-9@_.~/()\[\]+-]+$`)

func cutQuery(spec string) string {
	if i := strings.IndexAny(spec, "?#"); i >= 0 {
		return spec[:i]
	}
	return spec
}

// resolve is the path in the repository that a relative or aliased import names; false for a package. A path above the
// repository begins with "..".
func (c *Change) resolve(f *File, spec string) (string, bool) {
	if strings.HasPrefix(spec, "/") {
		return "../" + spec, true // from the root of the machine, or of the server
	}
	if spec == "." || spec == ".." || strings.HasPrefix(spec, "./") || strings.HasPrefix(spec, "../") {
		return path.Join(folderOf(f.Path), spec), true
	}
	for _, alias := range c.Policy.Code.Aliases {
		prefix, folder, _ := strings.Cut(alias, "=")
		if rest, ok := strings.CutPrefix(spec, prefix); ok && prefix != "" {
			return path.Join(folder, rest), true
		}
	}
	return "", false
}

// pathKind judges an import by where it lands.
func (c *Change) pathKind(p string) string {
	p = strings.ToLower(p)
	for _, folder := range lowered(c.Policy.Paths.SecurityFolders) {
		if p == folder || below(p, folder) {
			return "module-db"
		}
	}
	if strings.HasPrefix(p, ".") || strings.Contains(p, "/.") || strings.Contains(p, "node_modules") {
		return "module-deny"
	}
	for _, root := range lowered(c.Policy.Paths.Roots) {
		if p == root || below(p, root) {
			return ""
		}
	}
	return "module-deny"
}

// importedBefore reports whether the base of a file imports the package already.
func importedBefore(f *File, spec string) bool {
	return f.source != nil && f.source.base().Has(func(fact source.Fact) bool {
		return fact.Kind == source.Import && fact.Name == spec
	})
}

// nodeModules are the modules that Node brings along (builtinModules of Node 20 and 22), by the first part of their names.
var nodeModules = setOf(`
assert async_hooks buffer child_process cluster console constants crypto dgram diagnostics_channel dns domain events fs http http2 https
inspector module net os path perf_hooks process punycode querystring readline repl sea sqlite stream string_decoder sys test timers tls
trace_events tty url util v8 vm wasi worker_threads zlib
_http_agent _http_client _http_common _http_incoming _http_outgoing _http_server _stream_duplex _stream_passthrough _stream_readable
_stream_transform _stream_wrap _stream_writable _tls_common _tls_wrap
`)
