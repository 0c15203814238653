// Package style turns a style sheet into facts: which at-rules, functions, properties, addresses, texts and escapes it holds.
//
// In goes the text of one .css file, before or after a patch. It is split into tokens as CSS Syntax 3 says (tdewolff/parse), and no further:
// tokens are enough to see what a style sheet can load, and what a build tool would do for it. [New] says which facts are
// there more often afterwards. Nothing is refused here: what a tokeniser cannot read to its end is the fact [Broken].
package style
