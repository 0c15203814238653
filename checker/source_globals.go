package checker

import "strings"

// globalKind is the kind of fault that a free name is, or "". Everything is a fault that is not on the list of names: a list of what
// is forbidden would miss the next name that leads to the environment or the network.
func globalKind(name string) string {
	switch name {
	case "process", "global", "globalThis", "Buffer":
		return "env-name"
	case "self", "frames", "top", "parent", "opener":
		return "env-computed" // each is the global object under another name
	case "Reflect", "Proxy", "arguments":
		return "env-reflect"
	case "eval", "WebAssembly", "Worker", "SharedWorker", "ServiceWorker", "importScripts", "Worklet", "AudioWorkletNode":
		return "code-eval"
	case "Function", "AsyncFunction", "GeneratorFunction", "AsyncGeneratorFunction":
		return "code-function"
	case "require", "module", "exports", "__dirname", "__filename", "__webpack_require__", "__non_webpack_require__":
		return "code-require"
	case "localStorage", "sessionStorage", "indexedDB", "caches", "cookieStore":
		return "web-storage"
	case "XMLHttpRequest", "WebSocket", "WebSocketStream", "EventSource", "RTCPeerConnection", "WebTransport", "BroadcastChannel",
		"MessageChannel", "postMessage", "open":
		return "net-remote"
	case "DOMParser", "XSLTProcessor", "trustedTypes":
		return "web-html"
	case "CI", "Cypress", "__playwright":
		return "bot-detect"
	}
	if plainGlobals[name] || familyGlobal(name) {
		return ""
	}
	return "env-name"
}

// familyGlobal reports whether a name is one of a family: HTMLInputElement, MouseEvent, Uint8Array.
func familyGlobal(name string) bool {
	if name == "" || name[0] < 'A' || name[0] > 'Z' {
		return false
	}
	for _, r := range name {
		if (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') {
			return false
		}
	}
	return strings.HasSuffix(name, "Event") || (strings.HasPrefix(name, "HTML") || strings.HasPrefix(name, "SVG")) && strings.HasSuffix(name, "Element") ||
		strings.HasSuffix(name, "Array") || strings.HasSuffix(name, "Error") || strings.HasSuffix(name, "Observer")
}

// plainGlobals are names of the language and the browser that lead neither to the environment nor to code made from
// text. fetch, Request and Image reach only the addresses that the rule on addresses lets through.
var plainGlobals = setOf(`
undefined NaN Infinity Object Array String Number Boolean Symbol BigInt Math JSON Date RegExp Map Set WeakMap WeakSet WeakRef
FinalizationRegistry Promise Error Intl Temporal Iterator ArrayBuffer SharedArrayBuffer DataView Atomics isNaN isFinite parseInt parseFloat
encodeURIComponent decodeURIComponent encodeURI decodeURI atob btoa structuredClone queueMicrotask
clearTimeout clearInterval requestAnimationFrame cancelAnimationFrame requestIdleCallback cancelIdleCallback
console performance crypto fetch Request Response Headers FormData URL URLSearchParams URLPattern AbortController AbortSignal
Blob File FileList FileReader TextEncoder TextDecoder ReadableStream WritableStream TransformStream TextDecoderStream TextEncoderStream
CompressionStream DecompressionStream DOMException DOMRect DOMRectReadOnly DOMPoint DOMMatrix DOMTokenList EventTarget Image Audio Option Path2D OffscreenCanvas ImageData
ImageBitmap createImageBitmap Node NodeList NodeFilter Element HTMLCollection DocumentFragment Document Text Comment ShadowRoot Selection Range DataTransfer
DataTransferItem ClipboardItem Touch TouchList Animation KeyframeEffect MediaQueryList MediaRecorder MediaStream ValidityState Notification
IntersectionObserverEntry ResizeObserverEntry MutationRecord PerformanceEntry
history screen devicePixelRatio innerWidth innerHeight scrollX scrollY matchMedia getComputedStyle getSelection scrollTo scrollBy scroll
alert confirm prompt print addEventListener removeEventListener dispatchEvent CSS CSSStyleSheet visualViewport
speechSynthesis SpeechSynthesisUtterance FontFace CSSStyleDeclaration XMLSerializer reportError React JSX
Window AudioContext customElements CanvasRenderingContext2D CanvasGradient CanvasPattern DOMStringMap DOMQuad AbstractRange StaticRange
CSSRule CSSStyleRule CSSRuleList StyleSheet VisualViewport MediaStreamTrack TreeWalker NodeIterator IdleDeadline PerformanceMark PerformanceMeasure
SVGRect SVGPoint SVGLength TextTrack TextMetrics Attr CharacterData
pageXOffset pageYOffset outerWidth outerHeight screenX screenY isSecureContext
`)

func setOf(words string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		set[w] = true
	}
	return set
}

// memberKind is the kind of fault that a member of window, document, navigator or location is, or "".
func memberKind(object, name string) string {
	switch object {
	case "window":
		return windowKind(name)
	case "document":
		switch name {
		case "write", "writeln", "open", "domain", "implementation", "execCommand", "parseHTMLUnsafe":
			return "web-html"
		case "defaultView", "parentWindow":
			return "env-computed"
		}
	case "navigator":
		return navigatorKind(name)
	}
	return ""
}

func windowKind(name string) string {
	switch name {
	case "document", "navigator", "location", "window", "setTimeout", "setInterval", "name", "isSecureContext", "outerWidth",
		"outerHeight", "pageXOffset", "pageYOffset", "screenX", "screenY", "open", "close", "focus", "blur", "origin", "stop":
		if name == "window" {
			return "env-computed"
		}
		return ""
	}
	if len(name) > 3 && strings.HasPrefix(name, "on") && strings.ToLower(name) == name {
		return "" // an event handler
	}
	if k := globalKind(name); k != "env-name" || name == "process" || name == "global" || name == "globalThis" || name == "Buffer" {
		return k
	}
	return "env-computed"
}

func navigatorKind(name string) string {
	switch name {
	case "clipboard", "language", "languages", "onLine", "share", "canShare", "vibrate", "maxTouchPoints", "geolocation", "wakeLock", "connection",
		"mediaDevices", "permissions", "platform", "storage", "locks", "userActivation", "setAppBadge", "clearAppBadge", "mediaSession":
		return ""
	case "sendBeacon":
		return "net-remote"
	case "serviceWorker":
		return "code-eval"
	case "cookieEnabled":
		return "web-storage"
	}
	return "bot-detect"
}
