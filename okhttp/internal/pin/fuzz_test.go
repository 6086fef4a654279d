package pin

import (
	"strings"
	"testing"
)

func FuzzParse(f *testing.F) {
	f.Add(keySHA256)
	f.Add(keySHA1)
	f.Add("sha256/ A\n==")
	f.Add("sha1/-_+/")
	f.Fuzz(func(t *testing.T, text string) {
		p, err := Parse(text)
		if err != nil {
			if len(err.Error()) > 1000 {
				t.Fatalf("an error of %d bytes", len(err.Error()))
			}
			return
		}
		if again, err := Parse(p.String()); err != nil || again != p {
			t.Fatalf("%s reads as %v, %v", p, again, err)
		}
	})
}

func FuzzParsePattern(f *testing.F) {
	f.Add("*.example.com", "a.example.com")
	f.Add("**.Example.com.", "example.com")
	f.Add("[::FFFF:1.2.3.4]", "1.2.3.4")
	f.Add("*.*.a", "..")
	f.Fuzz(func(t *testing.T, text, host string) {
		p, err := ParsePattern(text, lower)
		if err != nil {
			if p != (Pattern{}) || len(err.Error()) > 1000 {
				t.Fatalf("%v, %v", p, err)
			}
			return
		}
		if again, err := ParsePattern(p.String(), lower); err != nil || again != p {
			t.Fatalf("%s reads as %v, %v", p, again, err)
		}
		if p.Matches(host) && !strings.HasSuffix(strings.TrimSuffix(host, "."), p.host) {
			t.Fatalf("%s matches %q", p, host)
		}
	})
}
