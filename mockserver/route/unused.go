package route

import (
	"cmp"
	"slices"
	"strings"

	"github.com/okhttp-go/ok/mockserver"
)

// Unused describes the routes that never answered a request since they were added, in that order, and those of a fallback that is a [mockserver.Accountable] too. A route that
// was used stays so over [Routes.Reset]. With [mockserver.AllRoutesUsed] they fail the test of the server.
func (s *Routes) Unused() []string {
	s.mu.Lock()
	entries, fallback := slices.Clone(s.entries), s.fallback
	entries = slices.DeleteFunc(entries, func(e *entry) bool { return e.ever })
	s.mu.Unlock()
	slices.SortFunc(entries, func(a, b *entry) int { return cmp.Compare(a.order, b.order) })
	var list []string
	for _, e := range entries {
		list = append(list, e.description())
	}
	if a, ok := fallback.(mockserver.Accountable); ok {
		list = append(list, a.Unused()...)
	}
	return list
}

// description is the title with what tells routes of the same title apart.
func (e *entry) description() string {
	var b strings.Builder
	b.WriteString(e.title())
	if e.Scenario != "" && e.State != "" {
		b.WriteString(" in state " + e.State + " of scenario " + e.Scenario)
	}
	if e.Source != "" {
		b.WriteString(" of " + e.Source)
	}
	return b.String()
}
