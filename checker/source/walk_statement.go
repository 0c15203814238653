package source

import "github.com/tdewolff/parse/v2/js"

func (w *walker) statements(list []js.IStmt) {
	for _, s := range list {
		w.statement(s)
	}
}

func (w *walker) statement(s js.IStmt) {
	switch s := s.(type) {
	case *js.BlockStmt:
		w.block(s)
	case *js.ExprStmt:
		w.expressionStatement(s)
	case *js.DirectivePrologueStmt:
		w.at(s.Value)
		w.note(Directive, unquote(s.Value))
	case *js.VarDecl:
		w.declaration(s)
	case *js.FuncDecl, *js.ClassDecl:
		w.expr(s.(js.IExpr))
	case *js.ReturnStmt:
		w.expr(s.Value)
	case *js.ThrowStmt:
		w.expr(s.Value)
	case *js.IfStmt:
		w.followed(s.Cond)
		w.statement(s.Body)
		w.statement(s.Else)
	case *js.LabelledStmt:
		w.at(s.Label)
		w.foreign(string(s.Label))
		w.statement(s.Value)
	case *js.TryStmt:
		w.try(s)
	case *js.SwitchStmt:
		w.switches(s)
	case *js.WithStmt:
		w.note(Syntax, "with")
		w.expr(s.Cond)
		w.statement(s.Body)
	case *js.DebuggerStmt:
		w.note(Syntax, "debugger")
	case *js.ImportStmt:
		w.imported(s)
	case *js.ExportStmt:
		w.exported(s)
	default:
		w.looped(s)
	}
}

func (w *walker) looped(s js.IStmt) {
	switch s := s.(type) {
	case *js.DoWhileStmt:
		w.statement(s.Body)
		w.expr(s.Cond)
	case *js.WhileStmt:
		w.expr(s.Cond)
		w.statement(s.Body)
	case *js.ForStmt:
		w.expr(s.Init)
		w.expr(s.Cond)
		w.expr(s.Post)
		w.block(s.Body)
	case *js.ForInStmt:
		w.target(s.Init)
		w.expr(s.Value)
		w.block(s.Body)
	case *js.ForOfStmt:
		w.target(s.Init)
		w.expr(s.Value)
		w.block(s.Body)
	}
}

func (w *walker) block(b *js.BlockStmt) {
	if b != nil {
		w.statements(b.List)
	}
}

// body is the block of a function.
func (w *walker) body(b *js.BlockStmt) {
	w.prologue(b.List)
	w.block(b)
}

// prologue notes the texts that stand first in a file or function: there they take effect.
func (w *walker) prologue(list []js.IStmt) {
	for _, s := range list {
		switch s := s.(type) {
		case *js.DirectivePrologueStmt:
			w.note(Prologue, unquote(s.Value))
			continue
		case *js.ExprStmt:
			if l, ok := s.Value.(*js.LiteralExpr); ok && l.TokenType == js.StringToken {
				w.at(l.Data)
				w.note(Prologue, unquote(l.Data))
				continue
			}
		}
		return
	}
}

func (w *walker) expressionStatement(s *js.ExprStmt) {
	if l, ok := strip(s.Value).(*js.LiteralExpr); ok && l.TokenType == js.StringToken {
		w.at(l.Data)
		w.note(Directive, unquote(l.Data))
		return
	}
	w.expr(s.Value)
}

func (w *walker) try(s *js.TryStmt) {
	w.block(s.Body)
	w.pattern(s.Binding)
	w.block(s.Catch)
	w.block(s.Finally)
}

func (w *walker) switches(s *js.SwitchStmt) {
	w.expr(s.Init)
	for _, c := range s.List {
		w.compared(c.Cond)
		w.statements(c.List)
	}
}

func (w *walker) imported(s *js.ImportStmt) {
	w.at(s.Module)
	module := unquote(s.Module)
	w.note(Import, module)
	if s.Default != nil {
		w.foreign(string(s.Default))
		w.note(Name, module+" default")
	}
	for _, a := range s.List {
		name := a.Name
		if name == nil {
			name = a.Binding
		}
		w.foreign(string(a.Binding))
		w.note(Name, module+" "+exportName(name))
	}
}

func (w *walker) exported(s *js.ExportStmt) {
	if s.Module != nil {
		w.at(s.Module)
		w.note(Import, unquote(s.Module))
	}
	if s.Default {
		w.note(Export, "default")
	}
	for _, a := range s.List {
		if s.Module != nil {
			name := a.Name
			if name == nil {
				name = a.Binding
			}
			w.note(Name, unquote(s.Module)+" "+exportName(name))
		}
		w.note(Export, exportName(a.Binding))
	}
	switch d := s.Decl.(type) {
	case nil:
	case *js.VarDecl:
		for _, e := range d.List {
			w.exportNames(e.Binding, s.Default)
		}
		w.declaration(d)
	case *js.FuncDecl:
		w.exportNames(d.Name, s.Default)
		w.expr(d)
	case *js.ClassDecl:
		w.exportNames(d.Name, s.Default)
		w.expr(d)
	default:
		w.expr(d)
	}
}

// exportName is a name in braces, which may be a string.
func exportName(b []byte) string {
	if len(b) > 1 && (b[0] == '"' || b[0] == '\'') {
		return unquote(b)
	}
	return string(b)
}

// exportNames notes the names of an exported declaration.
func (w *walker) exportNames(b js.IBinding, isDefault bool) {
	if isDefault {
		return
	}
	switch b := b.(type) {
	case *js.Var:
		if b != nil {
			w.at(b.Data)
			w.note(Export, string(b.Name()))
		}
	case *js.BindingArray:
		for _, e := range b.List {
			w.exportNames(e.Binding, false)
		}
		w.exportNames(b.Rest, false)
	case *js.BindingObject:
		for _, i := range b.List {
			w.exportNames(i.Value.Binding, false)
		}
		w.exportNames(b.Rest, false)
	}
}

func (w *walker) declaration(d *js.VarDecl) {
	for _, e := range d.List {
		if object, ok := e.Binding.(*js.BindingObject); ok && w.opened(object, e.Default) {
			continue
		}
		w.element(e)
	}
}

func (w *walker) element(e js.BindingElement) {
	w.pattern(e.Binding)
	if _, ok := e.Binding.(*js.Var); ok {
		w.followed(e.Default)
		return
	}
	w.givenParts(e)
	w.expr(e.Default)
}

func (w *walker) pattern(b js.IBinding) {
	switch b := b.(type) {
	case *js.Var:
		if b != nil {
			w.atName(b.Name())
			w.foreign(string(b.Name()))
		}
	case *js.BindingArray:
		for _, e := range b.List {
			w.element(e)
		}
		w.pattern(b.Rest)
	case *js.BindingObject:
		for _, i := range b.List {
			w.item(i)
		}
		w.pattern(b.Rest)
	}
}

// item is one name that an object pattern reads.
func (w *walker) item(i js.BindingObjectItem) {
	if i.Key != nil && i.Key.IsSet() && i.Key.IsComputed() {
		w.key(i.Key.Computed)
		w.expr(i.Key.Computed)
	} else if name, ok := itemName(i); ok {
		if i.Key != nil {
			w.at(i.Key.Literal.Data)
		}
		w.note(Read, name)
		w.taken(name)
	}
	w.element(i.Value)
}

func (w *walker) params(p js.Params) {
	for _, e := range p.List {
		w.pattern(e.Binding)
		w.expr(e.Default) // not followed: what else the parameter gets is not known
	}
	w.pattern(p.Rest)
}
