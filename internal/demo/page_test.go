package demo

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"selffix/internal/visible"
	"selffix/pipeline"
)

// hostileNames are file names that a pull request may hold, and what a rule may say about them.
func hostileNames() []string {
	return []string{
		"</script><script>alert(1)</script>", "</style><script>alert(2)</script>", `" onmouseover="alert(3)`, `' autofocus onfocus='alert(4)`,
		"javascript:alert(5)", "<img src=x onerror=alert(6)>", "</code></td><svg onload=alert(7)>", "<!--", "]]>", "{{.Report}}",
		"https://evil.example/?a=1&b=2", "a\u202egnp.tsx", "\x1b]52;c;AAAA\a", "\u2028alert(8)",
	}
}

// hostilePage has them wherever a text of a page may come from.
func hostilePage() Page {
	names := hostileNames()
	p := Play{Name: names[0], Outcome: Refused, TestedCommit: names[1], Bot: names, Review: []string{}, StoppedBy: names, Steps: []Step{}}
	d := Detail{Doc: names[0], Changed: names}
	for _, n := range names {
		p.Steps = append(p.Steps, Step{Name: n, Seconds: 1.5, Secrets: names, ExposedTo: names, Outcome: n})
		d.Blocked = append(d.Blocked, Blocked{Layer: n, What: n})
	}
	return Page{Report: Report{Plays: []Play{p}}, Details: []Detail{d}}
}

func TestPageKeepsHostileTextAsText(t *testing.T) {
	text, err := hostilePage().HTML()
	if err != nil {
		t.Fatal(err)
	}
	holds(t, string(text))
	root, err := html.Parse(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	content, style := "", ""
	for n := range root.Descendants() {
		switch {
		case n.Type == html.ElementNode && n.Data == "meta" && len(n.Attr) == 2 && n.Attr[0].Val == "Content-Security-Policy":
			content = n.Attr[1].Val
		case n.Type == html.ElementNode && n.Data == "style":
			style = n.FirstChild.Data
		}
	}
	sum := sha256.Sum256([]byte(style))
	want := "default-src 'none'; base-uri 'none'; form-action 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	if content != want {
		t.Errorf("the content policy is %q, want %q", content, want)
	}
	if n := strings.Count(strings.ToLower(string(text)), "</script"); n != 1 {
		t.Errorf("%d closing script tags in the bytes, want the one of the data", n)
	}
}

// TestPageInChromium opens the page in a browser: what its parser makes of the bytes is what counts, and its console
// stays empty. A page that breaks its own policy is the control that a violation would be seen.
func TestPageInChromium(t *testing.T) {
	browser := ""
	for _, name := range []string{"chromium-headless-shell", "chromium"} {
		if at, err := exec.LookPath(name); err == nil && browser == "" {
			browser = at
		}
	}
	if browser == "" {
		t.Skip("no chromium-headless-shell here; as root, apt-get install chromium-headless-shell brings it")
	}
	text, err := hostilePage().HTML()
	if err != nil {
		t.Fatal(err)
	}
	dom, console := open(t, browser, text)
	if len(console) != 0 {
		t.Errorf("the console says %q", console)
	}
	holds(t, dom)
	broken := bytes.Replace(text, []byte("</body>"), []byte("<script>document.title='ran'</script><img src='x.png'></body>"), 1)
	dom, console = open(t, browser, broken)
	if len(console) < 2 || strings.Contains(dom, "<title>ran") {
		t.Errorf("the control: console %q; want the policy to stop a script and an image, and to say so", console)
	}
}

// open loads a page from a file and returns the document as the browser has it, and the lines of its console.
func open(t *testing.T, browser string, text []byte) (dom string, console []string) {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "report.html")
	if err := os.WriteFile(file, text, 0o644); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
	defer cancel()
	args := []string{"--headless", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--user-data-dir=" + filepath.Join(dir, "profile"),
		"--enable-logging=stderr", "--virtual-time-budget=2000", "--dump-dom", "file://" + file}
	if os.Geteuid() == 0 {
		args = append([]string{"--no-sandbox"}, args...) // the browser refuses to start as root with it
	}
	c := exec.CommandContext(ctx, browser, args...)
	var out, said bytes.Buffer
	c.Stdout, c.Stderr = &out, &said
	if err := c.Run(); err != nil {
		t.Fatalf("%v\n%s", err, said.String())
	}
	for _, line := range strings.Split(said.String(), "\n") {
		if strings.Contains(line, "CONSOLE") {
			console = append(console, line)
		}
	}
	return out.String(), console
}

