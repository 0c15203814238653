// Package source turns a TypeScript or TSX file into facts: which free names it uses, which properties,
// strings, keys, imports, exports, directives and elements. A file before and after a patch is read alike, and
// [New] says which facts are used more often afterwards.
//
// In goes the text of one file. It is normalised by esbuild, as a library: types and comments go, JSX becomes
// calls, escapes are decoded. That is done twice, plainly and folded with every bound name shortened, so that
// constants are joined and a name that is still long is one that esbuild itself found to be free. Both are parsed by
// tdewolff/parse and walked. What is known before the program runs is worked out: joined strings, character codes,
// reversed letters, parts kept in variables. See [Facts] and [Kind] for what comes out.
//
// Refused ([ErrParse]) is a file that either parser cannot read, that is nested deeper than [MaxDepth], or that takes
// longer than [Deadline]: the time and memory of both parsers grow with depth, not only with size (120,000 bytes of "if(a)"
// took esbuild 52 seconds and 1.3 GB). Judging facts is not the business of this package: it knows no rule.
package source
