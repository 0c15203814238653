package source

import (
	"strings"

	"github.com/tdewolff/parse/v2/js"
)

// jsx is <Tag a={b}>children</Tag>.
func (w *walker) jsx(x *js.CallExpr) {
	between := w.tag(x)
	for i, a := range x.Args.List {
		switch y := a.Value.(type) {
		case *js.LiteralExpr:
			w.at(y.Data)
			switch {
			case y.TokenType == js.StringToken && i == 0:
				w.note(Element, unquote(y.Data))
				w.givenElement(x, unquote(y.Data))
				continue
			case y.TokenType == js.StringToken && i > 1:
				for _, k := range between {
					w.note(k, unquote(y.Data))
				}
				continue
			}
		case *js.TemplateExpr:
			if i > 1 && y.Tag == nil {
				w.template(y, between...)
				continue
			}
		}
		w.expr(a.Value)
	}
}

// tag notes the element of a JSX call, and says what the texts between its tags are: a component gets them as a prop.
func (w *walker) tag(x *js.CallExpr) (between []Kind) {
	if len(x.Args.List) == 0 {
		return []Kind{Text}
	}
	switch y := x.Args.List[0].Value.(type) {
	case *js.LiteralExpr:
		return []Kind{Text}
	case *js.Var:
		if string(y.Name()) == jsxFragment {
			return []Kind{Text}
		}
	}
	w.made(x.Args.List[0].Value, false)
	return []Kind{Text, Child}
}

// made notes the element that x names.
func (w *walker) made(x js.IExpr, mustBeKnown bool) {
	switch y := strip(x).(type) {
	case *js.LiteralExpr:
		w.at(y.Data)
	case *js.Var:
		w.atName(y.Name())
	}
	v := w.eval.of(x)
	if v.sort != text {
		if mustBeKnown {
			w.note(Element, Hole)
		}
		w.anyTag = w.anyTag || !w.declared(x)
		return
	}
	for _, s := range v.texts {
		if s != Hole || mustBeKnown { // a component that is chosen: const Tag = link ? Link : "p"
			w.note(Element, s)
		}
	}
	if v.texts[0] == Hole || len(v.texts) > 1 {
		w.anyTag = true
	}
}

// declared reports whether x is a component by its declaration: an import, a part of one, a function or a class.
func (w *walker) declared(x js.IExpr) bool {
	switch y := strip(x).(type) {
	case *js.Var:
		return w.originOf(y) != "" || w.eval.vars.isFunction(y)
	case *js.DotExpr:
		return w.declared(y.X)
	}
	return false
}

// originOf is "module name" of an import, or of a member of one that stands for its module.
func (w *walker) originOf(x js.IExpr) string {
	switch y := strip(x).(type) {
	case *js.Var:
		if y = root(y); y.Decl == js.NoDecl {
			return w.origin[string(y.Data)]
		}
	case *js.DotExpr:
		from := w.originOf(y.X)
		if module, name, _ := strings.Cut(from, " "); name == "*" || name == "default" {
			return module + " " + dotName(y)
		}
	}
	return ""
}

// elements notes what calls such as createElement make, under whatever name: tag first, then an object or null.
func (w *walker) elements(x *js.CallExpr) {
	args := x.Args.List
	if len(args) == 0 {
		return
	}
	if f, ok := strip(x.X).(*js.DotExpr); ok {
		switch dotName(f) {
		case "createElement":
			w.made(args[0].Value, w.judged(f.X) == "document")
			return
		case "createElementNS":
			w.made(args[min(1, len(args)-1)].Value, true)
			return
		case "setAttribute", "toggleAttribute", "createAttribute":
			w.attribute(args[0].Value)
			return
		case "setAttributeNS":
			w.attribute(args[min(1, len(args)-1)].Value)
			return
		}
	}
	switch maker := w.originOf(x.X); {
	case isMaker(maker):
		w.made(args[0].Value, false)
		return
	case isHint(maker):
		if _, ok := w.eval.of(args[0].Value).known(); !ok {
			w.note(Element, Hole)
		}
		return
	}
	if len(args) > 1 {
		switch y := strip(args[1].Value).(type) {
		case *js.ObjectExpr:
			w.made(args[0].Value, false)
		case *js.LiteralExpr:
			if y.TokenType == js.NullToken {
				w.made(args[0].Value, false)
			}
		}
	}
}

func isMaker(origin string) bool { return strings.HasSuffix(origin, " createElement") }

// isHint reports whether an import writes <link> into the page, to a host that its argument names.
func isHint(origin string) bool {
	switch origin {
	case "react-dom preload", "react-dom preloadModule", "react-dom preconnect", "react-dom prefetchDNS":
		return true
	}
	return false
}

