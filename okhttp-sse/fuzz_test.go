package oksse

import (
	"bytes"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
)

// splits gives as many bytes a read as the next byte of sizes says.
type splits struct {
	p, sizes []byte
	at       int
}

func (s *splits) Read(p []byte) (int, error) {
	if len(s.p) == 0 {
		return 0, io.EOF
	}
	n := 1
	if len(s.sizes) > 0 {
		n += int(s.sizes[s.at%len(s.sizes)])
		s.at++
	}
	n = copy(p, s.p[:min(n, len(s.p))])
	s.p = s.p[n:]
	return n, nil
}

// reference decodes as the standard words it, with the whole stream in memory.
func reference(in []byte) (all []string) {
	text := strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(string(bytes.TrimPrefix(in, []byte("\uFEFF"))))
	lines := strings.Split(text, "\n")
	id, last, typ, data := "", "", "", ""
	for _, line := range lines[:len(lines)-1] {
		line = string(appendText(nil, []byte(line)))
		if line == "" {
			if last = id; data != "" {
				if typ == "" {
					typ = "message"
				}
				all = append(all, "("+orDash(last)+","+typ+","+strings.TrimSuffix(data, "\n")+")")
			}
			typ, data = "", ""
			continue
		}
		name, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch name {
		case "event":
			typ = value
		case "data":
			data += value + "\n"
		case "id":
			if !strings.Contains(value, "\x00") {
				id = value
			}
		}
	}
	return all
}

// A stream decodes to the same whole, byte by byte and in arbitrary pieces, and to what the words of the standard say.
func FuzzDecoder(f *testing.F) {
	for _, fact := range facts {
		f.Add([]byte(notation.Replace(fact.in)), []byte{0, 3, 1}, uint16(0))
	}
	f.Add([]byte("data:"+strings.Repeat("x", 9000)+"\r\n\r\n"), []byte{200, 255}, uint16(0))
	f.Add([]byte("data:"+strings.Repeat("x", 300)+"\r\n\r\n"), []byte{7}, uint16(100))
	f.Fuzz(func(t *testing.T, in, sizes []byte, limit uint16) {
		for _, mode := range []Mode{Standard, OkHttp} {
			c := DecoderConfig{Mode: mode, MaxEventBytes: int(limit)}
			whole := record(bytes.NewReader(in), c)
			for how, r := range map[string]io.Reader{
				"byte by byte":   iotest.OneByteReader(bytes.NewReader(in)),
				"in pieces":      &splits{p: in, sizes: sizes},
				"end with bytes": iotest.DataErrReader(bytes.NewReader(in)),
			} {
				if got := record(r, c); !reflect.DeepEqual(got, whole) {
					t.Fatalf("mode %d, %s: %q\nwhole: %q", mode, how, got, whole)
				}
			}
			if mode == Standard && limit == 0 {
				var events []string
				for _, s := range whole {
					if s[0] == '(' {
						events = append(events, s)
					}
				}
				if want := reference(in); !reflect.DeepEqual(events, want) {
					t.Fatalf("got  %q\nwant %q", events, want)
				}
			}
		}
	})
}

// Property: events that were read, written and read again are the same events, IDs that were taken back between them included.
func FuzzRoundTrip(f *testing.F) {
	for _, fact := range facts {
		f.Add([]byte(notation.Replace(fact.in)), "")
	}
	for _, in := range []string{"id: 1␤data: a␤␤id␤␤data: b␤␤", "id: 1␤data: a␤␤id␤data: b␤␤", "id␤␤retry: 1␤␤id: 2␤id␤␤data␤␤", "id: 1␤␤id␤␤id: 2␤␤data␤␤id: a\x00␤data␤␤"} {
		f.Add([]byte(strings.ReplaceAll(in, "␤", "\n")), "7")
	}
	f.Fuzz(func(t *testing.T, in []byte, last string) {
		if checkField("id", last, "\x00\r\n") != nil {
			return // no stream can have had it
		}
		var want, got []Event
		var out bytes.Buffer
		enc := NewEncoder(&out)
		for e, err := range NewDecoder(bytes.NewReader(in), &DecoderConfig{LastEventID: last}).All() {
			if err != nil {
				t.Fatal(err)
			}
			if err := enc.Encode(e); err != nil {
				t.Fatalf("%+v: %v", e, err)
			}
			want = append(want, e)
		}
		for e, err := range NewDecoder(&out, &DecoderConfig{LastEventID: last}).All() {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, e)
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("got  %+v\nwant %+v", got, want)
		}
	})
}

// Property: what an encoder wrote decodes to what it was given, through any split of the bytes.
func FuzzEncoder(f *testing.F) {
	f.Add("1", "add", "a\nb\n", int64(3), true, []byte{0, 5})
	f.Add(" ", ":", "\r\r\n\n data: x", int64(-1), false, []byte{1})
	f.Add("", "message", "", int64(0), true, []byte{})
	f.Fuzz(func(t *testing.T, id, typ, data string, retry int64, again bool, sizes []byte) {
		want := Event{ID: id, Type: typ, Data: data, HasRetry: again}
		if again {
			want.Retry = min(max(milli(retry), 0), milli(longestWait-1))
		}
		var out bytes.Buffer
		enc := NewEncoder(&out)
		if err := enc.Comment(data); err != nil {
			t.Fatal(err)
		}
		err := enc.Encode(want)
		if bad := strings.ContainsAny(id, "\x00\r\n") || strings.ContainsAny(typ, "\r\n") || !valid(id) || !valid(typ); bad != (err != nil) {
			t.Fatalf("%q, %q: %v", id, typ, err)
		}
		if err != nil {
			return
		}
		if want.Type == "" {
			want.Type = "message"
		}
		want.Data = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(string(appendText(nil, []byte(data))))
		got, err := NewDecoder(&splits{p: out.Bytes(), sizes: sizes}, nil).Next()
		if err != nil || got != want {
			t.Fatalf("got  %+v, %v\nwant %+v", got, err, want)
		}
	})
}
