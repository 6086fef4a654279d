package http2

import (
	"fmt"
	"strings"
)

// FormatFrame returns a line about a frame for a log: its direction, stream, length, type and flags. Of the payload nothing but the increment of
// WINDOW_UPDATE is shown, in place of the flags; payload may be nil or a part for all other types.
//
//	<< 0x00000003    13 HEADERS       END_STREAM|END_HEADERS
func FormatFrame(inbound bool, h FrameHeader, payload []byte) string {
	detail := formatFlags(h.Type, h.Flags)
	if h.Type == FrameWindowUpdate && len(payload) >= 4 {
		detail = fmt.Sprint(readStream(payload))
	}
	return fmt.Sprintf("%s 0x%08x %5d %-13s %s", direction(inbound), h.Stream, h.Length, h.Type, detail)
}

// FormatPreface returns the line that a frame log begins with, about what a client sends before its frames.
func FormatPreface(inbound bool) string {
	return fmt.Sprintf("%s CONNECTION %x", direction(inbound), ClientPreface)
}

func direction(inbound bool) string {
	if inbound {
		return "<<"
	}
	return ">>"
}

type flagName struct {
	flag Flags
	name string
}

var (
	ackNames  = []flagName{{FlagAck, "ACK"}}
	flagNames = []flagName{{FlagEndStream, "END_STREAM"}, {FlagEndHeaders, "END_HEADERS"}, {FlagPadded, "PADDED"}, {FlagPriority, "PRIORITY"}}
)

// meaningful are the flags that a type defines.
var meaningful = [...]Flags{
	FrameData:         FlagEndStream | FlagPadded,
	FrameHeaders:      FlagEndStream | FlagEndHeaders | FlagPadded | FlagPriority,
	FrameSettings:     FlagAck,
	FramePushPromise:  FlagEndHeaders | FlagPadded,
	FramePing:         FlagAck,
	FrameContinuation: FlagEndHeaders,
}

// formatFlags names the flags, or writes them as bits if not all of them have names.
func formatFlags(t FrameType, f Flags) string {
	if f == 0 {
		return ""
	}
	if int(t) >= len(meaningful) || f&^meaningful[t] != 0 {
		return fmt.Sprintf("%08b", uint8(f))
	}
	names := flagNames
	if t == FrameSettings || t == FramePing {
		names = ackNames
	}
	var set []string
	for _, n := range names {
		if f.Has(n.flag) {
			set = append(set, n.name)
		}
	}
	return strings.Join(set, "|")
}
