package oksse

import (
	"bytes"
	"io"
	"iter"
	"math"
	"time"
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

// Decoder reads events from a stream. It reads no further than it has to: an event is returned as soon as its blank line is there, and nothing is
// read between calls. A Decoder is used by one goroutine at a time.
type Decoder struct {
	lines lines
	cfg   DecoderConfig
	begun bool // the first line, which may have a byte order mark, is over

	last     string // the last event ID
	retry    time.Duration
	hasRetry bool
	types    map[string]string // those seen, so that each is made once

	// Of the event that is being read.
	data    []byte // each line followed by a line feed
	id      []byte
	idSet   bool
	typ     string
	revised time.Duration
	revises bool
}

// NewDecoder makes a decoder of a stream.
func NewDecoder(r io.Reader, c *DecoderConfig) *Decoder {
	d := new(Decoder)
	if c != nil {
		d.cfg = *c
	}
	if d.cfg.MaxEventBytes == 0 {
		d.cfg.MaxEventBytes = DefaultMaxEventBytes
	}
	d.lines = lines{r: r, limit: max(d.cfg.MaxEventBytes, 0)}
	d.last = d.cfg.LastEventID
	return d
}

// Next returns the next event. The error is [io.EOF] at the end of the stream, also if that cuts off an event, which is dropped; an
// [*EventTooLargeError]; or that of the reader as it is. The stream is over then.
func (d *Decoder) Next() (Event, error) {
	for {
		line, err := d.lines.next()
		if err != nil {
			d.data = nil
			return Event{}, err
		}
		if !d.begun {
			d.begun = true
			line = bytes.TrimPrefix(line, []byte("\uFEFF"))
		}
		if len(line) == 0 {
			if e, ok := d.dispatch(); ok {
				return e, nil
			}
			continue
		}
		if err := d.field(line); err != nil {
			return Event{}, d.lines.fail(err)
		}
	}
}

// All returns the rest of the events. The error that ends the sequence comes last, unless it is [io.EOF].
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

// Retry returns the reconnection time that the stream asked for last, and whether it did.
func (d *Decoder) Retry() (time.Duration, bool) { return d.retry, d.hasRetry }

// LastEventID returns the last event ID: that of the latest event that was completed and, in the mode [Standard], had an id although it had no data.
func (d *Decoder) LastEventID() string { return d.last }

// field takes one line of an event.
func (d *Decoder) field(line []byte) error {
	if len(line) >= 5 && string(line[:5]) == "data:" {
		return d.addData(line[5:])
	}
	name, value := line, []byte(nil)
	if colon := bytes.IndexByte(line, ':'); colon >= 0 {
		name, value = line[:colon], line[colon+1:]
	}
	if len(name) == 0 {
		if d.cfg.OnComment != nil {
			d.cfg.OnComment(string(appendText(nil, value)))
		}
		return nil
	}
	switch string(name) {
	case "data":
		return d.addData(value)
	case "event":
		d.typ = d.intern(unspaced(value))
	case "id":
		if value = unspaced(value); bytes.IndexByte(value, 0) < 0 {
			d.id, d.idSet = appendText(d.id[:0], value), true
		}
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

// unspaced removes the one space that may follow a colon.
func unspaced(value []byte) []byte {
	if len(value) > 0 && value[0] == ' ' {
		return value[1:]
	}
	return value
}

func (d *Decoder) addData(value []byte) error {
	d.data = append(appendText(d.data, unspaced(value)), '\n')
	if limit := d.lines.limit; limit > 0 && len(d.data)-1 > limit {
		return &EventTooLargeError{limit}
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
	s := string(appendText(nil, value))
	if len(value) <= longestType {
		if d.types == nil || len(d.types) == mostTypes {
			d.types = make(map[string]string)
		}
		d.types[string(value)] = s
	}
	return s
}

// dispatch completes an event. Without data there is none.
func (d *Decoder) dispatch() (Event, bool) {
	set := d.idSet
	d.idSet = false
	if len(d.data) == 0 {
		if set && d.cfg.Mode == Standard && string(d.id) != d.last {
			d.last = string(d.id)
		}
		d.typ, d.revises = "", false
		return Event{}, false
	}
	e := Event{Type: d.typ, ClearID: set && len(d.id) == 0, Retry: d.revised, HasRetry: d.revises}
	if e.Type == "" && d.cfg.Mode == Standard {
		e.Type = message
	}
	if !e.HasRetry {
		e.Retry = 0
	}
	e.Data = d.strings(set)
	e.ID = d.last
	d.data = reuse(d.data)
	d.typ, d.revises = "", false
	return e, true
}

// sharedString is up to how many bytes data and id are one piece of memory, which the id keeps alive after the data is gone.
const sharedString = 1 << 10

// strings makes those of an event: its data, and its id if it has a new one.
func (d *Decoder) strings(set bool) (data string) {
	n := len(d.data) - 1
	if !set || string(d.id) == d.last {
		return string(d.data[:n])
	}
	if n+len(d.id) > sharedString {
		d.last = string(d.id)
		return string(d.data[:n])
	}
	d.data = append(d.data[:n], d.id...)
	both := string(d.data)
	d.last = both[n:]
	return both[:n]
}
