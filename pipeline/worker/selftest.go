package worker

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"selffix/pipeline"
	"selffix/pipeline/agent"
	"selffix/pipeline/fence"
)

// SelfTest tries in the agent's own fence what must not be possible, without the agent and without any secret: the same tries that
// come before every run of the agent, and as many parts of the fence as this machine has. A file beside the folders that it may use stands
// for what a step must not see. It returns what held; an error names what did not.
func SelfTest(ctx context.Context, helper fence.Helper, self, parent string) (report agent.Report, err error) {
	dir, err := os.MkdirTemp(parent, "self-fix-self-test-")
	if err != nil {
		return agent.Report{}, fmt.Errorf("make a folder for the self-test: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	// What runs in the fence has a user of its own, and passes through this folder. Its name is random.
	if err := os.Chmod(dir, 0o711); err != nil {
		return agent.Report{}, fmt.Errorf("open the self-test's folder: %w", err)
	}
	work, read, canary := filepath.Join(dir, "write"), filepath.Join(dir, "read"), filepath.Join(dir, "canary")
	for _, d := range []string{work, read} {
		if err := os.Mkdir(d, 0o755); err != nil {
			return agent.Report{}, fmt.Errorf("make a folder for the self-test: %w", err)
		}
	}
	if err := os.WriteFile(canary, []byte("not to be read\n"), 0o644); err != nil {
		return agent.Report{}, fmt.Errorf("lay out the self-test: %w", err)
	}
	input, err := agent.Ground{Write: []string{work}, Read: []string{read}, Outside: []string{canary, pipeline.SecretDir}, Env: []string{"HOME", "TMPDIR"}}.Input()
	if err != nil {
		return agent.Report{}, fmt.Errorf("%w: %w", agent.ErrSelfTest, err)
	}
	var said bytes.Buffer
	r, err := fence.Run(ctx, fence.Options{
		Helper: helper, Profile: fence.Agent, Timeout: selfTestTime, Args: []string{self, InsideCommand, SelfTestName, "[]"},
		Read: append(libraries(), self, read), Write: []string{work}, Env: []string{"HOME=" + work, "TMPDIR=" + work}, Dir: work,
		Stdin: bytes.NewReader(input), Stdout: &said,
	})
	if err != nil {
		return agent.Report{}, err
	}
	if r.End != fence.Exited || r.Code != 0 {
		return agent.Report{}, fmt.Errorf("%w: %v", agent.ErrSelfTest, r)
	}
	return agent.ReadReport(said.Bytes())
}
