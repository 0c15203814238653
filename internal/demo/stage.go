package demo

import (
	"context"

	"selffix/pipeline"
)

// Stage is what a play is played on. A is how its interpreter names an artifact: a path, a file of an engine.
type Stage[A any] struct {
	Call Caller // to the stand-ins
	// Steps is the interpreter for one plan.
	Steps func(pipeline.Plan) pipeline.Interpreter[A]
	// Give makes an artifact of a file that the caller of a plan brings.
	Give func(ctx context.Context, ref pipeline.Ref, data []byte) (A, error)
	// Key makes the artifact of a run's random key.
	Key func(context.Context) (A, error)
	// Folder makes an artifact of a folder.
	Folder func(ctx context.Context, files []File) (A, error)
	// Read reads an artifact that is a file.
	Read func(context.Context, A) ([]byte, error)
	// Test runs the application's own tests on one commit of the pull request.
	Test  func(ctx context.Context, commit string) (TestRun, error)
	Voice *Voice
}

// Script is one of the plays of a demo.
type Script struct {
	Name  string
	Title string
	Real  bool // with a real model where one is given; a scripted model alone can be made to obey
}

// Scripts lists the plays in order.
func Scripts() []Script {
	return []Script{
		{Name: "repair", Title: "repair: a real bug, a real test run, a repair that a person reviews", Real: true},
		{Name: "hijacked", Title: "hijacked: the report holds instructions, and the model obeys them all"},
	}
}

// Act is how one play ended.
type Act struct {
	Play   Play
	Detail Detail
}
