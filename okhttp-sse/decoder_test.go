package oksse

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

// record is what a stream consists of, in the order of its being read: "(id,type,data)" for an event, "retry 22ms", ": comment", and the error that
// ends it, unless that is io.EOF.
func record(r io.Reader, c DecoderConfig) (all []string) {
	c.OnComment = func(text string) { all = append(all, ":"+text) }
	c.OnRetry = func(d time.Duration) { all = append(all, "retry "+d.String()) }
	d := NewDecoder(r, &c)
	for {
		e, err := d.Next()
		if err != nil {
			if again, err2 := d.Next(); again != (Event{}) || err2 != err {
				all = append(all, fmt.Sprint("after the end: ", again, err2))
			}
			if err != io.EOF {
				all = append(all, err.Error())
			}
			return all
		}
		all = append(all, fmt.Sprintf("(%s,%s,%s)", orDash(e.ID), orDash(e.Type), e.Data))
	}
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// notation turns ⏎, ␍ and ␀ into what they stand for.
var notation = strings.NewReplacer("⏎", "\n", "␍", "\r", "␀", "\x00")

// fact is one of the specification's: what a stream decodes to, in the mode OkHttp, and in the mode Standard if that differs.
type fact struct {
	name     string
	in       string
	okhttp   string // separated by spaces; ⏎ and ␠ within data
	standard string
}

var facts = []fact{
	{"1 LF", "data: YHOO⏎data: +2⏎data: 10⏎⏎", "(-,-,YHOO⏎+2⏎10)", ""},
	{"2 CR", "data: YHOO␍data: +2␍data: 10␍␍", "(-,-,YHOO⏎+2⏎10)", ""},
	{"3 CRLF", "data: YHOO␍⏎data: +2␍⏎data: 10␍⏎␍⏎", "(-,-,YHOO⏎+2⏎10)", ""},
	{"4 types", "event: add⏎data: 73857293⏎⏎event: remove⏎data: 2153⏎⏎event: add⏎data: 113411⏎⏎", "(-,add,73857293) (-,remove,2153) (-,add,113411)", ""},
	{"5 comment", ": test␠stream⏎⏎data: first␠event⏎id: 1⏎⏎", ":␠test␠stream (1,-,first␠event)", ""},
	{"6 ids", "id: 1⏎data: a⏎⏎id⏎data: b⏎⏎data: c⏎⏎", "(1,-,a) (-,-,b) (-,-,c)", ""},
	{"7 empty data", "data⏎⏎data⏎data⏎⏎data:⏎", "(-,-,) (-,-,⏎)", ""},
	{"8 no space", "data:test⏎⏎data: test⏎⏎", "(-,-,test) (-,-,test)", ""},
	{"9 two spaces", "data:  test⏎⏎", "(-,-,␠test)", ""},
	{"10 ids again", "id: 1⏎data: first⏎⏎data: second⏎⏎id: 2⏎data: third⏎⏎", "(1,-,first) (1,-,second) (2,-,third)", ""},
	{"11 id without data", "data: a⏎id: 1⏎⏎id: 2⏎⏎data: b⏎⏎", "(1,-,a) (1,-,b)", "(1,message,a) (2,message,b)"},
	{"12 retry", "retry: 22⏎⏎data: a⏎id: 1⏎⏎", "retry␠22ms (1,-,a)", ""},
	{"13 no retry", "retry: 22⏎⏎retry: hey⏎", "retry␠22ms", ""},
	{"14 names that begin alike", "data: a⏎eventually⏎database⏎identity⏎retrying⏎⏎", "(-,-,a)", ""},
	{"15 absent again", "id: a⏎event: b⏎data: c⏎id⏎event⏎data⏎⏎", "(-,-,c⏎)", ""},
	{"16 retry without a value", "retry⏎", "", ""},
	{"18 byte order mark", "\uFEFFdata: x⏎⏎", "(-,-,x)", ""},
	{"19 NUL in an id", "id: a␀b⏎data: x⏎⏎", "(-,-,x)", ""},
	{"19 NUL in a later id", "id: 7⏎data: x⏎⏎id: a␀b⏎data: y⏎⏎", "(7,-,x) (7,-,y)", ""},
	{"20 CR in all fields", "id: 7␍event: t␍data: x␍␍", "(7,t,x)", ""},
	{"21 CRLF after CR", "data: x␍⏎␍⏎", "(-,-,x)", ""},
	{"22 cut off in data", "data: partial", "", ""},
	{"23 cut off in an id", "id: 5", "", ""},
	{"23 cut off in event and retry", "event: a⏎retry: 5", "", ""},
	{"24 retry values", "retry: -5⏎retry: +5⏎retry: 1.5⏎retry:⏎retry: 0⏎retry:  7⏎retry:8⏎", "retry␠0s retry␠8ms", ""},
	{"25 UTF-8", "data: é⏎⏎", "(-,-,é)", ""},
	{"26 no UTF-8", "data: a\xffb⏎⏎", "(-,-,a\uFFFDb)", ""},
	{"27 upper case", "DATA: x⏎⏎", "", ""},
	{"28 leading space", " data: x⏎⏎", "", ""},
	{"29 space before the colon", "data : x⏎⏎", "", ""},
	{"trace", ": hello⏎event: add⏎id: 41⏎data: one⏎data⏎⏎id: 42⏎⏎data:two⏎⏎retry: 1500⏎data: lost",
		":␠hello (41,add,one⏎) (41,-,two) retry␠1.5s", ":␠hello (41,add,one⏎) (42,message,two) retry␠1.5s"},
	{"type without data is dropped", "event: a⏎⏎data: x⏎⏎", "(-,-,x)", ""},
	{"all retries of an event", "retry: 1⏎retry: 2⏎data: x⏎⏎", "retry␠1ms retry␠2ms (-,-,x)", ""},
	{"mark only at the start", "data: 1⏎⏎\uFEFFdata: 2⏎⏎", "(-,-,1)", ""},
	{"second mark", "\uFEFF\uFEFFdata: 1⏎⏎data: 2⏎⏎", "(-,-,2)", ""},
	{"blank lines", "⏎␍␍⏎⏎data: x⏎⏎⏎⏎", "(-,-,x)", ""},
	{"colon in data", "data: a: b:c⏎⏎", "(-,-,a:␠b:c)", ""},
	{"empty comment", ":⏎:⏎", ": :", ""},
	{"maximal parts", "data: \xe2\x82|\xf0\x9f\x98|\xff\xff|\xed\xa0\x80|\xc0\xaf|\xe2⏎⏎", "(-,-,\uFFFD|\uFFFD|\uFFFD\uFFFD|\uFFFD\uFFFD\uFFFD|\uFFFD\uFFFD|\uFFFD)", ""},
}

func (f fact) want(m Mode) (want string) {
	want = f.okhttp
	if m == Standard {
		if want = strings.ReplaceAll(want, ",-,", ",message,"); f.standard != "" {
			want = f.standard
		}
	}
	return want
}

func shown(all []string) string {
	for i := range all {
		all[i] = strings.NewReplacer("\n", "⏎", " ", "␠").Replace(all[i])
	}
	return strings.Join(all, " ")
}

// The specification's facts 1 to 29, whole, byte by byte and in halves, in both modes.
func TestFacts(t *testing.T) {
	for _, f := range facts {
		t.Run(f.name, func(t *testing.T) {
			in := notation.Replace(strings.ReplaceAll(f.in, "␠", " "))
			for mode, name := range map[Mode]string{OkHttp: "okhttp", Standard: "standard"} {
				want := f.want(mode)
				for how, wrap := range map[string]func(io.Reader) io.Reader{
					"whole":          func(r io.Reader) io.Reader { return r },
					"byte by byte":   iotest.OneByteReader,
					"in halves":      iotest.HalfReader,
					"end with bytes": iotest.DataErrReader,
				} {
					left := strings.NewReader(in)
					if got := shown(record(wrap(left), DecoderConfig{Mode: mode})); got != want {
						t.Errorf("%s, %s:\ngot  %s\nwant %s", name, how, got, want)
					}
					if left.Len() > 0 { // fact 17
						t.Errorf("%s, %s: %d bytes are left", name, how, left.Len())
					}
				}
			}
		})
	}
}

// stages is a reader that gives one piece a read, and fails when it is read once more.
type stages struct{ pieces []string }

var errTooFar = errors.New("read further than necessary")

func (s *stages) Read(p []byte) (int, error) {
	if len(s.pieces) == 0 {
		return 0, errTooFar
	}
	n := copy(p, s.pieces[0])
	s.pieces = s.pieces[1:]
	return n, nil
}

// Fact 20: an event is there as soon as its blank line is, although an LF may follow the CR; and fact 21: that LF belongs to it then.
func TestPromptness(t *testing.T) {
	for _, pieces := range [][]string{
		{"data: x\r\r"}, {"data: x\n\n"}, {"data: x\r\n\r"}, {"data: x\r", "\n\r"}, {"data: x", "\r", "\n", "\r"},
	} {
		s := &stages{pieces}
		d := NewDecoder(s, nil)
		e, err := d.Next()
		if err != nil || e.Data != "x" {
			t.Fatalf("%q: %v, %v", pieces, e, err)
		}
		s.pieces = []string{"\ndata: y\n\n"}
		if e, err := d.Next(); err != nil || e.Data != "y" {
			t.Fatalf("%q and more: %v, %v", pieces, e, err)
		}
		if _, err := d.Next(); err != errTooFar {
			t.Fatalf("%q: %v", pieces, err)
		}
	}
}

func TestEventFields(t *testing.T) {
	d := NewDecoder(strings.NewReader("retry: 5\nid: 1\ndata: a\n\ndata: b\n\nid\ndata: c\n\nid: 9\n\n"), &DecoderConfig{LastEventID: "0"})
	if d.LastEventID() != "0" {
		t.Errorf("id %q", d.LastEventID())
	}
	for _, want := range []Event{
		{ID: "1", Type: "message", Data: "a", Retry: 5 * time.Millisecond, HasRetry: true},
		{ID: "1", Type: "message", Data: "b"},
		{Type: "message", Data: "c", ClearID: true},
	} {
		if e, err := d.Next(); e != want || err != nil {
			t.Errorf("got %+v, %v\nwant %+v", e, err, want)
		}
	}
	if _, err := d.Next(); err != io.EOF || d.LastEventID() != "9" {
		t.Errorf("%v, id %q", err, d.LastEventID())
	}
	if wait, ok := d.Retry(); wait != 5*time.Millisecond || !ok {
		t.Errorf("retry %v, %v", wait, ok)
	}
}

// An id of an event that was cut off does not count.
func TestIDOfUnfinishedEvent(t *testing.T) {
	d := NewDecoder(strings.NewReader("id: 1\ndata: a\n\nid: 2\ndata: b\n"), nil)
	d.Next()
	if _, err := d.Next(); err != io.EOF || d.LastEventID() != "1" {
		t.Errorf("%v, id %q", err, d.LastEventID())
	}
}

func TestRetryBeyondMeasure(t *testing.T) {
	for digits, want := range map[string]time.Duration{
		"0005":                    5 * time.Millisecond,
		"86400000":                24 * time.Hour,
		"99999999999999999999999": time.Duration(longestWait-1) * time.Millisecond,
	} {
		if got, ok := milliseconds([]byte(digits)); got != want || !ok {
			t.Errorf("%s: %v, %v, want %v", digits, got, ok, want)
		}
	}
}

func TestAll(t *testing.T) {
	var got []string
	for e, err := range NewDecoder(io.MultiReader(strings.NewReader("data: a\n\ndata: b\n\n"), iotest.ErrReader(errTooFar)), nil).All() {
		got = append(got, fmt.Sprint(e.Data, err))
	}
	if want := []string{"a<nil>", "b<nil>", errTooFar.Error()}; fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %v, want %v", got, want)
	}
	for range NewDecoder(strings.NewReader("data: a\n\ndata: b\n\n"), nil).All() {
		return
	}
	t.Error("nothing came")
}

// badReader breaks the rules of io.Reader.
type badReader int

func (b badReader) Read([]byte) (int, error) { return int(b), nil }

func TestBadReaders(t *testing.T) {
	if _, err := NewDecoder(badReader(0), nil).Next(); err != io.ErrNoProgress {
		t.Error(err)
	}
	for _, n := range []badReader{-1, 1 << 30} {
		if _, err := NewDecoder(n, nil).Next(); err != errInvalidRead {
			t.Error(err)
		}
	}
}
