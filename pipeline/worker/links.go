package worker

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"selffix/internal/strictjson"
	"selffix/pipeline"
	"selffix/pipeline/checkout"
)

// No process behind the fence can make a link: one that leads out would wait there for whoever comes next. So the inner half of a step
// that writes a tree leaves a list of its links, and the outer half makes them when every inner process has ended, each held
// to the tree once more.

// maxLinkList bounds the list, in bytes.
const maxLinkList = 16 << 20

// linkList is the file in which an inner half leaves it. It lies in the step's scratch folder, so it is no output.
func (w work) linkList() string { return filepath.Join(w.in(ScratchDir), "links.json") }

// linkFile is its form.
type linkFile struct {
	Links []checkout.Link `json:"links"`
}

func (w work) leaveLinks(links []checkout.Link) error {
	text, err := json.Marshal(linkFile{append([]checkout.Link{}, links...)})
	if err != nil {
		return fmt.Errorf("list the links: %w", err)
	}
	if err := os.WriteFile(w.linkList(), text, 0o644); err != nil {
		return fmt.Errorf("list the links: %w", err)
	}
	return nil
}

// makeLinks makes what the inner half listed, in the one tree that the step hands on.
func (w work) makeLinks() error {
	text, err := readBounded(w.linkList(), maxLinkList)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // it wrote no tree, or ended before
	}
	if err != nil {
		return fmt.Errorf("%w: %w", checkout.ErrLinks, err)
	}
	var list linkFile
	if err := strictjson.Unmarshal(text, &list); err != nil {
		return fmt.Errorf("%w: %w", checkout.ErrLinks, err)
	}
	for _, o := range w.step.Out {
		if o.Kind == pipeline.KindTree {
			return checkout.MakeLinks(w.in(o.Path), list.Links)
		}
	}
	return fmt.Errorf("%w: %s hands on no tree", checkout.ErrLinks, w.step.Name)
}
