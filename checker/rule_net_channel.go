package checker

import "selffix/checker/source"

func ruleNetChannel() Rule {
	r := Rule{
		ID:    "SF-NET-002",
		Kind:  "net-remote",
		Title: "Channel to another page or host",
		Why: "XMLHttpRequest, WebSocket, EventSource, RTCPeerConnection, sendBeacon and postMessage carry data out under an address built at run time; fetch of a path of this site does all " +
			"that a fix needs. Assigning the page's address as a whole, or the host of an address (url.host = …), leaves the site; use href or the router.",
		File: "rule_net_channel",
	}
	return factRule(r, func(_ *Change, _ *File, fact source.Fact) string {
		switch {
		case fact == source.Fact{Kind: source.Bare, Name: "location="}:
			return "the page's address is assigned as a whole"
		case fact.Kind == source.Write && partsOfHost[fact.Name]:
			return "the host or scheme of an address is assigned"
		case factKind(fact) == r.Kind:
			return "the code opens a channel to another page or host"
		}
		return ""
	})
}

var partsOfHost = setOf("host hostname protocol")
