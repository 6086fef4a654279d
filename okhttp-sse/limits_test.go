package oksse

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
)

// endless repeats a text up to a number of bytes.
type endless struct {
	head, text string
	at, left   int64
}

func (e *endless) Read(p []byte) (n int, err error) {
	for n < len(p) && e.head != "" {
		m := copy(p[n:], e.head)
		n, e.head = n+m, e.head[m:]
	}
	for n < len(p) && e.left > 0 {
		m := copy(p[n:], e.text[e.at:])
		n, e.left = n+m, e.left-int64(m)
		e.at = (e.at + int64(m)) % int64(len(e.text))
	}
	if n == 0 {
		err = io.EOF
	}
	return n, err
}

func mallocs(f func()) (count, bytes uint64) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.Mallocs - before.Mallocs, after.TotalAlloc - before.TotalAlloc
}

// A line of 10 GiB, in whatever field, is refused at the limit: what is allocated until then does not depend on the length of the line.
func TestLineWithoutEnd(t *testing.T) {
	fill := strings.Repeat("x", 64<<10)
	for _, head := range []string{"data: ", ": ", "id: ", "event: ", "retry: ", "other: ", "", "data: a\ndata: "} {
		in := &endless{head: head, text: fill, left: 10 << 30}
		_, allocated := mallocs(func() {
			_, err := NewDecoder(in, nil).Next()
			var large *EventTooLargeError
			if !errors.As(err, &large) || large.Limit != DefaultMaxEventBytes {
				t.Errorf("%q: %v", head, err)
			}
		})
		if read := 10<<30 - in.left; read > 17<<20 {
			t.Errorf("%q: read %d bytes", head, read)
		}
		if allocated > 128<<20 {
			t.Errorf("%q: allocated %d bytes", head, allocated)
		}
	}
}

// Fields at the limit, again and again, cost no more memory than they are large.
func TestLargeFields(t *testing.T) {
	for name, text := range map[string]string{"id": "id: %s\n\n", "event": "event: %s\ndata\n\n", "both": "id: %[1]s\ndata: %[1]s\n\n"} {
		in := ""
		for _, c := range "abcd" {
			in += fmt.Sprintf(text, strings.Repeat(string(c), 1<<20))
		}
		before := heap()
		d := NewDecoder(&endless{text: in, left: 4 * int64(len(in))}, &DecoderConfig{MaxEventBytes: 2 << 20})
		for _, err := range d.All() {
			if err != nil {
				t.Fatal(err)
			}
		}
		if more := heap() - before; more > 8<<20 {
			t.Errorf("%s: %d bytes are alive", name, more)
		}
		runtime.KeepAlive(d)
	}
}

// Many lines that end bound the event just the same.
func TestEventWithoutEnd(t *testing.T) {
	in := &endless{text: "data: 0123456789\n", left: 10 << 30}
	_, err := NewDecoder(in, &DecoderConfig{MaxEventBytes: 1 << 20}).Next()
	if err == nil || err.Error() != "oksse: an event is larger than the limit of 1048576 bytes (MaxEventBytes)" {
		t.Error(err)
	}
	if read := 10<<30 - in.left; read > 3<<20 {
		t.Errorf("read %d bytes", read)
	}
}

// Fact 53: the limit itself is allowed, one byte more is not.
func TestLimit(t *testing.T) {
	for _, c := range []struct {
		in    string
		limit int
		ok    bool
	}{
		{"data:0123456789\n\n", 15, true},
		{"data:0123456789\n\n", 14, false},
		{"data:01234\ndata:6789\n\n", 10, true},
		{"data:01234\ndata:56789\n\n", 10, false}, // with the line feed between them
		{":0123456789\ndata:\n\n", 11, true},
		{":0123456789\ndata:\n\n", 10, false},
		{":0123456789", 11, true},
		{"data:" + strings.Repeat("x", 1<<20) + "\n\n", 1<<20 + 5, true},
		{"data:" + strings.Repeat("x", 1<<20) + "\n\n", 1<<20 + 4, false},
		{"data:" + strings.Repeat("x", 17<<20) + "\n\n", -1, true},
		{"data:" + strings.Repeat("x", 17<<20) + "\n\n", 0, false},
	} {
		for _, r := range []io.Reader{strings.NewReader(c.in), &trickle{p: []byte(c.in), n: 1000}} {
			_, err := NewDecoder(r, &DecoderConfig{MaxEventBytes: c.limit}).Next()
			var large *EventTooLargeError
			if got := !errors.As(err, &large); got != c.ok {
				t.Errorf("%.20q under %d: %v", c.in, c.limit, err)
			}
		}
	}
}

// trickle gives n bytes a read.
type trickle struct {
	p []byte
	n int
}

