package oksse

import (
	"bytes"
	"io"
	"iter"
	"math"
	"time"
	"unicode/utf8"
)

// Mode chooses between the rules of the standard and those of OkHttp where the two differ.
type Mode uint8

const (
	// Standard is the HTML standard, section 9.2.6: an id counts also in an event without data, and an event without a type is a "message".
	Standard Mode = iota
	// OkHttp is how OkHttp reads streams: an id counts only together with data, and a type may be absent.
	OkHttp
)

// DefaultMaxEventBytes is the size of event that decoders and streams accept if nothing else is said: 16 MiB.
const DefaultMaxEventBytes = 16 << 20

// DecoderConfig configures a [Decoder]. nil and the zero value mean the defaults.
type DecoderConfig struct {
	Mode Mode
	// MaxEventBytes bounds each line, and the data of an event. 0: [DefaultMaxEventBytes]; negative: unlimited. More is an [*EventTooLargeError].
	MaxEventBytes int
	// LastEventID is the last event ID that the stream starts with, that of an earlier connection for example.
	LastEventID string
	// OnComment is called with the text of each comment, without the colon, on the goroutine that calls Next.
	OnComment func(text string)
	// OnRetry is called with each reconnection time as it is read, before the event that carries it.
	OnRetry func(d time.Duration)
}

// Decoder reads events from a stream (HTML standard, section 9.2.6). It reads no further than it has to: an event is returned as soon as its blank
// line is there, and nothing is read between calls. Reading blocks as long as the reader does. A Decoder is used by one goroutine at a time.
type Decoder struct {
	lines lines
	cfg   DecoderConfig
	begun bool // the first line, which may have a byte order mark, is over

	last     string // the last event ID
	retry    time.Duration
	hasRetry bool
	latest   string            // the latest type
	types    map[string]string // those seen, so that each is made once
	texts    texts             // of types, and of IDs beside long data

	// Of the event that is being read.
	data    []byte // each line followed by a line feed, not decoded yet
	id      []byte // if idSet, which differs from the last
	idSet   bool
	cleared bool // by an empty id, since the event before
	typ     string
	revised time.Duration
	revises bool
}

// NewDecoder makes a decoder that reads from r. A nil config means the defaults: the standard's rules, and events of up to 16 MiB.
func NewDecoder(r io.Reader, c *DecoderConfig) *Decoder {
	d := new(Decoder)
	if c != nil {
		d.cfg = *c
	}
	if d.cfg.MaxEventBytes == 0 {
		d.cfg.MaxEventBytes = DefaultMaxEventBytes
	}
	if d.cfg.MaxEventBytes < 0 {
		d.cfg.MaxEventBytes = math.MaxInt
	}
	d.lines = lines{r: r, limit: d.cfg.MaxEventBytes}
	d.last = d.cfg.LastEventID
	return d
}

// Next returns the next event. The error is [io.EOF] at the end of the stream, even if that cuts off an event, which is dropped; an
// [*EventTooLargeError]; or that of the reader, as it is. After an error the stream is over.
func (d *Decoder) Next() (e Event, err error) {
	for {
		line, err := d.lines.next()
		if err != nil {
			d.data = nil
			return e, err
		}
		if !d.begun {
			d.begun = true
			line = bytes.TrimPrefix(line, []byte("\uFEFF"))
		}
		if len(line) == 0 {
			if d.dispatch(&e, bytes.TrimSuffix(d.data, []byte{'\n'}), len(d.data) > 0) {
				return e, nil
			}
			continue
		}
		if len(line) >= 5 && string(line[:5]) == "data:" && len(d.data) == 0 && d.lines.skipBlank() {
			d.dispatch(&e, unspaced(line[5:]), true) // most events have one line of data, as the last
			return e, nil
		}
		if err := d.field(line); err != nil {
			return e, d.lines.fail(err)
		}
	}
}

// All returns the remaining events. An error comes last, and ends the sequence; [io.EOF] is left out.
func (d *Decoder) All() iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		for {
			e, err := d.Next()
			if err == io.EOF || !yield(e, err) || err != nil {
				return
			}
		}
	}
}

// Retry returns the reconnection time that the stream last asked for, and whether it has.
func (d *Decoder) Retry() (time.Duration, bool) { return d.retry, d.hasRetry }

// LastEventID returns the last event ID: that of the latest complete event or, in the mode [Standard], of a later block that had an id but no
// data. "" means none.
func (d *Decoder) LastEventID() string { return d.last }

