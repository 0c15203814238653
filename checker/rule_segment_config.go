package checker

import (
	"slices"

	"selffix/checker/source"
)

func ruleSegmentConfig() Rule {
	return segmentRule(Rule{
		ID:    "SF-SEGMENT-001",
		Kind:  "segment-config",
		Title: "New setting of a route",
		Why: "In a file below app/ or pages/ an export named dynamic, revalidate, runtime, metadata, generateStaticParams or getServerSideProps changes how and where the page is made. " +
			"Those that are there may change.",
		Policy: "paths.app_folders",
		File:   "rule_segment_config",
	}, setOf(`
dynamic dynamicParams revalidate fetchCache runtime preferredRegion maxDuration generateStaticParams metadata generateMetadata viewport generateViewport
experimental_ppr unstable_instant unstable_prefetch alt size contentType generateImageMetadata generateSitemaps config matcher
getServerSideProps getStaticProps getStaticPaths getInitialProps reportWebVitals register onRequestError middleware proxy
`), "the export is a setting of the route that was not there")
}

func ruleSegmentMethod() Rule {
	return segmentRule(Rule{
		ID:     "SF-SEGMENT-002",
		Kind:   "path-new-route",
		Title:  "New handler in a file that is there",
		Why:    "In a route file an export named GET or POST answers requests: a new one is a new address, as a new file is. export * may bring any of them.",
		Policy: "paths.app_folders",
		File:   "rule_segment_method",
	}, setOf("GET HEAD POST PUT PATCH DELETE OPTIONS CONNECT TRACE *"), "the export is a handler that was not there")
}

// segmentRule refuses new exports of some names in files that the framework serves.
func segmentRule(r Rule, names map[string]bool, message string) Rule {
	return factRule(r, func(c *Change, f *File, fact source.Fact) string {
		if fact.Kind != source.Export || !names[fact.Name] {
			return ""
		}
		if slices.ContainsFunc(lowered(c.Policy.Paths.AppFolders), func(folder string) bool { return below(lowered([]string{f.Path})[0], folder) }) {
			return message
		}
		return ""
	})
}
