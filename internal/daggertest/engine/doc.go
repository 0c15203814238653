// Package engine tries the Dagger module on a real engine, wherever one answers.
//
// It calls the functions as a person or a workflow does, by the command line, on a scratch copy of what dagger.json names, with the
// stand-ins of the demo on this machine: the gates and what follows from them to the reviewed commit, a repair of a local commit compared
// with the same one by "self-fix fix", the demo, and the checks. In whatever the command line printed, and in every span and log line
// that the engine exported, it looks for the tokens.
//
// Without the command line, or an engine that answers it, the tests are skipped with the reason. Where the registries of the built-in images
// cannot be reached, SELF_FIX_TEST_IMAGES names a file in the form of internal/images/images.json that the scratch copy gets in its
// place. Only this test knows the variable.
package engine
