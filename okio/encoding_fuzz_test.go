package okio

import (
	"encoding/base64"
	"encoding/hex"
	"strings"
	"testing"
)

// Whatever encoding/base64 takes in any of its forms we take too, to the same bytes, and what we take is what is left of it
// in the strictest form.
func FuzzBase64(f *testing.F) {
	for _, seed := range []string{"", "AA==", "AAA=", "AAAA", "_-__", "/+//", "/===", "====", " AA A\r\nA ", "AA=A", "AB", "AAAA====", "A\tA"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, in string) {
		got, err := DecodeBase64(in)
		for _, form := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding, base64.RawStdEncoding, base64.RawURLEncoding} {
			if want, stdErr := form.DecodeString(in); stdErr == nil && (err != nil || string(got) != string(want)) {
				t.Fatalf("%q: %x, %v; encoding/base64 has %x", in, got, err, want)
			}
		}
		clean := strings.NewReplacer("-", "+", "_", "/", "\n", "", "\r", "", " ", "", "\t", "").Replace(in)
		want, stdErr := base64.RawStdEncoding.DecodeString(strings.TrimRight(clean, "="))
		if (err == nil) != (stdErr == nil) || err == nil && string(got) != string(want) {
			t.Fatalf("%q: %x, %v; cleaned up %x, %v", in, got, err, want, stdErr)
		}
		if err != nil && got != "" {
			t.Fatalf("%q: %x with an error", in, got)
		}
		s := ByteString(in)
		for _, text := range []string{s.Base64(), s.Base64URL(), strings.TrimRight(s.Base64(), "=")} {
			if back, err := DecodeBase64(text); back != s || err != nil {
				t.Fatalf("round trip of %q through %q: %q, %v", in, text, back, err)
			}
		}
	})
}

// Hex is what encoding/hex says it is.
func FuzzHex(f *testing.F) {
	for _, seed := range []string{"", "CAFEBABE", "cafebabe", "aaa", "a\x00", "zz", "0é"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, in string) {
		got, err := DecodeHex(in)
		want, stdErr := hex.DecodeString(in)
		if (err == nil) != (stdErr == nil) || err == nil && string(got) != string(want) || err != nil && got != "" {
			t.Fatalf("%q: %x, %v; encoding/hex has %x, %v", in, got, err, want, stdErr)
		}
		if back, err := DecodeHex(ByteString(in).Hex()); string(back) != in || err != nil {
			t.Fatalf("round trip of %q: %q, %v", in, back, err)
		}
	})
}
