package okcache

import (
	"slices"
	"strings"

	"github.com/okhttp-go/ok/okhttp"
)

// varyOf returns the names of the request headers that a response depends on, and false if it depends on more than headers can tell: "*" (RFC 9110 section
// 12.5.5).
func varyOf(headers []string) (names []string, ok bool) {
	for i := 0; i < len(headers); i += 2 {
		if !equalFold(headers[i], "Vary") {
			continue
		}
		for name := range strings.SplitSeq(headers[i+1], ",") {
			switch name = trim(name); {
			case name == "*":
				return nil, false
			case name != "" && !slices.ContainsFunc(names, func(n string) bool { return equalFold(n, name) }):
				names = append(names, name)
			}
		}
	}
	return names, true
}

// select returns the headers of a request that have one of the names, in their order.
func selectHeaders(h okhttp.Headers, names []string) []string {
	var nv []string
	if len(names) == 0 {
		return nil
	}
	for name, value := range h.All() {
		if slices.ContainsFunc(names, func(n string) bool { return equalFold(n, name) }) {
			nv = append(nv, name, value)
		}
	}
	return nv
}

// varyMatches reports whether a stored response is one for a request (RFC 9111 section 4.1): the headers that Vary names are the same.
func (c *Cache) varyMatches(e *entry, h okhttp.Headers) bool {
	names, ok := varyOf(e.headers)
	if !ok {
		return false
	}
	if len(names) == 0 {
		return true
	}
	stored := okhttp.UncheckedHeaders(e.varied)
	for _, name := range names {
		if slices.Equal(slices.Collect(stored.Values(name)), slices.Collect(h.Values(name))) {
			continue
		}
		if !c.config.RFC9111 || normalized(stored, name) != normalized(h, name) {
			return false
		}
	}
	return true
}

// normalized returns a header as a list without what does not count in one: how it is spread over lines, and white space. Of languages the case does not count,
// nor the order of those that are liked alike.
func normalized(h okhttp.Headers, name string) string {
	var items []string
	for value := range h.Values(name) {
		for item := range strings.SplitSeq(value, ",") {
			if item = trim(item); item != "" {
				items = append(items, item)
			}
		}
	}
	if equalFold(name, "Accept-Language") {
		for i, item := range items {
			items[i] = strings.ToLower(strings.Join(strings.Fields(strings.ReplaceAll(item, ";", " ; ")), ""))
		}
		slices.Sort(items)
	}
	return strings.Join(items, ", ")
}
