package http2

import (
	"errors"

	"github.com/okhttp-go/ok/okhttp/http2"
)

// OkHTTPFrame decodes with the parsers of this project.
func OkHTTPFrame(wire []byte) (Frame, int) {
	f, err := parseFrame(wire)
	var (
		c *http2.ConnectionError
		s *http2.StreamError
	)
	switch {
	case err == nil:
		return f, -1
	case errors.As(err, &c):
		return f, int(c.Code)
	case errors.As(err, &s):
		return f, int(s.Code)
	}
	return f, -2
}

func parseFrame(wire []byte) (Frame, error) {
	h := http2.ParseFrameHeader(wire)
	f := Frame{h.Length, int(h.Type), int(h.Flags), int(h.Stream), map[string]any{}}
	if err := h.Check(http2.MinMaxFrameSize); err != nil {
		return f, err
	}
	payload := wire[http2.FrameHeaderLen:][:h.Length]
	content, padding, err := h.Content(payload)
	if err != nil {
		return f, err
	}
	if h.Flags.Has(http2.FlagPadded) {
		f.Payload["padding_length"] = padding
	}
	switch h.Type {
	case http2.FrameData:
		f.Payload["data"] = string(content)
	case http2.FrameHeaders, http2.FrameContinuation:
		f.Payload["header_block_fragment"] = string(content)
	case http2.FrameRSTStream:
		f.Payload["error_code"], err = code(http2.ParseRSTStream(payload))
	case http2.FrameSettings:
		var pairs [][2]uint32
		list, failed := http2.ParseSettings(payload)
		for _, s := range list {
			pairs = append(pairs, [2]uint32{uint32(s.ID), s.Value})
		}
		f.Payload["settings"], err = pairs, failed
	case http2.FramePushPromise:
		promised, fragment, failed := http2.ParsePushPromise(h, payload)
		f.Payload["promised_stream_id"], f.Payload["header_block_fragment"], err = promised, string(fragment), failed
	case http2.FramePing:
		data, failed := http2.ParsePing(payload)
		f.Payload["opaque_data"], err = string(data[:]), failed
	case http2.FrameGoAway:
		last, why, debug, failed := http2.ParseGoAway(payload)
		f.Payload["last_stream_id"], f.Payload["error_code"], f.Payload["additional_debug_data"], err = last, uint32(why), string(debug), failed
	case http2.FrameWindowUpdate:
		f.Payload["window_size_increment"], err = http2.ParseWindowUpdate(h, payload)
	}
	return f, err
}

// code makes a number of an error code, which prints as its name.
func code(c http2.ErrorCode, err error) (uint32, error) { return uint32(c), err }

// okhttpDecoder cuts each block in two, as HEADERS and CONTINUATION would.
type okhttpDecoder struct{ d *http2.HeaderDecoder }

// OkHTTPDecoder returns a new decoder of this project.
func OkHTTPDecoder() HeaderDecoder {
	return okhttpDecoder{http2.NewHeaderDecoder(http2.HeaderLimits{})}
}

func (o okhttpDecoder) SetTableSize(n uint32) { o.d.SetTableSize(n) }

func (o okhttpDecoder) Decode(block []byte) ([]string, error) {
	half := len(block) / 2
	if err := errors.Join(o.d.Decode(block[:half]), o.d.Decode(block[half:])); err != nil {
		return nil, err
	}
	return o.d.Close()
}

type okhttpEncoder struct{ *http2.HeaderEncoder }

// OkHTTPEncoder returns a new encoder of this project.
func OkHTTPEncoder() HeaderEncoder { return okhttpEncoder{http2.NewHeaderEncoder()} }

func (o okhttpEncoder) Encode(fields []string) ([]byte, error) { return o.Append(nil, fields), nil }
