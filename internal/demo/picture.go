package demo

import (
	"strings"

	"selffix/pipeline"
)

// Measures of the picture, in SVG units.
const (
	pictureWidth = 1080
	boxLeft      = 420
	boxWidth     = 220
	boxHeight    = 30
	boxGap       = 12
	laneTop      = 58 // from a lane's edge to its first box: title and what crosses
	laneGap      = 26
)

// Picture is the plans of the loop as one drawing: a lane for each job, which is a machine of its own, and a box for each
// step with what crosses its boundary.
type Picture struct {
	Width, Height int
	Lanes         []Lane
}

// Lane is one job.
type Lane struct {
	Y, Height int
	Title     string
	Crossing  string // what comes over from another machine
	Boxes     []Box
}

// Box is one step.
type Box struct {
	X, Y, Width, Height int
	Name                string
	Fence               string // profile, as a class too
	In                  string // artifacts that come in
	Has                 string // secrets, network, effect
	Exposed             string
}

// TitleY is where a lane's title stands.
func (l Lane) TitleY() int { return l.Y + 22 }

// CrossingY is the second line's.
func (l Lane) CrossingY() int { return l.Y + 42 }

// Center is where a box's name stands.
func (b Box) Center() int { return b.X + b.Width/2 }

// Upper is the height of the first line on its right.
func (b Box) Upper() int { return b.Y + 12 }

// Lower is the second one's.
func (b Box) Lower() int { return b.Y + 26 }

// Middle is the height at which a box's texts stand.
func (b Box) Middle() int { return b.Y + b.Height/2 + 4 }

// Right is where the texts on its right begin.
func (b Box) Right() int { return b.X + b.Width + 12 }

// Left is where the texts on its left end.
func (b Box) Left() int { return b.X - 12 }

// Draw lays plans out. The picture follows from the plans that run, so it cannot show another loop.
func Draw(plans []pipeline.Plan) Picture {
	pic := Picture{Width: pictureWidth}
	y := 10
	for _, p := range plans {
		l := Lane{Y: y, Title: "job " + p.Name, Crossing: crossing(p)}
		at := y + laneTop
		for _, s := range p.Steps {
			l.Boxes = append(l.Boxes, box(s, at))
			at += boxHeight + boxGap
		}
		l.Height = at - y
		pic.Lanes = append(pic.Lanes, l)
		y += l.Height + laneGap
	}
	pic.Height = y
	return pic
}

// crossing says what a job takes of other machines. Policy and event come from GitHub itself, the run key is made here.
func crossing(p pipeline.Plan) string {
	var names []string
	for _, in := range p.Inputs {
		switch in.Kind {
		case pipeline.KindCandidate, pipeline.KindPatch, pipeline.KindResult, pipeline.KindPack:
			names = append(names, string(in.Kind))
		}
	}
	if len(names) == 0 {
		return "nothing crosses from another job: it asks GitHub itself"
	}
	return "crosses from the job before: " + strings.Join(names, ", ") + ", and nothing else"
}

func box(s pipeline.Step, y int) Box {
	b := Box{X: boxLeft, Y: y, Width: boxWidth, Height: boxHeight, Name: string(s.Name), Fence: string(s.Profile())}
	var in []string
	for _, i := range s.In {
		in = append(in, string(i.Ref))
	}
	b.In = strings.Join(in, ", ")
	const most = 62
	if len(b.In) > most {
		b.In = b.In[:strings.LastIndex(b.In[:most], ",")] + ", …"
	}
	facts := pipeline.Rows([]pipeline.Plan{{Steps: []pipeline.Step{s}}})[0]
	var has []string
	if len(facts.Secrets) > 0 {
		has = append(has, "secret "+strings.Join(facts.Secrets, ", "))
	}
	has = append(has, facts.Network...)
	if facts.Effect != "" {
		has = append(has, "effect: "+string(facts.Effect))
	}
	b.Has = strings.Join(has, " · ")
	var exposed []string
	for _, x := range facts.ExposedTo {
		exposed = append(exposed, string(x))
	}
	b.Exposed = strings.Join(exposed, ", ")
	return b
}