// holds looks at a document: the picture and the tables are there, nothing can run or load, and every hostile text is
// found again as text.
func holds(t *testing.T, document string) {
	t.Helper()
	root, err := html.Parse(strings.NewReader(document))
	if err != nil {
		t.Fatal(err)
	}
	allowed := []string{"html", "head", "meta", "title", "style", "body", "h1", "h2", "h3", "p", "svg", "rect", "text", "section", "span", "code",
		"table", "thead", "tbody", "tr", "th", "td", "ul", "li", "script"}
	attributes := []string{"lang", "charset", "http-equiv", "content", "name", "id", "role", "aria-label", "viewbox", "class", "x", "y", "width",
		"height", "rx", "type", "xmlns"}
	var scripts, rects, rows, texts []string
	for n := range root.Descendants() {
		if n.Type == html.TextNode {
			texts = append(texts, n.Data)
		}
		if n.Type == html.CommentNode {
			t.Errorf("a comment: %q", n.Data)
		}
		if n.Type != html.ElementNode {
			continue
		}
		if !slices.Contains(allowed, n.Data) {
			t.Errorf("an element %q", n.Data)
		}
		for _, a := range n.Attr {
			if !slices.Contains(attributes, strings.ToLower(a.Key)) {
				t.Errorf("an attribute %q of %s", a.Key, n.Data)
			}
		}
		switch n.Data {
		case "script":
			scripts = append(scripts, n.FirstChild.Data)
		case "rect":
			rects = append(rects, n.Data)
		case "tr":
			rows = append(rows, n.Data)
		}
	}
	data(t, scripts)
	pic := Draw(pipeline.Loop(pipeline.ReviewByToken))
	want := len(pic.Lanes)
	for _, l := range pic.Lanes {
		want += len(l.Boxes)
	}
	if len(rects) != want || want < 20 {
		t.Errorf("%d boxes in the picture, want %d", len(rects), want)
	}
	if want := 2 * (len(hostileNames()) + 1); len(rows) != want {
		t.Errorf("%d rows, want %d", len(rows), want)
	}
	for _, name := range hostileNames() {
		if !slices.Contains(texts, visible.String(name)) {
			t.Errorf("%q is not found as text", name)
		}
	}
}

// data holds the one block of data to the report that it was made from.
func data(t *testing.T, scripts []string) {
	t.Helper()
	if len(scripts) != 1 {
		t.Fatalf("%d scripts, want the one of the data", len(scripts))
	}
	if strings.ContainsAny(scripts[0], "<>") {
		t.Error("the data holds a bare angle bracket")
	}
	var got Report
	if err := json.Unmarshal([]byte(scripts[0]), &got); err != nil {
		t.Fatal(err)
	}
	if want := hostilePage().Report; !reflect.DeepEqual(got, want) {
		t.Errorf("the data is %+v", got)
	}
}

func texts(lines []Line) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(l.Text + "\n")
	}
	return b.String()
}

// TestPicture holds the drawing to the plans: each step once, its secrets beside it, inside its lane.
func TestPicture(t *testing.T) {
	plans := pipeline.Loop(pipeline.ReviewByToken)
	pic := Draw(plans)
	for i, p := range plans {
		l := pic.Lanes[i]
		if len(l.Boxes) != len(p.Steps) {
			t.Fatalf("%s: %d boxes for %d steps", p.Name, len(l.Boxes), len(p.Steps))
		}
		for j, s := range p.Steps {
			b := l.Boxes[j]
			if b.Name != string(s.Name) || b.Fence != string(s.Profile()) || b.Y < l.Y || b.Y+b.Height > l.Y+l.Height {
				t.Errorf("%s: %+v", s.Name, b)
			}
			beside := texts(append(b.Left, b.Right...))
			for _, g := range s.Secrets {
				if !strings.Contains(beside, "secret "+string(g.Secret)) {
					t.Errorf("%s: its secret %s is not drawn: %q", s.Name, g.Secret, beside)
				}
			}
			for _, in := range s.In {
				if !strings.Contains(beside, string(in.Ref)) {
					t.Errorf("%s: what comes in as %s is not drawn: %q", s.Name, in.Ref, beside)
				}
			}
			for _, line := range append(b.Left, b.Right...) {
				if line.Y < b.Y || line.Y > b.Y+b.Height {
					t.Errorf("%s: %q stands beside another box", s.Name, line.Text)
				}
			}
		}
	}
	if last := pic.Lanes[len(pic.Lanes)-1]; pic.Height < last.Y+last.Height {
		t.Error("the last lane is cut off")
	}
	if c := pic.Lanes[2].Crossing; !strings.Contains(c, "candidate, patch, and nothing else") {
		t.Errorf("what crosses into recheck: %q", c)
	}
}
