package pin

import (
	"slices"
	"strings"
)

// Set holds pins for patterns. It is immutable; the zero Set is empty.
type Set struct {
	entries []entry
}

type entry struct {
	pattern Pattern
	pin     Pin
}

// With returns a set that has more pins for a pattern. Those that it had before are not added again.
func (s Set) With(pattern Pattern, pins ...Pin) Set {
	entries := slices.Clip(s.entries)
	for _, p := range pins {
		if e := (entry{pattern, p}); !slices.Contains(entries, e) {
			entries = append(entries, e)
		}
	}
	return Set{entries}
}

// For returns the pins of all patterns that match a host, each once. nil means that any certificate will do.
func (s Set) For(host string) []Pin {
	var pins []Pin
	for _, e := range s.entries {
		if e.pattern.Matches(host) && !slices.Contains(pins, e.pin) {
			pins = append(pins, e.pin)
		}
	}
	return pins
}

// String lists patterns and pins in a fixed order, so that sets with the same pins have the same text.
func (s Set) String() string {
	lines := make([]string, len(s.entries))
	for i, e := range s.entries {
		lines[i] = e.pattern.String() + " " + e.pin.String()
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}
