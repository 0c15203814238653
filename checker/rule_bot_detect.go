package checker

import (
	"strings"

	"selffix/checker/source"
	"selffix/internal/lazyregexp"
)

func ruleBotDetect() Rule {
	r := Rule{
		ID:    "SF-BOT-001",
		Kind:  "bot-detect",
		Title: "Code that looks at who is testing",
		Why: "A change that behaves well for the test bot alone turns its status green and fixes nothing. Refused are the browser's description (navigator.userAgent, webdriver, the user-agent header), " +
			"flags of CI, the names of test bots and of the tools that drive browsers, the preview's host name, and comparing anything with an e-mail address.",
		Policy: "bot.login",
		File:   "rule_bot_detect",
	}
	r = factRule(r, func(c *Change, _ *File, fact source.Fact) string {
		low := strings.ToLower(fact.Name)
		switch fact.Kind {
		case source.Pattern:
			if plain := strings.Trim(fact.Name, "^$"); address.MatchString(plain) && !strings.ContainsAny(plain, `\[](){}|*+?`) {
				return "a value is compared with an e-mail address"
			}
			if drivers.MatchString(low) || c.namesBot(low) {
				return "the code names the test bot, a tool that drives browsers, or the preview"
			}
		case source.Probe:
			if address.MatchString(fact.Name) {
				return "a value is compared with an e-mail address"
			}
			fallthrough
		case source.String, source.Define, source.Read, source.Index, source.Global, source.Member, source.Text:
			if drivers.MatchString(low) || c.namesBot(low) {
				return "the code names the test bot, a tool that drives browsers, or the preview"
			}
			if fact.Kind == source.Define && address.MatchString(fact.Name) {
				return "a value is looked up under an e-mail address"
			}
			if fact.Kind != source.Text && fact.Kind != source.Define && describing.MatchString(low) {
				return "the code reads the browser's description"
			}
		}
		if factKind(fact) == r.Kind {
			return "the code looks at who is using it"
		}
		return ""
	})
	return withLines(r, func(c *Change, line string) (int, string) {
		low := strings.ToLower(line)
		if i := strings.Index(low, "testsprite"); i >= 0 && !commented.MatchString(line[:i]) {
			return i, "the line names the test bot outside of a comment"
		}
		return 0, ""
	})
}

var (
	address    = lazyregexp.New(`^[^@\s]*@[^@\s/]+\.[A-Za-z]{2,}$`)
	drivers    = lazyregexp.New(`testsprite|headless[ _-]?chrome|is_?headless|playwright|puppeteer|selenium|webdriver|phantomjs|swiftshader|browserstack|saucelabs|nightmarejs|chromedriver|geckodriver`)
	describing = lazyregexp.New(`^(?:user-agent|useragent|sec-ch-ua.*|x-vercel-protection-bypass|x-vercel-.*|x-testsprite.*|x-e2e.*|x-test-.*)$`)
	commented  = lazyregexp.New(`^\s*\*|//|/\*`)
)

// namesBot reports whether a text, in lower case, holds the bot's login, its status or the host names of previews.
func (c *Change) namesBot(low string) bool {
	login := strings.ToLower(strings.TrimSuffix(c.Policy.Bot.Login, "[bot]"))
	for _, name := range []string{login, strings.ToLower(c.Policy.Bot.Context), strings.TrimPrefix(strings.ToLower(c.Policy.Evidence.HostSuffix), ".")} {
		if len(name) > 3 && strings.Contains(low, name) {
			return true
		}
	}
	return false
}
