package report

import (
	"io"

	"selffix/checker"
	"selffix/internal/visible"
)

// writeJSON is one object: verdict and findings, nothing else. File names keep their value, and what does not print is escaped.
func writeJSON(w io.Writer, r checker.Report) error {
	return visible.WriteJSON(w, r)
}
