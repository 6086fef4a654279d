package build

import (
	"encoding/xml"
	"io"
	"strings"
	"testing"
	"time"
)

// The pictures are of real calls, are XML, and show what happened.
func TestTimelines(t *testing.T) {
	runs, err := timelineRuns(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]string{
		"new":      {"look up", "connect to 127.0.0.1", "TLS to 127.0.0.1", "TLSv1.3", "200", "6000 bytes"},
		"redirect": {"302", "200"},
		"fallback": {"connect to 192.0.2.1", "given up", "connect to 127.0.0.1", "200"},
	} {
		picture := string(runs[name].draw())
		for d := xml.NewDecoder(strings.NewReader(picture)); ; {
			if _, err := d.Token(); err == io.EOF {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		for _, text := range want {
			if !strings.Contains(picture, ">"+text+"<") {
				t.Errorf("%s does not show %q:\n%s", name, text, picture)
			}
		}
	}
	if strings.Contains(string(runs["redirect"].draw()), "connect to") {
		t.Error("the second call connected again")
	}
}

func TestNiceStep(t *testing.T) {
	for total, want := range map[time.Duration]time.Duration{
		time.Millisecond:       100 * time.Microsecond,
		9 * time.Millisecond:   time.Millisecond,
		11 * time.Millisecond:  2 * time.Millisecond,
		260 * time.Millisecond: 50 * time.Millisecond,
		time.Second:            100 * time.Millisecond,
	} {
		if got := niceStep(total); got != want {
			t.Errorf("%v: %v, want %v", total, got, want)
		}
	}
}
