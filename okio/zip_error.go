package okio

import (
	"fmt"
	"io"
	"strings"
)

// A ZipError reports an archive that is no zip file, is damaged, cut off or contradictory, or uses a feature that [OpenZip] does not support. If the
// archive ended too early it is io.ErrUnexpectedEOF.
type ZipError struct {
	Archive Path   // the file that should be a zip file
	Entry   string // the name as the archive has it, empty if the problem is not with one entry
	Problem string // what came and what was expected, for example "not a zip: size=3"
	Err     error  // the cause, nil if there is none beyond the problem
}

// Error names the archive, the entry and the problem.
func (e *ZipError) Error() string {
	var text strings.Builder
	text.WriteString("okio: ")
	if archive := e.Archive.String(); archive != "" && archive != "." {
		fmt.Fprintf(&text, "%s: ", archive)
	}
	if e.Entry != "" {
		fmt.Fprintf(&text, "entry %q: ", shortName(e.Entry))
	}
	text.WriteString(e.Problem)
	if e.Err != nil && e.Err != io.ErrUnexpectedEOF {
		fmt.Fprintf(&text, ": %v", e.Err)
	}
	return text.String()
}

// Unwrap returns the cause.
func (e *ZipError) Unwrap() error { return e.Err }

// maxShownName bounds how much of a name, which may have 64 KiB, an error shows.
const maxShownName = 256

func shortName(name string) string {
	if len(name) <= maxShownName {
		return name
	}
	return name[:maxShownName] + "…"
}

func badZip(format string, args ...any) *ZipError {
	return &ZipError{Problem: "bad zip: " + fmt.Sprintf(format, args...)}
}

func unsupportedZip(format string, args ...any) *ZipError {
	return &ZipError{Problem: "unsupported zip: " + fmt.Sprintf(format, args...)}
}

// truncatedZip is for bytes that should be there and are not; any other err of a read passes.
func truncatedZip(err error, what string) error {
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return err
	}
	return &ZipError{Problem: "bad zip: truncated " + what, Err: io.ErrUnexpectedEOF}
}
