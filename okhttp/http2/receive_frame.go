package http2

import (
	"fmt"
	"time"
)

func (r *receiver) dispatch(payload []byte) error {
	c, h := r.conn, r.frame
	switch h.Type {
	case FrameHeaders, FrameContinuation, FramePushPromise:
		return r.takeBlock(payload)
	case FrameRSTStream:
		return r.takeReset(payload)
	case FrameSettings:
		return c.takeSettings(h, payload)
	case FramePing:
		return c.takePing(h, payload)
	case FrameGoAway:
		last, code, debug, err := ParseGoAway(payload)
		if err != nil {
			return err
		}
		c.takeGoAway(last, code, debug)
	case FrameWindowUpdate:
		n, err := ParseWindowUpdate(h, payload)
		if err != nil {
			return err
		}
		return c.takeWindow(h.Stream, n)
	case FramePriority:
		return r.takePriority(payload)
	}
	return nil
}

// notice counts frames that carry nothing, less those that carry something: a peer that sends many of them in a short time wants us to work
// (RFC 9113 section 10.5). Pings do not count, by which peers measure the round trip as often as they like; it is for owe to bound those that are
// not taken back.
func (r *receiver) notice() error {
	switch r.frame.Type {
	case FrameData:
		if r.frame.Length > 0 || r.frame.Flags&FlagEndStream != 0 {
			r.empty = max(r.empty-1, 0)
			return nil
		}
	case FrameHeaders:
		r.empty = max(r.empty-1, 0)
		return nil
	case FrameSettings, FramePriority:
		if r.frame.Flags&FlagAck != 0 {
			return nil
		}
	case FrameContinuation:
		if r.frame.Length > 0 {
			return nil
		}
	default:
		return nil
	}
	now := time.Now()
	if now.Sub(r.since) > emptyTime {
		r.empty, r.since = 0, now
	}
	if r.empty++; r.empty > r.conn.cfg.MaxEmptyFrames {
		return &ConnectionError{EnhanceYourCalm, fmt.Sprintf("more than %d frames that carry nothing within %v", r.conn.cfg.MaxEmptyFrames, emptyTime)}
	}
	return nil
}

// takeBlock takes a part of a block of headers.
func (r *receiver) takeBlock(payload []byte) error {
	c, h := r.conn, r.frame
	fragment := payload
	var err error
	switch h.Type {
	case FrameHeaders:
		if fragment, _, err = h.Content(payload); err != nil {
			return err
		}
		r.block = headerBlock{stream: h.Stream, last: h.Flags&FlagEndStream != 0, looped: h.dependsOnItself(payload)}
	case FramePushPromise:
		r.block = headerBlock{stream: h.Stream}
		if r.block.promised, fragment, err = ParsePushPromise(h, payload); err != nil {
			return err
		}
	default:
		if !r.open {
			return &ConnectionError{ProtocolErrorCode, "a CONTINUATION frame without a block of headers"}
		}
	}
	r.open = true
	if err := r.decoder.Decode(fragment); err != nil {
		return err
	}
	if h.Flags&FlagEndHeaders == 0 {
		return nil
	}
	r.open = false
	fields, err := r.decoder.Close()
	if _, ok := err.(*ConnectionError); ok {
		return err
	}
	if err == nil && r.block.looped { // only now: the table of the headers had to be kept in step
		err = &StreamError{Stream: h.Stream, Code: ProtocolErrorCode, Detail: "a stream depends on itself"}
	}
	return c.takeFields(r.block, fields, err)
}

func (r *receiver) takeReset(payload []byte) error {
	code, err := ParseRSTStream(payload)
	if err != nil {
		return err
	}
	return r.conn.takeReset(r.frame.Stream, code)
}

func (r *receiver) takePriority(payload []byte) error {
	if readStream(payload) == r.frame.Stream {
		return &StreamError{Stream: r.frame.Stream, Code: ProtocolErrorCode, Detail: "a stream depends on itself"}
	}
	return nil
}
