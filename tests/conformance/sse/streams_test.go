package sse

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"io"
	"os"
	"reflect"
	"testing"
	"testing/iotest"
	"time"

	"github.com/okhttp-go/ok/okhttp-sse"
)

// streams is how many there are, so that none gets lost.
const streams = 50

type streamCase struct {
	ID, Stream, StreamHex, Source string
	Events                        []streamEvent
	Retry                         *int // milliseconds
	FinalLastEventID              *string
	RetryAny                      bool
}

type streamEvent struct{ Type, Data, LastEventID string }

func (c *streamCase) bytes(t *testing.T) []byte {
	if c.StreamHex == "" {
		return []byte(c.Stream)
	}
	p, err := hex.DecodeString(c.StreamHex)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func load[T any](t *testing.T, file string) (all []T) {
	t.Helper()
	p, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(p, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

// Every stream of the table decodes to its events, however it is cut.
func TestStreams(t *testing.T) {
	cases := load[streamCase](t, "testdata/sse-cases.json")
	if len(cases) != streams {
		t.Errorf("%d cases, want %d", len(cases), streams)
	}
	right := 0
	for _, c := range cases {
		ok := t.Run(c.ID, func(t *testing.T) {
			in := c.bytes(t)
			c.check(t, "whole", bytes.NewReader(in))
			c.check(t, "byte by byte", iotest.OneByteReader(bytes.NewReader(in)))
			c.check(t, "in halves", iotest.HalfReader(bytes.NewReader(in)))
			c.check(t, "end with the last bytes", iotest.DataErrReader(bytes.NewReader(in)))
		})
		if ok {
			right++
		}
	}
	t.Logf("%d of %d", right, len(cases))
}

func (c *streamCase) check(t *testing.T, how string, r io.Reader) {
	t.Helper()
	d := oksse.NewDecoder(r, nil)
	var got []streamEvent
	for e, err := range d.All() {
		if err != nil {
			t.Fatalf("%s: %v", how, err)
		}
		got = append(got, streamEvent{e.Type, e.Data, e.ID})
	}
	if len(got)+len(c.Events) > 0 && !reflect.DeepEqual(got, c.Events) {
		t.Errorf("%s:\ngot  %.200q\nwant %.200q", how, got, c.Events)
	}
	if c.FinalLastEventID != nil && d.LastEventID() != *c.FinalLastEventID {
		t.Errorf("%s: last event ID %q, want %q", how, d.LastEventID(), *c.FinalLastEventID)
	}
	wait, has := d.Retry()
	switch {
	case c.RetryAny:
	case c.Retry == nil:
		if has {
			t.Errorf("%s: retry %v, want none", how, wait)
		}
	case wait != time.Duration(*c.Retry)*time.Millisecond:
		t.Errorf("%s: retry %v, %v, want %d ms", how, wait, has, *c.Retry)
	}
}
