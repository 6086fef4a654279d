package route

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/mockserver/internal/target"
)

// Bounds of reports.
const (
	maxMisses  = 100 // that are kept
	maxNearest = 3
	maxListed  = 10 // differences of one route
	maxBody    = 4 << 10
)

// A Miss is a request that no route matched.
type Miss struct {
	// Request is the one that came, with no more than the first 4 KiB of its body and the first 100 of its ChunkSizes; its BodySize is that of the whole.
	Request *mockserver.Request
	// Nearest are the closest routes, the closest first.
	Nearest []Near
	// Routes is how many there are in all.
	Routes int
}

// Near is a route that did not match.
type Near struct {
	Route      string // its name and matcher
	Mismatches []mockserver.Mismatch
}

// String is a report of several lines. Headers, query parameters and form fields that are called like secrets are shown without their values; of other bodies it shows what differs as it is.
func (m *Miss) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "no route of %d matches %s %s %s", m.Routes, m.Request.Method, target.Shown(m.Request.Target), m.Request.Proto)
	for _, near := range m.Nearest {
		fmt.Fprintf(&b, "\n  close: %s", near.Route)
		for i, difference := range near.Mismatches {
			if i == maxListed {
				fmt.Fprintf(&b, "\n    and %d more differences", len(near.Mismatches)-i)
				break
			}
			fmt.Fprintf(&b, "\n    %v", difference)
		}
	}
	return b.String()
}

func (m *Miss) response() mockserver.Response {
	why := m.String()
	return mockserver.Reply(404).Reason("Not Found").Header("Content-Type", "text/plain; charset=utf-8").Text(why + "\n").Unexpected(errors.New("mockserver: " + why))
}

// miss describes a request that no route matched, and keeps that.
func (s *Routes) miss(ctx context.Context, r *mockserver.Request) *Miss {
	s.mu.Lock()
	entries := slices.Clone(s.entries)
	because := make([][]mockserver.Mismatch, len(entries))
	elapsed := s.elapsed()
	for i, e := range entries {
		because[i] = e.eligible(s.states, elapsed)
	}
	s.mu.Unlock()
	type distant struct {
		near     Near
		distance float64
	}
	var list []distant
	for i, e := range entries {
		if stopped(ctx, r) {
			break
		}
		d := distant{near: Near{e.title(), append(e.Match.Match(r), because[i]...)}}
		for _, m := range d.near.Mismatches {
			d.distance += m.Distance
		}
		list = append(list, d)
	}
	slices.SortStableFunc(list, func(a, b distant) int { return cmp.Compare(a.distance, b.distance) })
	m := &Miss{Request: withoutBulk(r), Routes: len(entries)}
	for _, d := range list[:min(len(list), maxNearest)] {
		m.Nearest = append(m.Nearest, d.near)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.misses = append(s.misses, m); len(s.misses) > maxMisses {
		s.misses = slices.Delete(s.misses, 0, 1)
	}
	return m
}

// withoutBulk returns a request that may be kept for long.
func withoutBulk(r *mockserver.Request) *mockserver.Request {
	if len(r.Body) <= maxBody && len(r.ChunkSizes) <= 100 {
		return r
	}
	short := *r
	if len(r.Body) > maxBody {
		short.Body = bytes.Clone(r.Body[:maxBody])
	}
	short.ChunkSizes = slices.Clone(r.ChunkSizes[:min(len(r.ChunkSizes), 100)])
	return &short
}

// Unmatched returns the requests that no route matched and no fallback answered, the last 100 of them.
func (s *Routes) Unmatched() []*Miss {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.misses)
}
