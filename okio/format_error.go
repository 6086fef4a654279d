package okio

import (
	"io"

	"github.com/klauspost/compress/flate"
)

// A FormatError reports compressed or encrypted data that is malformed, damaged or cut off. It repeats on every later read.
type FormatError struct {
	Format  string // "gzip", "deflate" or "block cipher"
	Problem string // what came and what was expected, for example "CRC: actual 0x37ad8f8d != expected 0x01234567"
	Err     error  // the cause: io.ErrUnexpectedEOF if the data was cut off; nil if there is none beyond the problem
}

// Error names the format and the problem.
func (e *FormatError) Error() string {
	text := "okio: " + e.Format + ": " + e.Problem
	if e.Err != nil && e.Err != io.ErrUnexpectedEOF {
		text += ": " + e.Err.Error()
	}
	return text
}

// Unwrap returns the cause.
func (e *FormatError) Unwrap() error { return e.Err }

// formatErr gives the errors of a decoder their type. Errors of the source beneath, and the end, stay as they are.
func formatErr(format string, err error) error {
	if err == io.ErrUnexpectedEOF {
		return &FormatError{Format: format, Problem: "source exhausted prematurely", Err: err}
	}
	switch err.(type) { // not errors.As: an error of the source beneath may wrap one of these
	case flate.CorruptInputError, flate.InternalError:
		return &FormatError{Format: format, Problem: "invalid data", Err: err}
	}
	return err
}
