package github

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"selffix/gates"
)

var (
	shaA = strings.Repeat("a1", 20)
	shaB = strings.Repeat("b2", 20)
)

func wfRun(id, number int, created time.Time, extra string) string {
	return fmt.Sprintf(`{"id":%d,"run_number":%d,"run_attempt":1,"event":"status","head_branch":"main","display_title":"self-fix %s","status":"completed",
"conclusion":"skipped","created_at":"%s","updated_at":"%s"%s}`, id, number, shaA, created.Format(time.RFC3339), created.Format(time.RFC3339), extra)
}

func wfRuns(total int, runs ...string) answer {
	return ok(fmt.Sprintf(`{"total_count":%d,"workflow_runs":[%s]}`, total, strings.Join(runs, ",")))
}

func TestRuns(t *testing.T) {
	at := func(n int) time.Time { return testNow.Add(-time.Duration(n) * time.Minute) }
	own, one := wfRun(30, 3, at(1), ""), wfRun(20, 2, at(2), "")
	first := wfRun(10, 1, at(3), "")
	old := wfRun(10, 1, testNow.Add(-90*24*time.Hour), "")
	s := scan{workflow: gates.WorkflowFile, cutoff: testNow.Add(-40 * 24 * time.Hour), own: 30}
	tests := []struct {
		name string
		as   []answer // of the two passes
		n    int
		err  error
	}{
		{"all", []answer{wfRuns(3, own, one, first)}, 3, nil},
		{"one of which a later pass shows more", []answer{wfRuns(3, own, one, first), wfRuns(4, wfRun(40, 4, at(0), ""), own, one, first)}, 4, nil},
		{"ends at an old one", []answer{wfRuns(900, own, one, old)}, 3, nil},
		{"own run missing", []answer{wfRuns(2, one, first)}, 0, ErrTruncated},
		{"own run missing in the second pass", []answer{wfRuns(3, own, one, first), wfRuns(2, one, first)}, 0, ErrTruncated},
		{"empty", []answer{wfRuns(0)}, 0, ErrTruncated},
		{"total too high", []answer{wfRuns(4, own, one, first)}, 0, ErrTruncated},
		{"total too low", []answer{wfRuns(2, own, one, first)}, 0, ErrTruncated},
		{"one deleted in between", []answer{wfRuns(2, own, first)}, 0, ErrTruncated},
		{"cut with its total", []answer{wfRuns(1, own)}, 0, ErrTruncated},
		{"not newest first", []answer{wfRuns(3, own, first, one)}, 0, ErrTruncated},
		{"two with one number", []answer{wfRuns(4, own, one, wfRun(19, 2, at(2), ""), first)}, 0, ErrTruncated},
		{"no total", []answer{ok(`{"workflow_runs":[` + own + `]}`)}, 0, ErrField},
		{"no runs", []answer{ok(`{"total_count":0}`)}, 0, ErrField},
		{"error text", []answer{ok(`{"message":"Server Error"}`)}, 0, ErrField},
		{"run without id", []answer{wfRuns(1, `{"run_number":1}`)}, 0, ErrField},
		{"run without number", []answer{wfRuns(1, strings.Replace(own, `"run_number":3,`, "", 1))}, 0, ErrField},
		{"run of the year 1", []answer{wfRuns(1, strings.Replace(own, own[strings.Index(own, `"created_at"`):strings.Index(own, `,"updated_at"`)], `"created_at":"0001-01-01T00:00:00Z"`, 1))}, 0, ErrField},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			server := inOrder(tt.as...)
			got, err := testClient(t, server).runs(t.Context(), s)
			if !errors.Is(err, tt.err) || len(got) != tt.n {
				t.Fatalf("%d runs, %v; want %d, %v", len(got), err, tt.n, tt.err)
			}
			if tt.err == nil && (server.asked[0] != "GET /repos/o/r/actions/workflows/self-fix.yml/runs?per_page=100" || !strings.HasSuffix(server.asked[1], "?per_page=99")) {
				t.Errorf("asked %v", server.asked)
			}
		})
	}
}

