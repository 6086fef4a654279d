package stub

import (
	"math"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/mockserver/internal/jsontree"
)

// ParseVerification reads what is expected of requests: {"request": …, "exactly": 2}, or "atLeast" and "atMost" in place of "exactly"; at least one by
// default. The name is for errors, which are [Errors].
func ParseVerification(name string, text []byte) (mockserver.Matcher, mockserver.Times, error) {
	rd := &reader{file: name, text: text}
	root := rd.tree()
	if root == nil {
		return nil, mockserver.Times{}, rd.err()
	}
	v := value{root, rd, ""}
	var r Request
	exactly, least, most := -1, -1, -1
	count := func(to *int) func(value) { return func(v value) { *to = int(v.integer(0, 1<<31-1)) } }
	v.keys(map[string]func(value){"request": func(v value) { r = v.request() }, "exactly": count(&exactly), "atLeast": count(&least), "atMost": count(&most)})
	if root.Kind == jsontree.Object && exactly >= 0 && (least >= 0 || most >= 0) {
		v.fail("expected exactly, or atLeast and atMost")
	}
	times := mockserver.Exactly(exactly)
	if exactly < 0 {
		if least < 0 && most < 0 {
			least = 1
		}
		if most < 0 {
			most = math.MaxInt
		}
		times = mockserver.Between(least, most)
	}
	if err := rd.err(); err != nil {
		return nil, mockserver.Times{}, err
	}
	return r.Matcher(), times, nil
}