func (r *trickle) Read(p []byte) (int, error) {
	n := copy(p, r.p[:min(r.n, len(r.p))])
	if r.p = r.p[n:]; n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

// At most one allocation an event, ids and types included, and flat memory. Where an id must not keep the data alive, several share one more.
func TestAllocations(t *testing.T) {
	long := strings.Repeat("0123456789", 1000)
	types := ""
	for i := range 2 * mostTypes {
		types += fmt.Sprintf("event: type-%d\ndata: x\n\n", i)
	}
	for name, c := range map[string]struct {
		text string
		more int // one more allocation in so many events
	}{
		"data":          {"data: 0123456789012345678901234567890123456789\n\n", 0},
		"id":            {"id: 1\nevent: tick\ndata: 0123456789\n\nid: 2\nevent: tock\ndata: 0123456789\n\n", 0},
		"same id":       {"id: 1\ndata: 0123456789\n\nid: 1\ndata: 9\n\n", 0},
		"id alone":      {"id: 1\n\nid: 2\ndata: x\n\n", 200},
		"id, long data": {"id: 1\ndata: " + long + "\n\nid: 2\ndata: " + long + "\n\n", 200},
		"long id":       {"id: 1" + long + "\ndata: " + long + "\n\nid: 2\ndata: x\n\n", 0},
		"long both":     {"id: 1" + long[:2000] + "\ndata: " + long + long + "\n\nid: 2" + long[:1000] + "\ndata: " + long + "\n\n", textsShare},
		"types":         {types, 50},
		"no UTF-8":      {"data: a\xff\n\nid: \xff\ndata: \xff\ndata: " + long + "\n\n", 200},
		"lines":         {"data: 1\ndata: 2\ndata: 3\r\n\r\n", 0},
		"CR":            {"data: 1\rdata: 2\r\r", 0},
		"long lines":    {"data: " + strings.Repeat("x", 100<<10) + "\n\n", 0},
	} {
		t.Run(name, func(t *testing.T) {
			in := &endless{text: c.text, left: int64(len(c.text)) * int64(max(200, 1<<20/len(c.text)))}
			events := uint64(0)
			count, _ := mallocs(func() {
				for _, err := range NewDecoder(in, nil).All() {
					if err != nil {
						t.Fatal(err)
					}
					events++
				}
			})
			most := events + 64
			if c.more > 0 {
				most += events / uint64(c.more)
			}
			if events < 200 || count > most {
				t.Errorf("%d allocations for %d events", count, events)
			}
		})
	}
}

// An ID that is kept does not keep the data of its event alive.
func TestKeptIDs(t *testing.T) {
	text := ""
	for i := range 10 {
		text += fmt.Sprintf("id: %d\ndata: %s\n\n", i, strings.Repeat("x", 100<<10))
	}
	before, ids := heap(), []string(nil)
	d := NewDecoder(&endless{text: text, left: 100 * int64(len(text))}, nil)
	for e := range d.All() {
		ids = append(ids, e.ID)
	}
	if more := heap() - before; len(ids) != 1000 || more > 1<<20 {
		t.Errorf("%d ids keep %d bytes", len(ids), more)
	}
	runtime.KeepAlive(ids)
	runtime.KeepAlive(d)
}

// heap returns how many bytes are alive.
func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// The memory of a large event is given back.
func TestLargeBuffersAreGivenBack(t *testing.T) {
	d := NewDecoder(strings.NewReader("data: "+strings.Repeat("x", 8<<20)+"\n\ndata: y\n\n"), nil)
	d.Next()
	if e, err := d.Next(); err != nil || e.Data != "y" {
		t.Fatal(err)
	}
	if held := cap(d.data) + cap(d.lines.long) + cap(d.lines.buf); held > 4*largeBuffer {
		t.Errorf("%d bytes held", held)
	}
}

func BenchmarkDecoder(b *testing.B) {
	price := "data: {\"symbol\":\"ABCD\",\"price\":123.45,\"volume\":1000}\n\n"
	article := "data: " + strings.Repeat("0123456789", 400) + "\n\n"
	for name, text := range map[string]string{
		"same id":           strings.Repeat("event: update\nid: 123456\n"+price, 2),
		"ids":               "event: update\nid: 123456\n" + price + "event: update\nid: 123457\n" + price,
		"ids and long data": "id: 123456\n" + article + "id: 123457\n" + article,
	} {
		stream := []byte(strings.Repeat(text, 500))
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text) / 2))
			b.ReportAllocs()
			for done := 0; done < b.N; {
				for _, err := range NewDecoder(bytes.NewReader(stream), nil).All() {
					if err != nil {
						b.Fatal(err)
					}
					done++
				}
			}
		})
	}
}

// The memory of a stream does not grow with it: a hundred times what it may grow by leaves the heap as it was.
func TestEndlessStream(t *testing.T) {
	in := &endless{text: "id: 1\nevent: tick\ndata: " + strings.Repeat("0123456789", 100) + "\n: beat\n\nid: 2\ndata: x\n\n", left: 100 << 20}
	before, events := heap(), 0
	d := NewDecoder(in, nil)
	for _, err := range d.All() {
		if err != nil {
			t.Fatal(err)
		}
		if events++; events%50_000 == 0 {
			if now := heap(); now > before+1<<20 {
				t.Fatalf("%d bytes more after %d events", now-before, events)
			}
		}
	}
	if events < 190_000 {
		t.Errorf("%d events", events)
	}
	runtime.KeepAlive(d)
}
