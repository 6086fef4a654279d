package build

import (
	"slices"
	"strings"
	"testing"
)

func TestSurfaceChanges(t *testing.T) {
	const before = `package p // example.com/p
const Version untyped string = "0.1.0"
func F(n int)
type Open interface
	Do()
type S struct
	A int
	B int
type Sealed interface // sealed
	Do()
`
	const now = `package p // example.com/p
const Version untyped string = "0.2.0"
func F(n int, more ...string)
type Open interface
	Do()
	More()
type S struct // with unexported fields
	A int
	C int
type Sealed interface // sealed
	Do()
	More()
`
	gone, come := surfaceChanges(before, now)
	if want := []string{"func F(n int)", "type S struct: B int", "type Open interface: More()"}; !slices.Equal(gone, prefixed(want)) {
		t.Errorf("gone %q, want %q", gone, want)
	}
	if want := []string{"func F(n int, more ...string)", "type S struct: C int", "type Sealed interface // sealed: More()"}; !slices.Equal(come, prefixed(want)) {
		t.Errorf("come %q, want %q", come, want)
	}
	if gone, come := surfaceChanges(before, before); gone != nil || come != nil {
		t.Errorf("of equals %q and %q", gone, come)
	}
}

func prefixed(lines []string) (out []string) {
	for _, l := range lines {
		out = append(out, "example.com/p "+l)
	}
	return out
}

func TestCheckStep(t *testing.T) {
	gone, come := []string{"gone"}, []string{"come"}
	for _, tt := range []struct {
		last, version string
		gone, come    []string
		want          string
	}{
		{"v0.1.0", "v0.1.1", nil, come, ""},
		{"v0.1.0", "v0.1.1", gone, nil, "wants a new minor version and not v0.1.1"},
		{"v0.1.0", "v0.2.0", gone, come, ""},
		{"v0.9.0", "v1.0.0", gone, come, ""},
		{"v1.0.0", "v1.0.1", nil, nil, ""},
		{"v1.0.0", "v1.0.1", nil, come, "more is exported than by v1.0.0"},
		{"v1.0.0", "v1.1.0", nil, come, ""},
		{"v1.0.0", "v1.1.0", gone, come, "wants a new major version"},
		{"v1.0.0", "v1.0.1-rc.1", nil, come, "more is exported than by v1.0.0"},
	} {
		err := checkStep(tt.last, tt.version, tt.gone, tt.come)
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s to %s with %q gone and %q come: error %v, want %q", tt.last, tt.version, tt.gone, tt.come, err, tt.want)
		}
	}
}
