package oksse

import (
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Encoder writes events to a stream, for servers and tests. Each call writes once, and flushes a writer that is an [http.Flusher] or has a Flush method
// that returns an error. What it writes is UTF-8 with line feeds. An Encoder is used by one goroutine at a time.
type Encoder struct {
	w   io.Writer
	buf []byte
}

// NewEncoder makes an encoder that writes to w, one write for each event. It does not close w, and writes no byte order mark.
func NewEncoder(w io.Writer) *Encoder { return &Encoder{w: w} }

// Encode writes an event. An ID with a NUL or a line break, a Type with a line break, and either of them if it is not UTF-8, is a [*FieldError],
// and nothing is written; any other error is the writer's. In the data every line break, CR and CRLF too, becomes a line feed, and what is not
// UTF-8 becomes U+FFFD.
func (e *Encoder) Encode(ev Event) error {
	buf, err := AppendEvent(e.buf[:0], ev)
	if err != nil {
		return err
	}
	return e.write(buf)
}

// Comment writes a comment. Readers ignore it, but it shows them, and every proxy between, that the stream is alive. Each line of the text becomes
// a line of the comment. The error is the writer's.
func (e *Encoder) Comment(text string) error {
	return e.write(append(appendLines(e.buf[:0], ":", text), '\n'))
}

// Retry tells readers how long to wait before they reconnect. It goes out in whole milliseconds, the rest cut off; a negative time is 0. The error
// is the writer's.
func (e *Encoder) Retry(d time.Duration) error {
	return e.write(append(appendRetry(e.buf[:0], d), '\n'))
}

func (e *Encoder) write(buf []byte) error {
	_, err := e.w.Write(buf)
	e.buf = reuse(buf)
	if err != nil {
		return err
	}
	switch f := e.w.(type) {
	case interface{ Flush() error }:
		return f.Flush()
	case http.Flusher:
		f.Flush()
	}
	return nil
}

// AppendEvent appends an event to dst as [Encoder.Encode] writes it: those of the fields retry, id, event and data that it has, and a blank line.
// The error is a [*FieldError], with dst as it was.
func AppendEvent(dst []byte, e Event) ([]byte, error) {
	if err := checkField("id", e.ID, "\x00\n\r"); err != nil {
		return dst, err
	}
	if err := checkField("event", e.Type, "\n\r"); err != nil {
		return dst, err
	}
	if e.HasRetry {
		dst = appendRetry(dst, e.Retry)
	}
	switch {
	case e.ID != "":
		dst = append(append(append(dst, "id: "...), e.ID...), '\n')
	case e.ClearID:
		dst = append(dst, "id\n"...)
	}
	if e.Type != "" && e.Type != message {
		dst = append(append(append(dst, "event: "...), e.Type...), '\n')
	}
	return append(appendLines(dst, "data: ", e.Data), '\n'), nil
}

func appendRetry(dst []byte, d time.Duration) []byte {
	dst = append(dst, "retry: "...)
	return append(strconv.AppendInt(dst, max(d, 0).Milliseconds(), 10), '\n')
}

// appendLines writes a text as lines that begin alike. A line end at the end of the text is followed by an empty line.
func appendLines(dst []byte, prefix, text string) []byte {
	for {
		end := strings.IndexAny(text, "\r\n")
		if end < 0 {
			return append(appendString(append(dst, prefix...), text), '\n')
		}
		dst = append(appendString(append(dst, prefix...), text[:end]), '\n')
		if strings.HasPrefix(text[end:], "\r\n") {
			end++
		}
		text = text[end+1:]
	}
}

func appendString(dst []byte, s string) []byte {
	if utf8.ValidString(s) {
		return append(dst, s...)
	}
	return appendText(dst, []byte(s))
}

func checkField(name, value, forbidden string) error {
	if i := strings.IndexAny(value, forbidden); i >= 0 {
		return &FieldError{name, "contains " + strconv.QuoteRune(rune(value[i])) + " at " + strconv.Itoa(i)}
	}
	if !utf8.ValidString(value) {
		return &FieldError{name, "is not UTF-8"}
	}
	return nil
}