// field takes one line of an event. The usual ones come first.
func (d *Decoder) field(line []byte) error {
	switch {
	case len(line) >= 5 && string(line[:5]) == "data:":
		return d.addData(line[5:])
	case len(line) >= 3 && string(line[:3]) == "id:":
		d.setID(unspaced(line[3:]))
		return nil
	case len(line) >= 6 && string(line[:6]) == "event:":
		d.setType(unspaced(line[6:]))
		return nil
	}
	name, value := line, []byte(nil)
	if colon := bytes.IndexByte(line, ':'); colon >= 0 {
		name, value = line[:colon], line[colon+1:]
	}
	switch string(name) {
	case "":
		if d.cfg.OnComment != nil {
			d.cfg.OnComment(string(appendText(nil, value)))
		}
	case "data":
		return d.addData(value)
	case "id":
		d.setID(nil)
	case "event":
		d.setType(nil)
	case "retry":
		if wait, ok := milliseconds(unspaced(value)); ok {
			d.retry, d.hasRetry = wait, true
			d.revised, d.revises = wait, true
			if d.cfg.OnRetry != nil {
				d.cfg.OnRetry(wait)
			}
		}
	}
	return nil
}

// setID takes an id, unless a NUL is in it.
func (d *Decoder) setID(value []byte) {
	switch {
	case string(value) == d.last:
		d.idSet, d.cleared = false, len(value) == 0
	case bytes.IndexByte(value, 0) < 0:
		d.id, d.idSet, d.cleared = appendText(reuse(d.id), value), true, len(value) == 0
	}
}

func (d *Decoder) setType(value []byte) {
	if string(value) != d.latest {
		d.latest = d.intern(value)
	}
	d.typ = d.latest
}

// unspaced removes the one space that may follow a colon.
func unspaced(value []byte) []byte {
	if len(value) > 0 && value[0] == ' ' {
		return value[1:]
	}
	return value
}

func (d *Decoder) addData(value []byte) error {
	d.data = append(append(d.data, unspaced(value)...), '\n')
	if len(d.data)-1 > d.lines.limit {
		return &EventTooLargeError{d.lines.limit}
	}
	return nil
}

// longestWait is what a reconnection time of even more counts for, some 29 years. Ten times as much is still a Duration.
const longestWait = math.MaxInt64 / int64(time.Millisecond) / 10

// milliseconds reads a reconnection time.
func milliseconds(digits []byte) (time.Duration, bool) {
	n := int64(0)
	for _, c := range digits {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = min(n*10+int64(c-'0'), longestWait-1)
	}
	return time.Duration(n) * time.Millisecond, len(digits) > 0
}

const (
	mostTypes   = 64 // that are remembered
	longestType = 64 // of those, in bytes
)

// intern returns the type of an event as a string. There are few different ones in most streams.
func (d *Decoder) intern(value []byte) string {
	if s, ok := d.types[string(value)]; ok {
		return s
	}
	if !utf8.Valid(value) {
		return string(appendText(nil, value))
	}
	s := d.texts.string(value)
	if len(s) <= longestType {
		if d.types == nil {
			d.types = make(map[string]string)
		} else if len(d.types) == mostTypes {
			clear(d.types)
		}
		d.types[s] = s
	}
	return s
}

// dispatch completes an event that has data. Without, there is none.
func (d *Decoder) dispatch(e *Event, data []byte, event bool) bool {
	if event {
		e.Type, e.ClearID = d.typ, d.cleared
		if d.typ == "" && d.cfg.Mode == Standard {
			e.Type = message
		}
		if d.revises {
			e.Retry, e.HasRetry = d.revised, true
		}
		e.Data = d.strings(data)
		e.ID = d.last
		d.data = reuse(d.data)
	} else if d.idSet && d.cfg.Mode == Standard {
		d.last = d.texts.string(d.id)
	}
	d.typ, d.idSet, d.revises = "", false, false
	d.cleared = d.cleared && !event && d.cfg.Mode == Standard
	return event
}

// strings makes those of an event: its data, and its id if it has a new one. They are one piece of memory, unless an id that is kept would keep many times its own alive.
func (d *Decoder) strings(data []byte) string {
	if !utf8.Valid(data) {
		raw := len(d.data)
		d.data = appendText(d.data, data)
		data = d.data[raw:]
	}
	n := len(data)
	if !d.idSet {
		return string(data)
	}
	if n > max(textsSize, textsShare*len(d.id)) {
		d.last = d.texts.string(d.id)
		return string(data)
	}
	d.data = append(append(d.data[:0], data...), d.id...)
	both := string(d.data)
	d.last = both[n:]
	return both[:n]
}