func (w *walker) attribute(x js.IExpr) {
	for _, s := range w.eval.of(x).strings() {
		w.note(Attribute, s)
	}
}

// passed notes a maker of elements or attributes that does not make them where it stands: what it will be given is not seen.
func (w *walker) passed(x js.IExpr) {
	if x == w.callee {
		return
	}
	if origin := w.originOf(x); isMaker(origin) || isHint(origin) {
		w.note(Element, Hole)
		return
	}
	if d, ok := x.(*js.DotExpr); ok {
		w.taken(dotName(d))
	}
}

// taken notes a maker by its name alone: const { createElement } = document.
func (w *walker) taken(name string) {
	switch name {
	case "createElement", "createElementNS":
		w.note(Element, Hole)
	case "setAttribute", "setAttributeNS", "createAttribute", "createAttributeNS":
		w.note(Attribute, Hole)
	}
}

// handler notes a key such as onclick with something else than a function: React writes it into a custom element as it is.
func (w *walker) handler(name string, v js.IExpr) {
	if handlers[name] && !w.isCode(v) {
		w.note(Attribute, name)
	}
}

// isFunction reports whether a name only stands for functions that the file holds.
func (b *bindings) isFunction(v *js.Var) bool {
	v = root(v)
	if _, ok := b.fns[v]; ok {
		return true
	}
	of := b.of[v]
	if of == nil {
		return false
	}
	for _, o := range of.origins {
		switch strip(o.expr).(type) {
		case *js.ArrowFunc, *js.FuncDecl:
		default:
			return false
		}
		if len(o.path) > 0 || o.each {
			return false
		}
	}
	return len(of.origins) > 0
}

// isCode reports whether x is a function for certain.
func (w *walker) isCode(x js.IExpr) bool {
	switch y := strip(x).(type) {
	case *js.ArrowFunc, *js.FuncDecl, *js.MethodDecl:
		return true
	case *js.Var:
		return w.eval.vars.isFunction(y)
	}
	return false
}

// handlers are the content attributes of HTML and SVG that hold code.
var handlers = func() map[string]bool {
	set := map[string]bool{}
	for _, event := range strings.Fields(`abort animationcancel animationend animationiteration animationstart auxclick beforeinput beforematch beforetoggle begin blur
		cancel canplay canplaythrough change click close command contextmenu copy cuechange cut dblclick drag dragend dragenter dragleave dragover dragstart drop
		durationchange emptied end ended error focus focusin focusout formdata gotpointercapture hashchange input invalid keydown keypress keyup load loadeddata
		loadedmetadata loadstart lostpointercapture message mousedown mouseenter mouseleave mousemove mouseout mouseover mouseup mousewheel pagehide pageshow paste
		pause play playing pointercancel pointerdown pointerenter pointerleave pointermove pointerout pointerover pointerrawupdate pointerup popstate progress
		ratechange repeat reset resize scroll scrollend securitypolicyviolation seeked seeking select selectionchange selectstart slotchange stalled storage submit
		suspend timeupdate toggle touchcancel touchend touchmove touchstart transitioncancel transitionend transitionrun transitionstart unload volumechange waiting
		webkitanimationend webkittransitionend wheel`) {
		set["on"+event] = true
	}
	return set
}()

// possibleTags notes texts that are the names of elements which load, in a file that makes elements of tags that are not known.
func (w *walker) possibleTags() {
	if !w.anyTag {
		return
	}
	for _, u := range w.uses {
		name := strings.TrimSpace(u.Name)
		low := strings.ToLower(name)
		if name != low && name != strings.ToUpper(name) {
			continue // Embed, Frame, Script are labels for people
		}
		switch u.Kind {
		case String, Child:
			if loadingTexts[low] {
				w.uses = append(w.uses, place{Fact{Element, low}, u.offset})
			}
		case Define:
			if low == "iframe" || low == "script" || low == "embed" {
				w.uses = append(w.uses, place{Fact{Element, low}, u.offset})
			}
		}
	}
}

// loadingTexts are names of elements that load or run something and are no everyday words of code, as link, base and style are.
var loadingTexts = map[string]bool{"iframe": true, "script": true, "embed": true, "object": true, "frame": true, "frameset": true, "applet": true, "fencedframe": true}

// tagProp notes the value of a prop by which components are told their tag.
func (w *walker) tagProp(name string, v js.IExpr) {
	switch name {
	case "as", "is", "tag", "Tag", "tagName", "component", "element":
	default:
		return
	}
	known := w.eval.of(v)
	if known.sort != text {
		return
	}
	for _, s := range known.texts {
		if loadingTexts[strings.ToLower(s)] {
			w.note(Element, s)
		}
	}
}
