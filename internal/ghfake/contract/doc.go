// Package contract holds the tests that keep ghfake honest: every answer that it gives is validated against GitHub's own OpenAPI
// description, cut down to the operations that ghfake serves (testdata/github.json, made by ./trim).
//
// It is a module of its own so that the validator and what it needs are no dependencies of self-fix. Run it with
//
//	go -C internal/ghfake/contract test ./...
package contract
