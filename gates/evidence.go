package gates

import (
	"net/url"
	"strings"
	"time"

	"selffix/internal/lazyregexp"
	"selffix/pipeline/policy"
)

// evidence fills in which report of the bot may count. Every bound is GitHub's record; the commit's own date
// can only narrow the window.
func evidence(f Facts, p policy.Policy, w *EvidenceWindow) *stop {
	if s := need(ruleUnread, "the preview deployment", f.Deployment); s != nil {
		return s
	}
	d := f.Deployment.Value
	switch {
	case d.ID == 0:
		return nothing(rulePreview, "GitHub records no preview deployment of the tested commit")
	case d.ID < 0 || !f.Clock.records(d.CreatedAt):
		return undecided(ruleRecords, "the deployment lacks its id or time")
	case d.SHA != f.Event.SHA || d.Environment != p.Evidence.Environment:
		return undecided(ruleRecords, "the deployment is of another commit or environment")
	case d.State != "success":
		return nothing(rulePreview, "the newest preview deployment of the tested commit is not a success")
	case !acceptedPreview(d.URL, p.Evidence.HostSuffix):
		return nothing(rulePreview, "the preview's address is not https on a host that the policy accepts")
	}
	failing, s := newestOfBot(f, p)
	if s != nil {
		return s
	}
	commit, ok := f.tested()
	if !ok {
		return undecided(ruleCommits, "the tested commit is not among those listed")
	}
	w.Commit, w.PreviewURL, w.NotAfter = f.Event.SHA, d.URL, failing.CreatedAt.UTC()
	w.NotBefore = latest(commit.CommitterDate, d.CreatedAt, failing.CreatedAt.Add(-p.Bot.Window)).UTC()
	if w.NotAfter.Before(w.NotBefore) {
		return nothing(ruleWindow, "the commit or its deployment is dated after the failing status")
	}
	return nil
}

func (f Facts) tested() (Commit, bool) {
	for _, c := range f.Commits.Value {
		if c.SHA == f.Event.SHA {
			return c, true
		}
	}
	return Commit{}, false
}

// hostLabels is one or more labels of a host name in plain lower case.
var hostLabels = lazyregexp.New(`^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$`)

// acceptedPreview reports whether raw is a plain https address, root path, no port, user, query or fragment, of
// a host that is the suffix with at least one label before it. Anchoring on the parsed host keeps
// "https://evil.example/#.vercel.app" and "https://x.vercel.app@evil.example" out.
func acceptedPreview(raw, suffix string) bool {
	u, err := url.Parse(raw)
	if err != nil || len(raw) > 512 || !strings.HasPrefix(suffix, ".") || len(suffix) < 4 {
		return false
	}
	label, ok := strings.CutSuffix(u.Host, suffix)
	if !ok || !hostLabels.MatchString(label) {
		return false
	}
	return raw == "https://"+u.Host || raw == "https://"+u.Host+"/"
}

func latest(ts ...time.Time) time.Time {
	var max time.Time
	for _, t := range ts {
		if t.After(max) {
			max = t
		}
	}
	return max
}