// A run that one pass shows as skipped and the other does not counts as not skipped.
func TestRunsTakeTheStricterRecord(t *testing.T) {
	skipped := wfRun(30, 1, testNow, "")
	going := strings.Replace(skipped, `"conclusion":"skipped"`, `"conclusion":null`, 1)
	for name, as := range map[string][]answer{
		"skipped last": {wfRuns(1, going), wfRuns(1, skipped)}, "skipped first": {wfRuns(1, skipped), wfRuns(1, going)},
	} {
		got, err := testClient(t, inOrder(as...)).runs(t.Context(), scan{workflow: "self-fix.yml", cutoff: testNow, own: 30})
		if err != nil || len(got) != 1 || got[0].Skipped() {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

func TestJobs(t *testing.T) {
	job := `{"id":1,"run_attempt":1,"name":"fix pr-7","status":"queued","conclusion":null,"started_at":null}`
	for name, tt := range map[string]struct {
		body string
		err  error
	}{
		"one":            {`{"total_count":1,"jobs":[` + job + `]}`, nil},
		"missing":        {`{"total_count":2,"jobs":[` + job + `]}`, ErrTruncated},
		"more":           {`{"total_count":0,"jobs":[` + job + `]}`, ErrTruncated},
		"twice":          {`{"total_count":2,"jobs":[` + job + `,` + job + `]}`, ErrField},
		"no total":       {`{"jobs":[]}`, ErrField},
		"without a name": {`{"total_count":1,"jobs":[{"id":1,"status":"queued"}]}`, ErrField},
	} {
		s := always(ok(tt.body))
		got, err := testClient(t, s).jobs(t.Context(), 5)
		if !errors.Is(err, tt.err) || err == nil && got[0].Name != "fix pr-7" {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
		if s.asked[0] != "GET /repos/o/r/actions/runs/5/jobs?filter=all&per_page=100" {
			t.Errorf("asked %v", s.asked)
		}
	}
}

func status(id int, context, state, creator string) string {
	return fmt.Sprintf(`{"id":%d,"context":"%s","state":"%s","creator":%s,"created_at":"2026-03-10T11:00:00Z"}`, id, context, state, creator)
}

func TestStatusesNeedTheNewest(t *testing.T) {
	user := `{"id":258111874,"login":"testsprite[bot]","type":"Bot"}`
	failure, success := status(1, "TestSprite V3", "failure", user), status(2, "TestSprite V3", "success", user)
	list, both := "/repos/o/r/commits/"+shaA+"/statuses?per_page=100", "/repos/o/r/commits/"+shaA+"/status?per_page=100"
	combined := func(sha string, total int, statuses ...string) answer {
		return ok(fmt.Sprintf(`{"sha":"%s","state":"failure","total_count":%d,"statuses":[%s]}`, sha, total, strings.Join(statuses, ",")))
	}
	for name, tt := range map[string]struct {
		list, combined answer
		n              int
		err            error
	}{
		"agree":                      {ok("[" + success + "," + failure + "]"), combined(shaA, 1, strings.Replace(success, `"creator":`+user+`,`, "", 1)), 2, nil},
		"newest missing in the list": {ok("[" + failure + "]"), combined(shaA, 1, success), 0, ErrTruncated},
		"combined is cut":            {ok("[" + failure + "]"), combined(shaA, 2, failure), 0, ErrTruncated},
		"combined of another commit": {ok("[" + failure + "]"), combined(shaB, 1, failure), 0, ErrField},
		"nobody posted":              {ok("[]"), combined(shaA, 0), 0, nil},
		"creator deleted":            {ok("[" + status(1, "x", "failure", "null") + "]"), combined(shaA, 0), 1, nil},
		"creator without an id":      {ok("[" + status(1, "x", "failure", `{"login":"x","type":"User"}`) + "]"), combined(shaA, 0), 0, ErrField},
		"creator with id zero":       {ok("[" + status(1, "x", "failure", `{"id":0,"login":"x","type":"User"}`) + "]"), combined(shaA, 0), 0, ErrField},
	} {
		got, err := testClient(t, paths(map[string]answer{list: tt.list, both: tt.combined})).statuses(t.Context(), shaA)
		if !errors.Is(err, tt.err) || len(got) != tt.n {
			t.Errorf("%s: %+v, %v; want %d, %v", name, got, err, tt.n, tt.err)
		}
	}
}

func TestRef(t *testing.T) {
	ref := func(name, kind, sha string) answer {
		return ok(fmt.Sprintf(`{"ref":"%s","object":{"type":"%s","sha":"%s"}}`, name, kind, sha))
	}
	for name, tt := range map[string]struct {
		a   answer
		err error
	}{
		"good":         {ref("refs/heads/feat", "commit", shaA), nil},
		"another ref":  {ref("refs/heads/feature", "commit", shaA), ErrField},
		"a tag object": {ref("refs/heads/feat", "tag", shaA), ErrField},
		"short id":     {ref("refs/heads/feat", "commit", shaA[:12]), ErrField},
		"a list":       {ok("[]"), ErrBody},
		"deleted":      {answer{status: 404, body: "{}"}, ErrNotFound},
	} {
		got, err := testClient(t, always(tt.a)).Ref(t.Context(), "feat")
		if !errors.Is(err, tt.err) || (got == shaA) != (tt.err == nil) {
			t.Errorf("%s: %s, %v", name, got, err)
		}
	}
}

func commitJSON(sha string, edits ...string) string {
	text := fmt.Sprintf(`{"sha":"%s","commit":{"author":{"name":"M","email":"m@x","date":"2026-03-10T11:00:00Z"},"committer":{"name":"M","email":"m@x","date":"2026-03-10T11:00:00Z"},
"message":"","tree":{"sha":"%s"}},"author":null,"committer":{"id":1001,"login":"m","type":"User"},"parents":[{"sha":"%s"}]}`, sha, shaB, shaB)
	return strings.NewReplacer(edits...).Replace(text)
}

func TestCommit(t *testing.T) {
	for name, tt := range map[string]struct {
		body string
		err  error
	}{
		"unlinked author":    {commitJSON(shaA), nil},
		"empty account":      {commitJSON(shaA, `"author":null`, `"author":{}`), nil},
		"another commit":     {commitJSON(shaB), ErrField},
		"no message":         {commitJSON(shaA, `"message":"",`, ``), ErrField},
		"no date":            {commitJSON(shaA, `,"date":"2026-03-10T11:00:00Z"`, ``), ErrField},
		"date as a number":   {commitJSON(shaA, `"2026-03-10T11:00:00Z"`, `0`), ErrBody},
		"empty name":         {commitJSON(shaA, `"name":"M"`, `"name":""`), ErrField},
		"no parents":         {commitJSON(shaA, `,"parents":[{"sha":"`+shaB+`"}]`, ``), ErrField},
		"short parent":       {commitJSON(shaA, `[{"sha":"`+shaB+`"}]`, `[{"sha":"b2b2"}]`), ErrField},
		"account without id": {commitJSON(shaA, `"id":1001,`, ``), ErrField},
	} {
		got, err := testClient(t, always(ok(tt.body))).Commit(t.Context(), shaA)
		if !errors.Is(err, tt.err) || err == nil && (got.AuthorID != 0 || got.CommitterID != 1001 || got.Tree != shaB) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	if _, err := testClient(t, always(ok(""))).Commit(t.Context(), "main"); !errors.Is(err, ErrConfig) {
		t.Errorf("a branch name for a commit: %v", err)
	}
}

func TestPullRequestFields(t *testing.T) {
	whole := strings.TrimSuffix(pull7(7), "}") + `,"merged":false,"commits":2,"comments":0}`
	for name, tt := range map[string]struct {
		old, new string
		err      error
	}{
		"good":                  {"", "", nil},
		"deleted fork":          {`"repo":{"id":77,"default_branch":"main"}},"base"`, `"repo":null},"base"`, nil},
		"deleted author":        {`{"id":1001,"login":"maintainer","type":"User"}`, "null", nil},
		"author without id":     {`"id":1001,`, ``, ErrField},
		"another number":        {`"number":7`, `"number":8`, ErrField},
		"merged missing":        {`"merged":false,`, ``, ErrField},
		"merged null":           {`"merged":false`, `"merged":null`, ErrField},
		"commits missing":       {`,"commits":2`, ``, ErrField},
		"labels null":           {`"labels":[]`, `"labels":null`, ErrField},
		"label without a name":  {`"labels":[]`, `"labels":[{}]`, ErrField},
		"short head":            {shaA, shaA[:20], ErrField},
		"base in another place": {`"base":{"ref":"main","sha":"` + shaB + `","repo":{"id":77`, `"base":{"ref":"main","sha":"` + shaB + `","repo":{"id":78`, ErrField},
		"no time":               {`"created_at":"2026-03-09T12:00:00Z",`, ``, ErrField},
	} {
		_, err := testClient(t, always(ok(strings.Replace(whole, tt.old, tt.new, 1)))).PullRequest(t.Context(), 7)
		if !errors.Is(err, tt.err) || tt.old != "" && !strings.Contains(whole, tt.old) {
			t.Errorf("%s: %v, want %v", name, err, tt.err)
		}
	}
}

func TestReviewPinSources(t *testing.T) {
	rulesPath, branchPath := "/repos/o/r/rules/branches/main?per_page=100", "/repos/o/r/branches/main"
	branch := func(protection string) answer {
		return ok(`{"name":"main","commit":{"sha":"` + shaA + `"},"protected":true,"protection":` + protection + `}`)
	}
	rule := func(check string) answer {
		return ok(`[{"type":"deletion"},{"type":"required_status_checks","parameters":{"required_status_checks":[` + check + `]}}]`)
	}
	none := branch(`{"enabled":false}`)
	for name, tt := range map[string]struct {
		rules, branch answer
		want          string
	}{
		"ruleset, pinned":                {rule(`{"context":"maintainer-review","integration_id":42}`), none, "[42]"},
		"ruleset, any":                   {rule(`{"context":"maintainer-review"}`), none, "[0]"},
		"ruleset, null":                  {rule(`{"context":"maintainer-review","integration_id":null}`), none, "[0]"},
		"ruleset, other case":            {rule(`{"context":"Maintainer-Review","integration_id":42}`), none, "[]"},
		"ruleset, another context":       {rule(`{"context":"ci"}`), none, "[]"},
		"no rules":                       {ok("[]"), none, "[]"},
		"classic, pinned":                {ok("[]"), branch(`{"enabled":true,"required_status_checks":{"enforcement_level":"non_admins","contexts":["maintainer-review"],"checks":[{"context":"maintainer-review","app_id":42}]}}`), "[42]"},
		"classic, any app":               {ok("[]"), branch(`{"enabled":true,"required_status_checks":{"enforcement_level":"everyone","contexts":[],"checks":[{"context":"maintainer-review","app_id":-1}]}}`), "[0]"},
		"classic, contexts alone":        {ok("[]"), branch(`{"enabled":true,"required_status_checks":{"enforcement_level":"everyone","contexts":["maintainer-review"]}}`), "[0]"},
		"classic, off":                   {ok("[]"), branch(`{"enabled":true,"required_status_checks":{"enforcement_level":"off","contexts":["maintainer-review"],"checks":[]}}`), "[]"},
		"classic, disabled":              {ok("[]"), branch(`{"enabled":false,"required_status_checks":{"enforcement_level":"everyone","contexts":["maintainer-review"]}}`), "[]"},
		"classic of another branch":      {ok("[]"), ok(`{"name":"release","commit":{"sha":"` + shaA + `"}}`), "unread"},
		"rules that cannot be read":      {answer{status: 500}, none, "unread"},
		"rule without a type":            {ok(`[{}]`), none, "unread"},
		"protection that cannot be read": {ok("[]"), answer{status: 403}, "unread"},
	} {
		c := testClient(t, paths(map[string]answer{rulesPath: tt.rules, branchPath: tt.branch}))
		var f gates.Facts
		c.readRules(t.Context(), &f, c.policyForTest(t))
		got := fmt.Sprint(f.Pin.Value.Apps)
		if !f.Pin.Seen {
			got = "unread"
		}
		if got != tt.want {
			t.Errorf("%s: %s (%s), want %s", name, got, f.Pin.Why, tt.want)
		}
	}
}

func TestPolicyFile(t *testing.T) {
	file := func(kind, path, encoding, content, sha string) answer {
		return ok(fmt.Sprintf(`{"type":"%s","path":"%s","encoding":"%s","content":"%s","sha":"%s","size":1}`, kind, path, encoding, content, sha))
	}
	// git hash-object of "enabled: true\n"
	const text, blob = "enabled: true\n", "8ca9d8b9e4e4b5e5f4d2e3f0f7a5b5d6c1f0a9e2"
	content := base64.StdEncoding.EncodeToString([]byte(text))
	good := blobID([]byte(text))
	for name, tt := range map[string]struct {
		a   answer
		err error
	}{
		"good":              {file("file", PolicyPath, "base64", content[:8]+`\n`+content[8:]+`\n`, good), nil},
		"another blob":      {file("file", PolicyPath, "base64", content, blob), ErrField},
		"a symbolic link":   {file("symlink", PolicyPath, "base64", content, good), ErrField},
		"another path":      {file("file", "self-fix.yaml", "base64", content, good), ErrField},
		"another encoding":  {file("file", PolicyPath, "none", "", good), ErrField},
		"not base64":        {file("file", PolicyPath, "base64", "%%%%", good), ErrField},
		"a folder":          {ok("[]"), ErrBody},
		"not there":         {answer{status: 404, body: "{}"}, ErrNotFound},
		"content cut short": {file("file", PolicyPath, "base64", content[:4], good), ErrField},
	} {
		s := always(tt.a)
		got, err := testClient(t, s).policyFile(t.Context(), shaA)
		if !errors.Is(err, tt.err) || err == nil && got.Commit != shaA {
			t.Errorf("%s: %+v, %v; want %v", name, got, err, tt.err)
		}
		if s.asked[0] != "GET /repos/o/r/contents/.github/self-fix.yaml?ref="+shaA {
			t.Errorf("asked %v", s.asked)
		}
	}
}

func TestLabelEventsAndTimeline(t *testing.T) {
	user := `{"id":1001,"login":"maintainer","type":"User"}`
	event := func(id int, kind, rest string) string {
		return fmt.Sprintf(`{"id":%d,"event":"%s","actor":%s,"created_at":"2026-03-10T11:00:00Z"%s}`, id, kind, user, rest)
	}
	list := "[" + strings.Join([]string{
		event(1, "labeled", `,"label":{"name":"reviewed","color":"fff"},"performed_via_github_app":null`),
		event(2, "unlabeled", ``), event(3, "renamed", ``), event(4, "labeled", `,"label":{"name":"x"},"performed_via_github_app":{"id":9}`),
	}, ",") + "]"
	got, err := testClient(t, always(ok(list))).labelEvents(t.Context(), 7)
	if err != nil || len(got) != 3 || got[0].ByApp || !got[0].Labeled || got[0].ActorID != 1001 || got[1].Label != "" || got[1].Labeled || !got[2].ByApp {
		t.Errorf("events %+v, %v", got, err)
	}
	robot := `{"id":41898282,"login":"github-actions[bot]","type":"Bot"}`
	comment := func(id int, author, body string) string {
		return fmt.Sprintf(`{"id":%d,"event":"commented","user":%s,"actor":%s,"body":"%s","created_at":"2026-03-10T11:00:00Z"}`, id, author, author, body)
	}
	line := "[" + strings.Join([]string{
		`{"event":"committed","sha":"` + shaA + `","author":{"name":"a","email":"b","date":"2026-03-10T11:00:00Z"}}`,
		event(1, "labeled", `,"label":{"name":"reviewed"}`), event(5, "head_ref_force_pushed", ""),
		comment(6, robot, gates.CommentMark+" x"), comment(7, robot, "coverage: 80%"), comment(8, user, gates.CommentMark), comment(9, "null", gates.CommentMark),
	}, ",") + "]"
	tl, err := testClient(t, always(ok(line))).timeline(t.Context(), 7, 41898282)
	if err != nil || len(tl.Labels) != 1 || len(tl.ForcePushes) != 1 || len(tl.SelfComments) != 2 {
		t.Errorf("timeline %+v, %v", tl, err)
	}
	for name, body := range map[string]string{
		"event without a kind":         `[{"id":1}]`,
		"label event without a time":   `[{"id":1,"event":"labeled","actor":null,"label":{"name":"x"}}]`,
		"label event without an id":    `[{"event":"unlabeled","actor":null,"created_at":"2026-03-10T11:00:00Z"}]`,
		"comment without a text":       `[{"id":1,"event":"commented","user":null,"created_at":"2026-03-10T11:00:00Z"}]`,
		"forced push without its time": `[{"id":1,"event":"head_ref_force_pushed"}]`,
		"entry twice":                  "[" + event(3, "renamed", "") + "," + event(3, "renamed", "") + "]",
	} {
		if _, err := testClient(t, always(ok(body))).timeline(t.Context(), 7, 41898282); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func TestDeploymentTakesTheNewest(t *testing.T) {
	dep := func(id int, at string) string {
		return fmt.Sprintf(`{"id":%d,"sha":"%s","environment":"Preview","created_at":"2026-03-10T%s:00Z","payload":{"Any":[null],"any":{}}}`, id, shaA, at)
	}
	query := url.Values{"sha": {shaA}, "environment": {"Preview"}}
	first := "/repos/o/r/deployments?environment=Preview&per_page=100&sha=" + shaA
	second := strings.Replace(first, "per_page=100", "per_page=99", 1)
	state := `[{"id":2,"state":"success","environment_url":"https://b.vercel.app","created_at":"2026-03-10T10:10:00Z"},
{"id":1,"state":"pending","environment_url":"https://a.vercel.app","created_at":"2026-03-10T10:09:00Z"}]`
	s := paths(map[string]answer{
		first: ok("[" + dep(5, "10:00") + "]"), second: ok("[" + dep(6, "10:05") + "," + dep(5, "10:00") + "]"),
		"/repos/o/r/deployments/6/statuses?per_page=100": ok(state),
	})
	got, err := testClient(t, s).deployment(t.Context(), shaA, query.Get("environment"))
	if err != nil || got.ID != 6 || got.State != "success" || got.URL != "https://b.vercel.app" {
		t.Errorf("%+v, %v", got, err)
	}
	s = always(ok("[]"))
	if got, err := testClient(t, s).deployment(t.Context(), shaA, "Preview"); err != nil || got.ID != 0 || len(s.asked) != 2 {
		t.Errorf("none: %+v, %v", got, err)
	}
	if _, err := testClient(t, always(ok("["+strings.Replace(dep(5, "10:00"), "Preview", "Production", 1)+"]"))).deployment(t.Context(), shaA, "Preview"); !errors.Is(err, ErrField) {
		t.Errorf("of another environment: %v", err)
	}
}
