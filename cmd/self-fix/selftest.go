package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"selffix/pipeline/agent"
	"selffix/pipeline/fence"
	"selffix/pipeline/local"
	"selffix/pipeline/worker"
)

// newSelfTest proves on this machine, or in this container, that the fence holds.
func newSelfTest(e env) *cobra.Command {
	return &cobra.Command{
		Use:   "self-test",
		Short: "try behind the agent's fence what must not be possible, and say what held",
		Long: `self-test starts this program behind the fence that the agent gets and has it try to reach a network, read another
process, a home and a file beside its own, write elsewhere, make links and start programs. The same tries come before every run
of the agent. It takes no secret and sends nothing to anybody. What this kernel can enforce is printed first.

Exit codes: 0 everything held, 1 something did not, 2 the fence could not be put on.`,
		Example: `  self-fix self-test`,
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			explained := fence.Explain(c.Context(), e.Fence)
			fmt.Fprint(e.Stdout, explained)
			if explained.Err != nil {
				return exit(exitUndecided)
			}
			self, err := os.Executable()
			if err != nil {
				return fmt.Errorf("find this program: %w", err)
			}
			r, err := worker.SelfTest(c.Context(), e.Fence, self, local.DefaultParent)
			if err == nil {
				fmt.Fprintf(e.Stdout, "\nself-test: %v\n", r)
				return nil
			}
			fmt.Fprintf(e.Stdout, "\nself-test: %v\n", err)
			if errors.Is(err, agent.ErrSelfTest) {
				return exit(exitNo)
			}
			return exit(exitUndecided)
		},
	}
}
