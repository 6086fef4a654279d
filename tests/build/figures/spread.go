package figures

import (
	"fmt"
	"math"
	"slices"
)

// A Spread says what repetitions came to. Sure is the interval that holds the true median in 95 of 100 cases, whatever the noise is like: by the sign
// test it lies between two of the measured values. Fewer than six repetitions are not enough to be that sure of anything.
type Spread struct {
	Median, Low, High   float64
	SureLow, SureHigh   float64
	Repetitions, Failed int
}

// ratios divides a figure of two rows repetition by repetition and leaves out those that failed.
func ratios(a, b []float64) (v []float64, failed int) {
	for i := range min(len(a), len(b)) {
		if a[i] <= 0 || b[i] <= 0 {
			failed++
			continue
		}
		v = append(v, a[i]/b[i])
	}
	return v, failed
}

// alone returns a figure without the repetitions that failed, and without those of a client that cannot tell.
func alone(r Row, figure string) (v []float64, failed int) {
	for i, x := range r.figure(figure) {
		if i >= len(r.Rate) || r.Rate[i] <= 0 || x < 0 {
			failed++
			continue
		}
		v = append(v, x)
	}
	return v, failed
}

// spread sorts v.
func spread(v []float64) (s Spread) {
	n := len(v)
	if n == 0 {
		return s
	}
	slices.Sort(v)
	s = Spread{Median: v[n/2], Low: v[0], High: v[n-1], Repetitions: n}
	if n%2 == 0 {
		s.Median = (v[n/2-1] + v[n/2]) / 2
	}
	if n < 6 {
		s.SureLow, s.SureHigh = math.Inf(-1), math.Inf(1)
		return s
	}
	k := outside(n)
	s.SureLow, s.SureHigh = v[k], v[n-1-k]
	return s
}

// outside returns how many of n sorted values can be left out at each end: the median of what they are drawn from lies further out in at most one case
// of 40 at either end, which is the chance that at most k of n coins show heads.
func outside(n int) (k int) {
	term, sum := 1.0, 0.0 // binomial(n, k) / 2^n
	for range n {
		term /= 2
	}
	for k = 0; k < n/2; k++ {
		if sum += term; sum > 0.025 {
			break
		}
		term = term * float64(n-k) / float64(k+1)
	}
	return max(k-1, 0)
}

func (s Spread) String() string {
	if s.Repetitions == 0 {
		return "–"
	}
	return fmt.Sprintf("%s [%s–%s]", number(s.Median), number(s.Low), number(s.High))
}

// number has as many digits as tell something.
func number(f float64) string {
	switch {
	case f >= 1000:
		return fmt.Sprintf("%.3g", f)
	case f >= 100:
		return fmt.Sprintf("%.0f", f)
	case f >= 10:
		return fmt.Sprintf("%.1f", f)
	}
	return fmt.Sprintf("%.2f", f)
}
