package http2_test

import (
	"errors"
	"fmt"

	"github.com/okhttp-go/ok/okhttp/http2"
)

// The second of two equal blocks is a byte for each field, because the first one filled the tables. What is a secret stays out of them.
func ExampleHeaderEncoder() {
	enc, dec := http2.NewHeaderEncoder(), http2.NewHeaderDecoder(http2.HeaderLimits{})
	fields := []string{"Accept", "application/vnd.example+json", "Authorization", "Bearer x"}
	for range 2 {
		block, err := enc.AppendRequest(nil, http2.RequestHead{Method: "GET", Scheme: "https", Authority: "example.com", Path: "/tea"}, fields)
		if err != nil {
			fmt.Println(err)
			return
		}
		if err := dec.Decode(block); err != nil {
			fmt.Println(err)
			return
		}
		got, err := dec.Close()
		fmt.Println(len(block), got[8:], err)
	}
	// Output:
	// 49 [accept application/vnd.example+json authorization Bearer x] <nil>
	// 14 [accept application/vnd.example+json authorization Bearer x] <nil>
}

// A block above the limits is lost, and the next one is read as ever: the stream fails, not the connection.
func ExampleHeaderDecoder() {
	enc, dec := http2.NewHeaderEncoder(), http2.NewHeaderDecoder(http2.HeaderLimits{MaxFields: 2})
	for _, fields := range [][]string{{"a", "1", "b", "2", "c", "3"}, {"a", "1"}} {
		if err := dec.Decode(enc.Append(nil, fields)); err != nil {
			fmt.Println(err)
			return
		}
		got, err := dec.Close()
		var large *http2.TooLargeError
		fmt.Println(got, errors.As(err, &large))
	}
	// Output:
	// [] true
	// [a 1] false
}

// Frames are appended to a slice, and read from one by their headers.
func ExampleParseFrameHeader() {
	wire := http2.AppendSettings(nil, http2.Setting{ID: http2.SettingMaxConcurrentStreams, Value: 100})
	wire = append(http2.AppendDataHeader(wire, 3, 5, true), "hello"...)
	wire = http2.AppendWindowUpdate(wire, 3, 5)
	wire = http2.AppendRSTStream(wire, 5, http2.RefusedStream)
	wire = http2.AppendGoAway(wire, 3, http2.EnhanceYourCalm, []byte("too many pings"))
	for len(wire) > 0 {
		h := http2.ParseFrameHeader(wire)
		if err := h.Check(http2.MinMaxFrameSize); err != nil {
			fmt.Println(err)
			return
		}
		payload := wire[http2.FrameHeaderLen:][:h.Length]
		wire = wire[http2.FrameHeaderLen+h.Length:]
		switch h.Type {
		case http2.FrameSettings:
			settings, err := http2.ParseSettings(payload)
			fmt.Println(h.Type, settings, err)
		case http2.FrameData:
			content, padding, err := h.Content(payload)
			fmt.Printf("%v of stream %d: %s %d %v\n", h.Type, h.Stream, content, padding, err)
		case http2.FrameWindowUpdate:
			n, err := http2.ParseWindowUpdate(h, payload)
			fmt.Println(h.Type, n, err)
		case http2.FrameRSTStream:
			code, err := http2.ParseRSTStream(payload)
			fmt.Println(h.Type, code, err)
		case http2.FrameGoAway:
			last, code, debug, err := http2.ParseGoAway(payload)
			fmt.Println(h.Type, last, code, string(debug), err)
		}
	}
	// Output:
	// SETTINGS [{MAX_CONCURRENT_STREAMS 100}] <nil>
	// DATA of stream 3: hello 0 <nil>
	// WINDOW_UPDATE 5 <nil>
	// RST_STREAM REFUSED_STREAM <nil>
	// GOAWAY 3 ENHANCE_YOUR_CALM too many pings <nil>
}

// A frame that cannot be says which error it is, and whether the connection or the stream ends by it.
func ExampleFrameHeader_Check() {
	for _, h := range []http2.FrameHeader{
		{Type: http2.FramePing, Length: 7},
		{Type: http2.FramePriority, Length: 4, Stream: 3},
	} {
		err := h.Check(http2.MinMaxFrameSize)
		var connection *http2.ConnectionError
		var stream *http2.StreamError
		switch {
		case errors.As(err, &connection):
			fmt.Println("connection:", connection.Code)
		case errors.As(err, &stream):
			fmt.Println("stream", stream.Stream, stream.Code)
		}
	}
	// Output:
	// connection: FRAME_SIZE_ERROR
	// stream 3 FRAME_SIZE_ERROR
}

// A value that a setting cannot have is an error that names it.
func ExampleParseSettings() {
	frame := http2.AppendSettings(nil, http2.Setting{ID: http2.SettingEnablePush, Value: 2})
	_, err := http2.ParseSettings(frame[http2.FrameHeaderLen:])
	fmt.Println(err)
	// Output:
	// http2: connection error PROTOCOL_ERROR: setting ENABLE_PUSH is 2, expected 0 or 1
}

// What a server may not send in a response is refused.
func ExampleValidResponse() {
	fmt.Println(http2.ValidResponse([]string{":status", "200", "server", "tea"}))
	fmt.Println(http2.ValidResponse([]string{":status", "200", "connection", "close"}) != nil)
	fmt.Println(http2.ValidResponse([]string{"server", "tea"}) != nil) // no status
	// Output:
	// <nil>
	// true
	// true
}

// Half of a window is used, and a part of that was acknowledged.
func ExampleWindow() {
	w := http2.Window{Stream: 3, Size: 1 << 20, Received: 1 << 19, Acknowledged: 1 << 18, Unread: 1 << 18}
	fmt.Println(w.Room()>>10, "KiB may still come")
	// Output:
	// 768 KiB may still come
}
