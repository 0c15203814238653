// Package daggertest tries the Dagger module (.dagger) without an engine.
//
// The module's code compiles only beside a client that an engine generates for it, so neither "go build" nor "go vet" of this
// repository sees it. But the generated client is, type by type, that of dagger.io/dagger of the same release, and whatever a function
// does, it does by GraphQL over a connection that a test can bring. So [Lay] makes a scratch copy of exactly the files that
// dagger.json hands to an engine, with a stand-in client that aliases each exported type of the registry's release. In it the
// module is compiled and vetted, and the tests below testdata/module call its functions against an endpoint that records each query and
// answers it. They hold every exec in the recorded queries to the plan: image, arguments, user, mounts, secrets, services.
//
// What it cannot say is whether an engine does what it is asked. That is tried on a real one by "make test-dagger".
package daggertest
