package okio

import (
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"hash"
	"strings"
	"unicode/utf8"
	"unsafe"
)

// A ByteString is an immutable sequence of bytes: comparable with ==, ordered by < as unsigned bytes, usable as a constant
// and as a map key, converted to and from string for free. A short slice of a long ByteString keeps the long one in memory.
//
// The language and package strings have the rest. s[i], s[i:j] and copy(p, s[i:]) panic if they are out of range.
// strings.Index, strings.LastIndex, strings.HasPrefix and so on work on string(s); a search from offset i is one of s[i:],
// and the last occurrence that starts at i or before is the last one of s[:i+len(needle)]. len(s) is also the size of a
// string in UTF-8, and utf8.RuneCountInString(s) the number of its code points.
type ByteString string

// DecodeHex decodes pairs of hexadecimal digits of either case.
func DecodeHex(s string) (ByteString, error) {
	if len(s)%2 != 0 {
		return "", fmt.Errorf("okio: unexpected hex string of odd length %d: %q", len(s), clip(s))
	}
	out := make([]byte, len(s)/2)
	for i := range out {
		high, ok := hexDigit(s[2*i])
		low, ok2 := hexDigit(s[2*i+1])
		if !ok || !ok2 {
			at := 2 * i
			if ok {
				at++
			}
			return "", fmt.Errorf("okio: unexpected hex digit %q at %d", s[at:at+1], at)
		}
		out[i] = high<<4 | low
	}
	return ByteString(out), nil
}

// clip bounds what an error message repeats of its input.
func clip(s string) string {
	const most = 64
	if len(s) <= most {
		return s
	}
	return s[:most] + "…"
}

// Hex encodes in lower case.
func (s ByteString) Hex() string { return hex.EncodeToString(s.view()) }

// Base64 encodes in the standard alphabet (RFC 4648 section 4), padded; strings.TrimRight(text, "=") takes the padding off.
func (s ByteString) Base64() string { return base64.StdEncoding.EncodeToString(s.view()) }

// Base64URL encodes in the alphabet that is safe in URLs and file names (RFC 4648 section 5), padded.
func (s ByteString) Base64URL() string { return base64.URLEncoding.EncodeToString(s.view()) }

// Sum returns the hash of s. It resets h first.
func (s ByteString) Sum(h hash.Hash) ByteString {
	h.Reset()
	_, _ = h.Write(s.view()) // a hash.Hash never fails
	return ByteString(h.Sum(nil))
}

// EqualConstantTime compares in a time that depends on the lengths only.
func (s ByteString) EqualConstantTime(o ByteString) bool {
	return subtle.ConstantTimeCompare(s.view(), o.view()) == 1
}

// view is the bytes without a copy, for callees that only read them.
func (s ByteString) view() []byte { return unsafe.Slice(unsafe.StringData(string(s)), len(s)) }

// describeLimit is how many code points or bytes Describe shows.
const describeLimit = 64

// Describe returns s in brackets for logs and debuggers: [text=…] if its first 64 code points are valid UTF-8 without
// control characters other than CR and LF, [hex=…] otherwise, and with its size when not all is shown.
func (s ByteString) Describe() string {
	if len(s) == 0 {
		return "[size=0]"
	}
	end, ok := s.textPrefix()
	switch {
	case !ok && len(s) <= describeLimit:
		return "[hex=" + s.Hex() + "]"
	case !ok:
		return fmt.Sprintf("[size=%d hex=%s…]", len(s), s[:describeLimit].Hex())
	}
	text := strings.NewReplacer(`\`, `\\`, "\n", `\n`, "\r", `\r`).Replace(string(s[:end]))
	if end == len(s) {
		return "[text=" + text + "]"
	}
	return fmt.Sprintf("[size=%d text=%s…]", len(s), text)
}

// textPrefix returns the width of the first 64 code points, and whether all of them can be shown.
func (s ByteString) textPrefix() (int, bool) {
	end := 0
	for range describeLimit {
		if end == len(s) {
			break
		}
		r, n := utf8.DecodeRuneInString(string(s[end:]))
		if r == utf8.RuneError || r < 0x20 && r != '\r' && r != '\n' || 0x7f <= r && r < 0xa0 {
			return end, false
		}
		end += n
	}
	return end, true
}
