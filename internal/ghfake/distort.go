package ghfake

import (
	"bytes"
	"net/http"
	"time"
)

// Broken lists the ways in which an answer can be no answer at all: whoever acts on one of these, for as long as it
// lasts, acts on nothing. Most come from what client libraries were seen to take for "zero results".
func Broken() []Distortion {
	list := []Distortion{
		body("empty body", ""),
		body("blank body", " \n"),
		body("null", "null"),
		body("empty object", "{}"),
		body("empty string", `""`),
		body("message with 200", `{"message":"Server Error"}`),
		body("HTML with 200", "<!DOCTYPE html><title>Unicorn!</title>"),
		trailing("junk after the value", "junk"),
		trailing("two values", " []"),
		trailing("HTML after the value", "<html></html>"),
		after("truncated JSON", func(a *Answer) { a.Body = a.Body[:len(a.Body)*2/3] }),
		after("duplicate key", duplicateKey),
		after("key again in other case", otherCaseKey),
		after("first element null", nullElement),
		after("HTML content type", func(a *Answer) { a.Header.Set("Content-Type", "text/html; charset=utf-8") }),
		after("no content type", func(a *Answer) { a.Header["Content-Type"] = nil }),
		after("no date", func(a *Answer) { a.Header["Date"] = nil }),
		after("date not a date", func(a *Answer) { a.Header.Set("Date", "yesterday") }),
		after("clock three minutes behind", skew(-3*time.Minute)),
		after("clock three minutes ahead", skew(3*time.Minute)),
		after("cut in the middle", func(a *Answer) { a.Cut = max(1, len(a.Body)/2) }),
		after("answer lost", func(a *Answer) { a.Lost = true }),
		instead("204", http.StatusNoContent, ""),
		instead("202", http.StatusAccepted, `{}`),
		instead("203", http.StatusNonAuthoritativeInfo, `[]`),
		instead("206", http.StatusPartialContent, `[]`),
		instead("304", http.StatusNotModified, ""),
		instead("secondary limit without words", http.StatusForbidden, `{"message":"You have exceeded a secondary rate limit."}`),
		limited("403 with Retry-After", http.StatusForbidden, "1"),
		limited("403 with a date in Retry-After", http.StatusForbidden, "Fri, 31 Dec 2100 23:59:59 GMT"),
		limited("429", http.StatusTooManyRequests, ""),
		limited("429 with Retry-After", http.StatusTooManyRequests, "1"),
		limited("429 with Retry-After 0", http.StatusTooManyRequests, "0"),
		limited("429 with Retry-After of a day", http.StatusTooManyRequests, "86400"),
		limited("429 with Retry-After below zero", http.StatusTooManyRequests, "-1"),
		moved("301", http.StatusMovedPermanently),
		moved("302", http.StatusFound),
		moved("307", http.StatusTemporaryRedirect),
		moved("308", http.StatusPermanentRedirect),
	}
	for _, status := range []int{400, 401, 404, 409, 410, 422, 451, 500, 502, 503, 504} {
		list = append(list, instead(http.StatusText(status), status, `{"message":"`+http.StatusText(status)+`"}`))
	}
	return list
}

func after(name string, f func(*Answer)) Distortion { return Distortion{Name: name, After: f} }

// body replaces the bytes of a good answer.
func body(name, text string) Distortion {
	return after(name, func(a *Answer) { a.Body = []byte(text) })
}

func trailing(name, text string) Distortion {
	return after(name, func(a *Answer) { a.Body = append(bytes.Clone(a.Body), text...) })
}

// instead refuses the request before anything is carried out.
func instead(name string, status int, text string) Distortion {
	return Distortion{Name: name, Instead: func(a *Answer) { a.Status, a.Body = status, []byte(text) }}
}

func limited(name string, status int, retry string) Distortion {
	d := instead(name, status, `{"message":"API rate limit exceeded","documentation_url":"https://docs.github.com/rest/overview/resources-in-the-rest-api#rate-limiting"}`)
	inner := d.Instead
	d.Instead = func(a *Answer) {
		inner(a)
		if retry != "" {
			a.Header.Set("Retry-After", retry)
		}
		a.Header.Set("X-RateLimit-Remaining", "0")
	}
	return d
}

// moved sends the client to a repository of somebody else on the same host.
func moved(name string, status int) Distortion {
	d := instead(name, status, `{"message":"Moved Permanently"}`)
	inner := d.Instead
	d.Instead = func(a *Answer) {
		inner(a)
		a.Header.Set("Location", "/repositories/1")
	}
	return d
}

func skew(by time.Duration) func(*Answer) {
	return func(a *Answer) {
		if t, err := http.ParseTime(a.Header.Get("Date")); err == nil {
			a.Header.Set("Date", t.Add(by).Format(http.TimeFormat))
		}
	}
}

// duplicateKey writes a member of the first object twice, the second time as null.
func duplicateKey(a *Answer) { a.Body = insertMember(a.Body, func(key []byte) []byte { return key }) }

// otherCaseKey writes it again in upper case, which decoders that fold case take for the same.
func otherCaseKey(a *Answer) { a.Body = insertMember(a.Body, bytes.ToUpper) }

func insertMember(raw []byte, spell func([]byte) []byte) []byte {
	open := bytes.IndexByte(raw, '{')
	if open < 0 || open+2 >= len(raw) || raw[open+1] != '"' {
		return raw
	}
	end := bytes.IndexByte(raw[open+2:], '"')
	if end < 0 {
		return raw
	}
	key := raw[open+2 : open+2+end]
	member := append(append([]byte(`"`), spell(key)...), `":null,`...)
	return bytes.Join([][]byte{raw[:open+1], member, raw[open+1:]}, nil)
}

// nullElement puts null in front of the first list that is not empty.
func nullElement(a *Answer) {
	if i := bytes.Index(a.Body, []byte("[{")); i >= 0 {
		a.Body = bytes.Join([][]byte{a.Body[:i+1], []byte("null,"), a.Body[i+1:]}, nil)
	}
}
