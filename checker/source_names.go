package checker

import (
	"strings"

	"selffix/checker/source"
)

// nameKind is the kind of fault that a property is, whatever it is a property of, or "".
func nameKind(name string) string {
	switch name {
	case "constructor", "__proto__", "prototype":
		return "env-constructor"
	case "getPrototypeOf", "setPrototypeOf", "defineProperty", "defineProperties", "getOwnPropertyDescriptor", "getOwnPropertyDescriptors",
		"getOwnPropertyNames", "getOwnPropertySymbols", "prepareStackTrace", "captureStackTrace", "unscopables",
		"__defineGetter__", "__defineSetter__", "__lookupGetter__", "__lookupSetter__", "Reflect", "Proxy":
		return "env-reflect"
	case "process", "globalThis", "serverEnv", "connectionString", "$client", "DATABASE_URL":
		return "env-name"
	case "defaultView", "contentWindow", "contentDocument", "parentWindow":
		return "env-computed"
	case "eval", "importScripts", "serviceWorker", "WebAssembly", "SharedWorker", "audioWorklet", "paintWorklet", "addModule":
		return "code-eval"
	case "Function":
		return "code-function"
	case "require", "createRequire":
		return "code-require"
	case "cookie", "cookieStore", "localStorage", "sessionStorage", "indexedDB":
		return "web-storage"
	case "dangerouslySetInnerHTML", "innerHTML", "outerHTML", "insertAdjacentHTML", "srcDoc", "srcdoc", "writeln", "createContextualFragment",
		"setHTMLUnsafe", "setHTML", "parseHTMLUnsafe", "parseFromString", "execCommand", "httpEquiv", "http-equiv", "trustedTypes", "DOMParser",
		"__html", "preinit", "preinitModule":
		return "web-html"
	case "sendBeacon", "postMessage", "XMLHttpRequest", "WebSocket", "EventSource", "RTCPeerConnection", "WebTransport":
		return "net-remote"
	case "userAgent", "userAgentData", "webdriver", "appVersion", "CI", "GITHUB_ACTIONS", "VERCEL_ENV", "NEXT_PUBLIC_VERCEL_ENV", "JEST_WORKER_ID",
		"Cypress", "callPhantom", "_phantom", "__nightmare", "__playwright", "__pw_manual", "domAutomation", "domAutomationController":
		return "bot-detect"
	}
	return ""
}

// textKind is the kind of fault that a string is when it equals a name that no text for people does.
func textKind(s string) string {
	switch k := nameKind(s); k {
	case "env-constructor", "env-reflect", "env-name":
		return k
	case "code-eval":
		if s != "serviceWorker" {
			return k
		}
	case "web-html":
		return k
	case "web-storage":
		if s != "cookie" {
			return k
		}
	}
	return ""
}

// factKind is the kind of fault that a fact is by its name alone, or "".
func factKind(f source.Fact) string {
	switch f.Kind {
	case source.Global:
		return globalKind(f.Name)
	case source.Member:
		object, name, _ := strings.Cut(f.Name, ".")
		return memberKind(object, name)
	case source.Read, source.Index, source.Write:
		return nameKind(f.Name)
	case source.Define:
		switch f.Name {
		case "CI", "Cypress", "userAgent", "eval", "require", "process":
			return "" // the key of an object that the file makes itself, such as a country's code, reaches nothing
		}
		return nameKind(f.Name)
	case source.String, source.Probe:
		return textKind(f.Name)
	case source.Given:
		name, _, _ := strings.Cut(f.Name, " ")
		return givenKind(name)
	}
	return ""
}

// givenKind is the kind of fault that another value for something dangerous is. Elements are judged by their rule.
func givenKind(name string) string {
	switch name {
	case "import":
		return "code-import"
	case "Worker":
		return "code-eval"
	}
	return nameKind(name)
}

// namedRule refuses the facts that are of the rule's kind by their name.
func namedRule(r Rule, message string) Rule {
	return factRule(r, func(_ *Change, _ *File, fact source.Fact) string {
		if factKind(fact) == r.Kind {
			return message
		}
		return ""
	})
}

// wordAt is the offset of a whole identifier in a line, or -1. What touches it is compared byte by byte: a letter outside
// ASCII is no part of an identifier here, since none is allowed.
func wordAt(line, word string) int {
	for from := 0; ; {
		i := strings.Index(line[from:], word)
		if i < 0 {
			return -1
		}
		i += from
		end := i + len(word)
		if (i == 0 || !identifierByte(line[i-1])) && (end == len(line) || !identifierByte(line[end])) {
			return i
		}
		from = i + 1
	}
}

func identifierByte(c byte) bool {
	return c == '_' || c == '$' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}
