package mockserver

import (
	"cmp"
	"slices"

	"github.com/okhttp-go/ok/mockserver/internal/memo"
)

// A Matcher describes requests. Package match makes them.
//
// A matcher made of wrong arguments, a malformed regular expression for example, has a method Err() error that says so; it matches nothing.
type Matcher interface {
	// Match returns how r differs from what is described, nothing if it does not. It must not change r. It is called by several goroutines
	// at once.
	Match(r *Request) []Mismatch
	// String describes the requests, for reports.
	String() string
}

// A Mismatch is one way in which a request differs from what a [Matcher] describes.
type Mismatch struct {
	// What is compared, such as "method", "header Accept" or "body at $.name".
	What string
	// Want and Got are what was expected of it and what came. Secrets, credentials and cookies for example, are not shown in them.
	Want, Got string
	// Distance says how far Got is from Want, from 0, all but the same, to 1, nothing in common. The closest requests and routes of a
	// report are those with the smallest sum.
	Distance float64
}

// String says it in one line.
func (m Mismatch) String() string { return m.What + ": expected " + m.Want + " but it was " + m.Got }

// matcherErr returns what is wrong with a matcher, nil if nothing is known to be.
func matcherErr(m Matcher) error {
	if wrong, ok := m.(interface{ Err() error }); ok {
		return wrong.Err()
	}
	return nil
}

// differences is what m says of r. All of its parts share what is found out about the body.
func differences(m Matcher, r *Request) []Mismatch {
	defer memo.Hold(r)()
	return m.Match(r)
}

// nearMiss is a request that is not what was expected, with the differences.
type nearMiss struct {
	request    *Request
	mismatches []Mismatch
}

func (n nearMiss) distance() (sum float64) {
	for _, m := range n.mismatches {
		sum += m.Distance
	}
	return sum
}

// nearest returns up to n requests that differ least from what m describes.
func nearest(m Matcher, requests []*Request, n int) []nearMiss {
	var list []nearMiss
	for _, r := range requests {
		if differences := differences(m, r); len(differences) > 0 {
			list = append(list, nearMiss{r, differences})
		}
	}
	slices.SortStableFunc(list, func(a, b nearMiss) int { return cmp.Compare(a.distance(), b.distance()) })
	return list[:min(n, len(list))]
}
