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
	boxHeight    = 46
	boxGap       = 14
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
	Left                []Line // what comes in
	Right               []Line // what it holds and reaches, what it meets, what it hands on
}

// Line is one line of text beside a box.
type Line struct {
	X, Y  int
	Class string
	Text  string
}

// TitleY is where a lane's title stands.
func (l Lane) TitleY() int { return l.Y + 22 }

// CrossingY is the second line's.
func (l Lane) CrossingY() int { return l.Y + 42 }

// Center is where a box's name stands.
func (b Box) Center() int { return b.X + b.Width/2 }

// Middle is the height at which a box's name stands.
func (b Box) Middle() int { return b.Y + b.Height/2 + 4 }

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

// The columns beside a box.
const (
	columnGap   = 12
	lineHeight  = 15
	columnChars = 66 // of the left column
)

func box(s pipeline.Step, y int) Box {
	b := Box{X: boxLeft, Y: y, Width: boxWidth, Height: boxHeight, Name: string(s.Name), Fence: string(s.Profile())}
	var in []string
	for _, i := range s.In {
		in = append(in, string(i.Ref))
	}
	for i, text := range wrap(in, columnChars) {
		b.Left = append(b.Left, Line{X: boxLeft - columnGap, Y: y + (i+1)*lineHeight - 3, Class: "in", Text: text})
	}
	facts := pipeline.Rows([]pipeline.Plan{{Steps: []pipeline.Step{s}}})[0]
	var has, meets []string
	for _, secret := range facts.Secrets {
		has = append(has, "secret "+secret)
	}
	for _, host := range facts.Network {
		has = append(has, "reaches "+host)
	}
	if facts.Effect != "" {
		has = append(has, "effect: "+string(facts.Effect))
	}
	for _, x := range facts.ExposedTo {
		meets = append(meets, string(x))
	}
	b.beside("secret", strings.Join(has, " · "))
	b.beside("exposed", prefixed("meets ", meets))
	b.beside("out", prefixed("→ ", facts.HandsOn))
	return b
}

// beside adds a line on the right, if there is something to say.
func (b *Box) beside(class, text string) {
	if text != "" {
		b.Right = append(b.Right, Line{X: b.X + b.Width + columnGap, Y: b.Y + (len(b.Right)+1)*lineHeight - 3, Class: class, Text: text})
	}
}

func prefixed(prefix string, items []string) string {
	if len(items) == 0 {
		return ""
	}
	return prefix + strings.Join(items, ", ")
}

// wrap sets names in lines of at most most characters.
func wrap(names []string, most int) []string {
	var lines []string
	for i, n := range names {
		if i < len(names)-1 {
			n += ", "
		}
		if len(lines) == 0 || len(lines[len(lines)-1])+len(n) > most {
			lines = append(lines, "")
		}
		lines[len(lines)-1] += n
	}
	return lines
}
