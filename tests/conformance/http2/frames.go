package http2

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"slices"
)

// Frame is what a decoder found.
type Frame struct {
	Length, Type, Flags int
	Stream              int
	// Payload has what the payload says, by the names of the test cases.
	Payload map[string]any
}

// FrameDecoder reads one frame with the settings that a connection begins with. code is the error code of HTTP/2 if it is not accepted, and -1
// if it is.
type FrameDecoder func(wire []byte) (f Frame, code int)

// FrameCase is one frame.
type FrameCase struct {
	Name   string
	Wire   []byte
	Errors []int // error codes of which one is wanted; none for a good frame
	want   Frame
}

// unread are the parts of a payload that no receiver has to look at: priorities are deprecated (RFC 9113 section 5.3.2), padding says nothing.
var unread = []string{"stream_dependency", "weight", "exclusive", "padding"}

// LoadFrames reads the cases.
func LoadFrames(file string) ([]FrameCase, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var rows []struct {
		ID, Wire string
		Error    []int
		Frame    *struct {
			Length, Type, Flags int
			Stream              int            `json:"stream_identifier"`
			Payload             map[string]any `json:"frame_payload"`
		}
	}
	if err := json.Unmarshal(text, &rows); err != nil {
		return nil, err
	}
	var cases []FrameCase
	for _, row := range rows {
		wire, err := hex.DecodeString(row.Wire)
		if err != nil {
			return nil, err
		}
		c := FrameCase{Name: row.ID, Wire: wire, Errors: row.Error}
		if f := row.Frame; f != nil {
			c.want = Frame{f.Length, f.Type, f.Flags, f.Stream, f.Payload}
		}
		cases = append(cases, c)
	}
	return cases, nil
}

// RunFrame puts a case to a decoder and returns how the result differs, "" if it does not.
func RunFrame(c FrameCase, decode FrameDecoder) string {
	got, code := decode(c.Wire)
	switch {
	case len(c.Errors) > 0 && !slices.Contains(c.Errors, code):
		return fmt.Sprintf("error code %d, want one of %d", code, c.Errors)
	case len(c.Errors) > 0:
		return ""
	case code != -1:
		return fmt.Sprintf("error code %d, want a frame", code)
	case got.Length != c.want.Length || got.Type != c.want.Type || got.Flags != c.want.Flags || got.Stream != c.want.Stream:
		return fmt.Sprintf("%+v, want %+v", got, c.want)
	}
	for name, want := range c.want.Payload {
		if value := got.Payload[name]; want != nil && !slices.Contains(unread, name) && fmt.Sprint(value) != fmt.Sprint(want) {
			return fmt.Sprintf("%s is %v, want %v", name, value, want)
		}
	}
	return ""
}
