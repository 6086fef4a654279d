package okws

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

// Family 6: text is UTF-8 whole, in fragments cut anywhere, and in pieces; what is not fails with 1007.
func TestFamilyText(t *testing.T) {
	kosme := "κόσμε"
	valid := []string{
		"", "Hello-µ@ßöäüàá-UTF-8!!", kosme, "\x00", "\x7f", "\u0080", "\u07ff", "\u0800", "\ud7ff", "\ue000", "\ufffd", "\ufffe", "\uffff", "\U00010000", "\U0010fffd",
		"\U0010ffff", "\ufeff", "\U0001fffe", strings.Repeat("\U0001F388", 50),
	}
	invalid := []string{
		kosme + "\xed\xa0\x80edited", kosme + "\xf4\x90\x80\x80edited", // a surrogate, and beyond the last code point
		"\x80", "\xbf", "\x80\xbf\x80", "\xc0 ", "\xdf ", "\xe0 \xef ", "\xf0 ", "\xf8 ", "\xfc ", "\xfe", "\xff", "\xfe\xfe\xff\xff", // bytes alone
		"\xc0", "\xe0\x80", "\xf0\x80\x80", "\xdf", "\xef\xbf", "\xf7\xbf\xbf", "\xc3", kosme[:len(kosme)-1], // sequences without their end
		"\xc0\xaf", "\xe0\x80\xaf", "\xf0\x80\x80\xaf", "\xf8\x80\x80\x80\xaf", "\xfc\x80\x80\x80\x80\xaf", "\xc1\xbf", "\xe0\x9f\xbf", "\xf0\x8f\xbf\xbf", // longer than needed
		"\xc0\x80", "\xe0\x80\x80", "\xf0\x80\x80\x80",
		"\xed\xa0\x80", "\xed\xad\xbf", "\xed\xae\x80", "\xed\xbf\xbf", "\xed\xa0\x80\xed\xb0\x80", "\xed\xaf\xbf\xed\xbf\xbf", // surrogates, alone and in pairs
		"\xf5\x80\x80\x80", "\xf7\xbf\xbf\xbf", "\xf8\x88\x80\x80\x80", "\xfb\xbf\xbf\xbf\xbf", "\xfc\x84\x80\x80\x80\x80", "\xfd\xbf\xbf\xbf\xbf\xbf",
	}
	var cases []familyCase
	add := func(text string, c familyCase) {
		c.name = fmt.Sprintf("%q whole", text)
		c.frames = []sent{{0x81, text}, closes}
		cases = append(cases, c)
		if len(text) > 60 {
			return
		}
		for cut := 1; cut < len(text); cut++ {
			c.name, c.frames = fmt.Sprintf("%q cut at %d", text, cut), []sent{{0x01, text[:cut]}, {0x80, text[cut:]}, closes}
			cases = append(cases, c)
		}
		c.name, c.frames = fmt.Sprintf("%q byte by byte", text), nil
		for i := range len(text) {
			c.frames = append(c.frames, sent{0, text[i : i+1]})
		}
		if len(text) > 0 {
			c.frames[0].first |= 1
			c.frames[len(text)-1].first |= 0x80
			c.frames = append(c.frames, closes)
			cases = append(cases, c)
		}
	}
	for _, text := range valid {
		if !utf8.ValidString(text) {
			t.Fatalf("%q", text)
		}
		add(text, familyCase{messages: []string{brief("text", []byte(text))}, answers: answered, end: byPeer})
	}
	for _, text := range invalid {
		if utf8.ValidString(text) {
			t.Fatalf("%q", text)
		}
		add(text, familyCase{answers: []string{"close 1007"}, end: "a text message is not UTF-8"})
	}
	run(t, cases)
}

// Binary messages may be anything, and so may text where nobody checks.
func TestFamilyUnchecked(t *testing.T) {
	const bad = "\xed\xa0\x80"
	run(t, []familyCase{{"binary", []sent{{0x82, bad}, closes}, []string{"binary " + bad}, answered, byPeer}})
	for _, client := range []bool{true, false} {
		o := converse(t, client, &Config{SkipTextCheck: true}, extensions{}, wires(!client, sent{0x81, bad}, sent{0x88, normal + "\xff"}), 0)
		if len(o.messages) != 1 || o.messages[0] != "text "+bad || !strings.Contains(o.err.Error(), byPeer) {
			t.Errorf("%+v", o)
		}
	}
}
