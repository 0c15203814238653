package report

import (
	"encoding/json"
	"io"

	"selffix/checker"
)

// writeJSON is one object: verdict and findings, nothing else.
func writeJSON(w io.Writer, r checker.Report) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(r)
}
