package okio

import (
	"crypto/md5"
	"crypto/sha1"
	"slices"
	"strings"
	"testing"
)

func TestByteStringOrder(t *testing.T) {
	sorted := []ByteString{"", "\x00", "\x00\x00", "\x00\x00\xff", "\x00\x01\x00", "\x01", "\x7e", "\x7f", "\x80", "\x81", "\xfe", "\xff"}
	shuffled := append(slices.Clone(sorted[6:]), sorted[:6]...)
	slices.Sort(shuffled)
	if !slices.Equal(shuffled, sorted) {
		t.Errorf("%q", shuffled)
	}
}

func TestEqualConstantTime(t *testing.T) {
	const s ByteString = "\x00\x01\x02"
	for _, o := range []ByteString{"\x80\x01\x02", "\x00\x01\x80", "\x00\x01", "\x00\x01\x02\x03", ""} {
		if s.EqualConstantTime(o) {
			t.Errorf("equal to %q", o)
		}
	}
	if !s.EqualConstantTime("\x00\x01\x02") || !ByteString("").EqualConstantTime("") {
		t.Error("unequal to itself")
	}
}

func TestBase64(t *testing.T) {
	for _, c := range []struct {
		s        ByteString
		std, url string
	}{
		{"", "", ""}, {"\x00", "AA==", "AA=="}, {"\x00\x00", "AAA=", "AAA="}, {"\x00\x00\x00", "AAAA", "AAAA"},
		{"\xff\xff\xff", "////", "____"}, {"\xfb\xef\xbe", "++++", "----"},
		{"What's to be scared about?", "V2hhdCdzIHRvIGJlIHNjYXJlZCBhYm91dD8=", "V2hhdCdzIHRvIGJlIHNjYXJlZCBhYm91dD8="},
	} {
		if got := c.s.Base64(); got != c.std {
			t.Errorf("%q: %s", c.s, got)
		}
		if got := c.s.Base64URL(); got != c.url {
			t.Errorf("%q: %s", c.s, got)
		}
		for _, in := range []string{c.std, c.url, strings.TrimRight(c.std, "="), c.std + "==\n"} {
			if got, err := DecodeBase64(in); got != c.s || err != nil {
				t.Errorf("%s: %q, %v", in, got, err)
			}
		}
	}
	for _, c := range []struct {
		in   string
		want ByteString
	}{
		{"//==", "\xff"}, {"__==", "\xff"}, {"__//", "\xff\xff\xff"}, {"====", ""}, {" \r\n\t", ""}, {"AAAA====", "\x00\x00\x00"}, {" AA A\r\nA ", "\x00\x00\x00"},
		{"AB", "\x00"}, // the unused bits are ignored
	} {
		if got, err := DecodeBase64(c.in); got != c.want || err != nil {
			t.Errorf("%q: %q, %v", c.in, got, err)
		}
	}
	for _, c := range []struct{ in, want string }{
		{"/===", "okio: base64 of 1 characters ends with an incomplete byte"},
		{"AAAAA", "okio: base64 of 5 characters ends with an incomplete byte"},
		{"AA=A", `okio: unexpected base64 character "=" at 2`},
		{"AA%A", `okio: unexpected base64 character "%" at 2`},
		{"AA\x00A", `okio: unexpected base64 character "\x00" at 2`},
	} {
		if _, err := DecodeBase64(c.in); err == nil || err.Error() != c.want {
			t.Errorf("%q: %v, want %s", c.in, err, c.want)
		}
	}
}

func TestHex(t *testing.T) {
	for _, in := range []string{"CAFEBABE", "cafebabe", "CaFeBaBe"} {
		if got, err := DecodeHex(in); got != "\xca\xfe\xba\xbe" || err != nil || got.Hex() != "cafebabe" {
			t.Errorf("%s: %q, %v", in, got, err)
		}
	}
	for _, c := range []struct{ in, want string }{
		{"aaa", `okio: unexpected hex string of odd length 3: "aaa"`},
		{"a\x00", `okio: unexpected hex digit "\x00" at 1`},
		{"abg0", `okio: unexpected hex digit "g" at 2`},
	} {
		if _, err := DecodeHex(c.in); err == nil || err.Error() != c.want {
			t.Errorf("%q: %v, want %s", c.in, err, c.want)
		}
	}
}

func TestDescribe(t *testing.T) {
	const english = "Um, I'll tell you the problem with the scientific power that you're using here, it didn't require any discipline to attain it. "
	long := ByteString(strings.Repeat(english, 5)[:517])
	many := ByteString(strings.Repeat("\xff\x01", 33)[:65])
	for _, c := range []struct {
		s    ByteString
		want string
	}{
		{"", "[size=0]"},
		{"Hello", "[text=Hello]"},
		{"\xab\xcd", "[hex=abcd]"},
		{"a\r\nb\nc\rd\\e", `[text=a\r\nb\nc\rd\\e]`},
		{"tab\there", "[hex=7461620968657265]"},
		{"\u0085", "[hex=c285]"},
		{"\ufffd", "[hex=efbfbd]"},
		{ByteString(strings.Repeat("\x00", 64)), "[hex=" + strings.Repeat("00", 64) + "]"},
		{many, "[size=65 hex=" + many[:64].Hex() + "…]"},
		{long, "[size=517 text=" + english[:64] + "…]"},
		{ByteString(strings.Repeat("é", 64)), "[text=" + strings.Repeat("é", 64) + "]"},
		{ByteString(strings.Repeat("é", 65)), "[size=130 text=" + strings.Repeat("é", 64) + "…]"},
		{ByteString(strings.Repeat("a", 64) + "\x00"), "[size=65 text=" + strings.Repeat("a", 64) + "…]"},
	} {
		if got := c.s.Describe(); got != c.want {
			t.Errorf("%q: %s, want %s", c.s, got, c.want)
		}
	}
}

func TestSum(t *testing.T) {
	const name ByteString = "Kevin"
	h := sha1.New()
	_, _ = h.Write([]byte("left over")) // Sum starts afresh
	if got := name.Sum(h).Hex(); got != "e043899daa0c7add37bc99792b2c045d6abbc6dc" {
		t.Error(got)
	}
	b := NewBufferString("Kevin")
	if got := b.Sum(md5.New()).Hex(); got != "f1cd318e412b5f7226e5f377a9544ff7" || b.Len() != 5 {
		t.Error(got, b.Len())
	}
}
