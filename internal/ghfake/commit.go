package ghfake

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Person is a name in a commit, as its author chose it.
type Person struct {
	Name, Email string
	Date        time.Time // zero: the server's clock
}

// Commit is a commit to make.
type Commit struct {
	Parent    string // "": the branch's tip, else the default branch's
	Merge     string // a second parent
	Author    Person // zero: the account that pushes
	Committer Person // zero: the author
	Message   string
	Files     map[string]string // path to content: written as plain files
	Modes     map[string]string // path to "100755" or "120000", where a file in Files is not plain
	Delete    []string
}

// Email is the address that GitHub makes up for an account; a commit that carries it is linked to the account.
func (u User) Email() string { return fmt.Sprintf("%d+%s@users.noreply.github.com", u.ID, u.Login) }

// person is the account as a commit names it.
func (u User) person() Person { return Person{Name: u.Login, Email: u.Email()} }

type rawCommit struct {
	id, tree          string
	parents           []string
	author, committer Person
	message           string
}

// commit reads and parses a commit.
func (g *gitDir) commit(id string) (rawCommit, bool, error) {
	o, ok, err := g.object(id)
	if err != nil || !ok || o.kind != "commit" {
		return rawCommit{}, false, err
	}
	head, message, _ := bytes.Cut(o.data, []byte("\n\n"))
	c := rawCommit{id: id, message: string(message)}
	for line := range strings.Lines(string(head)) {
		key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		switch key {
		case "tree":
			c.tree = value
		case "parent":
			c.parents = append(c.parents, value)
		case "author":
			c.author = parsePerson(value)
		case "committer":
			c.committer = parsePerson(value)
		}
	}
	return c, true, nil
}

func parsePerson(s string) Person {
	name, rest, _ := strings.Cut(s, " <")
	email, when, _ := strings.Cut(rest, "> ")
	seconds, _, _ := strings.Cut(when, " ")
	n, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return Person{Name: name, Email: email}
	}
	return Person{Name: name, Email: email, Date: time.Unix(n, 0).UTC()}
}

// write makes commits on branch, one after the other, in one run of git fast-import.
func (g *gitDir) write(ref string, tip string, by User, now time.Time, commits []Commit) ([]string, error) {
	var in bytes.Buffer
	for i, c := range commits {
		author := withDefault(c.Author, by.person(), now)
		committer := withDefault(c.Committer, author, author.Date)
		fmt.Fprintf(&in, "commit %s\nmark :%d\n", ref, i+1)
		fmt.Fprintf(&in, "author %s <%s> %d +0000\n", author.Name, author.Email, author.Date.Unix())
		fmt.Fprintf(&in, "committer %s <%s> %d +0000\n", committer.Name, committer.Email, committer.Date.Unix())
		fmt.Fprintf(&in, "data %d\n%s\n", len(c.Message), c.Message)
		switch {
		case c.Parent != "":
			fmt.Fprintf(&in, "from %s\n", c.Parent)
		case i > 0:
			fmt.Fprintf(&in, "from :%d\n", i)
		case tip != "":
			fmt.Fprintf(&in, "from %s\n", tip)
		}
		if c.Merge != "" {
			fmt.Fprintf(&in, "merge %s\n", c.Merge)
		}
		for _, path := range c.Delete {
			fmt.Fprintf(&in, "D %s\n", quotePath(path))
		}
		for _, path := range slices.Sorted(maps.Keys(c.Files)) {
			mode := c.Modes[path]
			if mode == "" {
				mode = "100644"
			}
			fmt.Fprintf(&in, "M %s inline %s\ndata %d\n%s\n", mode, quotePath(path), len(c.Files[path]), c.Files[path])
		}
	}
	for i := range commits {
		fmt.Fprintf(&in, "get-mark :%d\n", i+1)
	}
	out, err := g.run(in.Bytes(), "fast-import", "--quiet", "--force", "--date-format=raw")
	if err != nil {
		return nil, err
	}
	return strings.Fields(string(out)), nil
}

func withDefault(p, d Person, date time.Time) Person {
	if p.Name == "" && p.Email == "" {
		p.Name, p.Email = d.Name, d.Email
	}
	if p.Date.IsZero() {
		p.Date = date
	}
	return p
}

// quotePath writes a path as fast-import reads it.
func quotePath(path string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(path) + `"`
}

type treeEntry struct{ mode, path, kind, id string }

// tree reads one level of a tree.
func (g *gitDir) tree(id string) ([]treeEntry, bool, error) {
	o, ok, err := g.object(id)
	if err != nil || !ok {
		return nil, false, err
	}
	if o.kind == "commit" {
		c, _, err := g.commit(id)
		if err != nil {
			return nil, false, err
		}
		return g.tree(c.tree)
	}
	if o.kind != "tree" {
		return nil, false, nil
	}
	var list []treeEntry
	for data := o.data; len(data) > 0; {
		head, rest, _ := bytes.Cut(data, []byte{0})
		mode, name, _ := strings.Cut(string(head), " ")
		if mode == "40000" { // git writes it short, GitHub shows it whole
			mode = "040000"
		}
		e := treeEntry{mode: mode, path: name, kind: "blob", id: fmt.Sprintf("%x", rest[:20])}
		switch e.mode {
		case "040000":
			e.kind = "tree"
		case "160000":
			e.kind = "commit"
		}
		list = append(list, e)
		data = rest[20:]
	}
	return list, true, nil
}
