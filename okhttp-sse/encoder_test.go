package oksse

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"time"
	"unicode/utf8"
)

func milli(n int64) time.Duration { return time.Duration(n) % (1 << 40) * time.Millisecond }
func valid(s string) bool         { return utf8.ValidString(s) }

func TestEncoder(t *testing.T) {
	for _, c := range []struct {
		event Event
		want  string
	}{
		{Event{Data: "x"}, "data: x\n\n"},
		{Event{}, "data: \n\n"},
		{Event{Type: "message", Data: "x"}, "data: x\n\n"},
		{Event{ID: "7", Type: "add", Data: "a\nb\n", Retry: 1500 * time.Millisecond, HasRetry: true}, "retry: 1500\nid: 7\nevent: add\ndata: a\ndata: b\ndata: \n\n"},
		{Event{Data: "a\r\nb\rc\nd"}, "data: a\ndata: b\ndata: c\ndata: d\n\n"},
		{Event{Data: "\r\n\r"}, "data: \ndata: \ndata: \n\n"},
		{Event{ClearID: true, Data: "x"}, "id\ndata: x\n\n"},
		{Event{HasRetry: true, Data: "x"}, "retry: 0\ndata: x\n\n"},
		{Event{HasRetry: true, Retry: -time.Second, Data: "x"}, "retry: 0\ndata: x\n\n"},
		{Event{Data: " x"}, "data:  x\n\n"},
		{Event{Data: "a\xffé"}, "data: a\uFFFDé\n\n"},
		{Event{Type: "a\x00b", Data: "\x00"}, "event: a\x00b\ndata: \x00\n\n"},
	} {
		var out bytes.Buffer
		if err := NewEncoder(&out).Encode(c.event); err != nil || out.String() != c.want {
			t.Errorf("%+v: %q, %v\nwant %q", c.event, out.String(), err, c.want)
		}
	}
}

func TestEncoderRefuses(t *testing.T) {
	for _, c := range []struct {
		event Event
		want  string
	}{
		{Event{ID: "a\x00"}, `oksse: the field id of an event contains '\x00' at 1`},
		{Event{ID: "\r"}, `oksse: the field id of an event contains '\r' at 0`},
		{Event{ID: "\n"}, `oksse: the field id of an event contains '\n' at 0`},
		{Event{Type: "ab\n"}, `oksse: the field event of an event contains '\n' at 2`},
		{Event{Type: "\r"}, `oksse: the field event of an event contains '\r' at 0`},
		{Event{ID: "\xff"}, `oksse: the field id of an event is not UTF-8`},
	} {
		var out bytes.Buffer
		err := NewEncoder(&out).Encode(c.event)
		var field *FieldError
		if !errors.As(err, &field) || err.Error() != c.want || out.Len() > 0 {
			t.Errorf("%+v: %v, wrote %q\nwant %s", c.event, err, out.String(), c.want)
		}
	}
}

// flushed counts flushes of both kinds.
type flushed struct {
	bytes.Buffer
	flushes, writes int
	err             error
}

func (f *flushed) Write(p []byte) (int, error) {
	f.writes++
	return f.Buffer.Write(p)
}

type flusher struct{ *flushed }

func (f flusher) Flush() { f.flushes++ }

type failingFlusher struct{ *flushed }

func (f failingFlusher) Flush() error { f.flushes++; return f.err }

func TestEncoderFlushes(t *testing.T) {
	f := new(flushed)
	for i, w := range []io.Writer{flusher{f}, failingFlusher{f}} {
		e := NewEncoder(w)
		for _, err := range []error{e.Comment("a\nb"), e.Retry(time.Second), e.Encode(Event{Data: "x"})} {
			if err != nil {
				t.Error(err)
			}
		}
		if f.flushes != 3*(i+1) || f.writes != 3*(i+1) {
			t.Errorf("%d flushes, %d writes", f.flushes, f.writes)
		}
	}
	if want := ":a\n:b\n\nretry: 1000\n\ndata: x\n\n"; f.String() != want+want {
		t.Errorf("wrote %q", f.String())
	}
	f.err = io.ErrClosedPipe
	if err := NewEncoder(failingFlusher{f}).Encode(Event{}); err != io.ErrClosedPipe {
		t.Error(err)
	}
}
