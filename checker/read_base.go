package checker

import "selffix/internal/scratch"

// bases judges what the base holds at each path that any reader sees.
func (c *check) bases(r readings) error {
	for _, f := range r.text.files {
		if err := c.baseOf(f.path, f.from); err != nil {
			return err
		}
	}
	for path, e := range r.git.effects {
		before, ok, err := c.base.lookup(path)
		if err != nil {
			return err
		}
		if ok && !e.deleted {
			c.baseMode(path, before.Mode)
		}
	}
	return nil
}

// baseOf judges one file as the text of the patch has it.
func (c *check) baseOf(path, from string) error {
	entry, ok, err := c.base.lookup(path)
	if err != nil {
		return err
	}
	above, err := c.base.fileAbove(path)
	if err != nil {
		return err
	}
	switch {
	case above != "":
		c.report(idTreeBase, path, "the base holds a file where this path wants a folder")
	case from == "" && ok:
		c.report(idTreeBase, path, "the patch makes a file that the base has already")
	case from == path && (!ok || entry.Mode == scratch.ModeTree):
		c.report(idTreeBase, path, "the patch changes a file that the base does not have")
	case ok:
		c.baseMode(path, entry.Mode)
	}
	return nil
}

// baseMode refuses to change what is no plain file in the base. Nothing in the patch tells: only the base does.
func (c *check) baseMode(path, mode string) {
	if mode == scratch.ModeTree {
		return
	}
	if id := modeRule(mode); id != "" {
		c.report(id, path, "the base holds this path with mode "+mode+", want 100644")
	}
}
