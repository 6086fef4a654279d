package cli

import (
	"encoding/base64"
	"errors"
	"io"
	"strings"

	"github.com/okhttp-go/ok/okhttp"
)

// headerLine is one -H.
type headerLine struct {
	name, value string
	remove      bool   // "Name:"
	file        string // "@FILE", which is read before anything is fetched; then nothing else is set
}

func (o *options) addHeader(line string) error {
	if file, ok := strings.CutPrefix(line, "@"); ok {
		o.headers = append(o.headers, headerLine{file: file})
		return nil
	}
	h, err := parseHeader(line)
	if err == nil {
		o.headers = append(o.headers, h)
	}
	return err
}

// readHeaders puts the lines of files in the place of their names.
func (o *options) readHeaders(in io.Reader) error {
	given := o.headers
	o.headers = nil
	for _, h := range given {
		if h.file == "" {
			o.headers = append(o.headers, h)
			continue
		}
		text, err := readNamed(h.file, in)
		if err != nil {
			return err
		}
		n := 0
		for line := range strings.Lines(string(text)) {
			n++
			if line = strings.TrimRight(line, "\r\n"); line == "" || line[0] == '#' { // a comment
				continue
			}
			if h, err = parseHeader(line); err != nil {
				return usageError("option -H: line %d of the file: %w", n, err)
			}
			o.headers = append(o.headers, h)
		}
	}
	return nil
}

func parseHeader(line string) (headerLine, error) {
	name, value, ok := strings.Cut(line, ":")
	value = strings.TrimSpace(value)
	h := headerLine{name: strings.TrimSpace(name), value: value, remove: value == ""}
	if !ok {
		if name, ok = strings.CutSuffix(strings.TrimSpace(line), ";"); !ok {
			return headerLine{}, errors.New(`expected "Name: value", "Name:" or "Name;", got no colon and no semicolon at the end`) // it may be a secret
		}
		h = headerLine{name: name}
	}
	if _, err := (okhttp.Headers{}).AddNonASCII(h.name, h.value); err != nil {
		return headerLine{}, errors.New(libraryText(err))
	}
	return h, nil
}

// headerValue returns the last value that the user gave a header.
func (o *options) headerValue(name string) (value string, ok bool) {
	for _, h := range o.headers {
		if !h.remove && strings.EqualFold(h.name, name) {
			value, ok = h.value, true
		}
	}
	return value, ok
}

// removes reports whether the user wants a default header not to be sent.
func (o *options) removes(name string) bool {
	removed := false
	for _, h := range o.headers {
		if strings.EqualFold(h.name, name) {
			if !h.remove {
				return false
			}
			removed = true
		}
	}
	return removed
}

// requestHeaders makes the headers of a request: the defaults, unless a line replaces or removes them, and then the lines.
func (o *options) requestHeaders(user *credentials) (okhttp.Headers, error) {
	var all okhttp.Headers
	var err error
	add := func(name, value string) {
		if err == nil {
			all, err = all.AddNonASCII(name, value)
		}
	}
	def := func(name, value string) {
		if _, given := o.headerValue(name); !given && !o.removes(name) && value != "" {
			add(name, value)
		}
	}
	switch {
	case o.bearer != "":
		def("Authorization", "Bearer "+o.bearer)
	case user != nil && !o.digest:
		def("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(user.name+":"+user.password)))
	}
	def("User-Agent", o.userAgent)
	switch {
	case o.sse:
		def("Accept", "text/event-stream")
	case o.sendsJSON():
		def("Accept", "application/json")
	default:
		def("Accept", "*/*")
	}
	def("Referer", o.referer)
	if o.byteRange != "" {
		def("Range", "bytes="+o.byteRange)
	}
	for _, h := range o.headers {
		if !h.remove && !o.decides(h.name) {
			add(h.name, h.value)
		}
	}
	return all, err
}

// decides reports whether a line is not passed on as a header but decides about something else.
func (o *options) decides(name string) bool {
	switch strings.ToLower(name) {
	case "content-length", "transfer-encoding":
		return true // they must be true to the body, so they are made of it
	case "content-type":
		return o.bodies() > 0 && !o.get // the body's own
	case "accept-encoding":
		return o.compressed // what unpacks leaves alone what it did not ask for by itself: see wire
	}
	return false
}

// wire corrects the headers that the client added on the way to the network.
func (o *options) wire(h okhttp.Headers) (okhttp.Headers, error) {
	for _, line := range o.headers {
		if line.remove && o.removes(line.name) && !framing(line.name) {
			h = h.Without(line.name)
		}
	}
	if _, given := o.headerValue("User-Agent"); !given && o.userAgent == "" {
		h = h.Without("User-Agent")
	}
	coding, given := o.headerValue("Accept-Encoding")
	switch {
	case given && o.compressed:
		return h.With("Accept-Encoding", coding)
	case !given && !o.compressed:
		h = h.Without("Accept-Encoding")
	}
	return h, nil
}

// framing reports whether a message cannot be understood without the header.
func framing(name string) bool {
	return strings.EqualFold(name, "Content-Length") || strings.EqualFold(name, "Transfer-Encoding")
}
