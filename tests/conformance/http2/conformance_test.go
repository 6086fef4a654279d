package http2

import (
	"errors"
	"strings"
	"testing"

	"golang.org/x/net/http2/hpack"
)

// TestFrames wants every frame read, or refused with one of its error codes.
func TestFrames(t *testing.T) {
	cases, err := LoadFrames("testdata/h2-frames.json")
	if err != nil {
		t.Fatal(err)
	}
	good := 0
	for _, c := range cases {
		if len(c.Errors) == 0 {
			good++
		}
		if different := RunFrame(c, OkHTTPFrame); different != "" {
			t.Errorf("%s: %s", c.Name, different)
		}
	}
	if len(cases) != 34 || good != 12 {
		t.Errorf("%d frames of which %d are good, want 34 and 12", len(cases), good)
	}
}

// TestHeaderBlocks wants every block decoded, and what is encoded anew decoded by two decoders. Most stories are there once for each encoder, so for that
// two sets will do, of which one changes the size of the table.
func TestHeaderBlocks(t *testing.T) {
	stories, err := LoadStories("testdata/hpack-stories.json.gz")
	if err != nil {
		t.Fatal(err)
	}
	decoded, encoded, others := 0, 0, 0
	for _, s := range stories {
		count := func(total *int, what string, run func() (int, error)) {
			n, err := run()
			*total += n
			if err != nil {
				t.Errorf("%s: %s: block %d: %v", s.Name, what, n, err)
			}
		}
		count(&decoded, "decoded", func() (int, error) { return RunDecoder(s, OkHTTPDecoder()) })
		if set, _, _ := strings.Cut(s.Name, "/"); set != "nghttp2" && set != "nghttp2-change-table-size" {
			continue
		}
		count(&encoded, "encoded and decoded", func() (int, error) { return RunEncoder(s, OkHTTPEncoder(), OkHTTPDecoder()) })
		count(&others, "encoded and decoded by hpack", func() (int, error) { return RunEncoder(s, OkHTTPEncoder(), newOracle()) })
	}
	if len(stories) != 286 || decoded != 30222 || encoded == 0 || encoded != others {
		t.Errorf("%d stories: %d blocks decoded, want 286 and 30222; %d encoded, %d for hpack", len(stories), decoded, encoded, others)
	}
	t.Logf("%d blocks encoded", encoded)
}

type oracle struct{ d *hpack.Decoder }

func newOracle() HeaderDecoder { return oracle{hpack.NewDecoder(4096, nil)} }

func (o oracle) SetTableSize(n uint32) { o.d.SetAllowedMaxDynamicTableSize(n) }

func (o oracle) Decode(block []byte) (fields []string, err error) {
	list, err := o.d.DecodeFull(block)
	for _, f := range list {
		fields = append(fields, f.Name, f.Value)
	}
	return fields, err
}

// TestDataEngine checks that the engines tell a wrong decoder from a right one.
func TestDataEngine(t *testing.T) {
	cases, err := LoadFrames("testdata/h2-frames.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name   string
		decode FrameDecoder
		want   int // right
	}{
		{"accepts all", func([]byte) (Frame, int) { return Frame{}, -1 }, 0},
		{"refuses all as PROTOCOL_ERROR", func([]byte) (Frame, int) { return Frame{}, 1 }, 14},
		{"reads headers only", func(wire []byte) (Frame, int) {
			return Frame{int(wire[0])<<16 | int(wire[1])<<8 | int(wire[2]), int(wire[3]), int(wire[4]), int(wire[8]), nil}, -1
		}, 1}, // priorities are not looked at
	} {
		right := 0
		for _, c := range cases {
			if RunFrame(c, tt.decode) == "" {
				right++
			}
		}
		if right != tt.want {
			t.Errorf("a decoder that %s has %d right, want %d", tt.name, right, tt.want)
		}
	}

	s := Story{Blocks: []Block{{Wire: []byte{0x82}, Fields: []string{":method", "GET"}}}}
	if n, err := RunDecoder(s, OkHTTPDecoder()); n != 1 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	for _, d := range []liar{{[]string{":method", "PUT"}, nil}, {nil, nil}, {nil, errors.New("no")}} {
		if n, err := RunDecoder(s, d); n != 0 || err == nil {
			t.Errorf("%+v: %d, %v", d, n, err)
		}
	}
}

// A liar decodes everything to the same.
type liar struct {
	fields []string
	err    error
}

func (liar) SetTableSize(uint32)               {}
func (l liar) Decode([]byte) ([]string, error) { return l.fields, l.err }
