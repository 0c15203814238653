package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// strict lets each command that only holds others refuse a name that is none of them.
func strict(c *cobra.Command) {
	if !c.HasParent() {
		c.InitDefaultCompletionCmd()
	}
	for _, sub := range c.Commands() {
		strict(sub)
	}
	if c.HasSubCommands() && !c.Runnable() {
		c.Args = cobra.NoArgs
		c.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
	}
}

// newHelp is cobra's help command, but for an error where it would print one and succeed.
func newHelp() *cobra.Command {
	return &cobra.Command{
		Use:   "help [command]",
		Short: "Help about any command",
		RunE: func(c *cobra.Command, args []string) error {
			found, rest, err := c.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return fmt.Errorf("help: want the name of a command, got %q; \"self-fix --help\" lists them", strings.Join(args, " "))
			}
			return found.Help()
		},
	}
}
