package okdns

import (
	"context"
	"iter"
	"strings"

	"github.com/okhttp-go/ok/okhttp"
)

// Chain asks one DNS after another until one has an address. What the others failed with is forgotten then; if all fail, the error holds an
// [*AttemptsError]. It is used by its pointer, and its fields must not be modified once it is in use.
//
// A resolver that keeps look-ups private does so no longer when another one is asked after it: let GoOn say when that may be.
type Chain struct {
	DNS []okhttp.DNS // in their order; nil ones are left out
	// GoOn reports whether the next DNS is asked after a failure. nil means always. It is not called when the context has ended, nor once there was
	// an address: a failure then ends the look-up, as it would without a Chain. func(err error) bool { return !okdns.NotFound(err) } takes
	// the word of a DNS that a name does not exist.
	GoOn func(err error) bool
}

// AttemptsError is what several DNS failed with, in the order in which they were asked.
type AttemptsError struct{ Errs []error }

func (e *AttemptsError) Error() string {
	texts := make([]string, len(e.Errs))
	for i, err := range e.Errs {
		texts[i] = err.Error()
	}
	return strings.Join(texts, "; ")
}

// Unwrap returns the last one, with which the look-up ended.
func (e *AttemptsError) Unwrap() error { return e.Errs[len(e.Errs)-1] }

// Lookup implements [okhttp.DNS].
func (c *Chain) Lookup(ctx context.Context, host string) iter.Seq2[okhttp.DNSAnswer, error] {
	return func(yield func(okhttp.DNSAnswer, error) bool) {
		var failures []error
		for _, dns := range c.DNS {
			if dns == nil {
				continue
			}
			over, err := one(ctx, dns, host, yield)
			if over {
				return
			}
			if failures = append(failures, err); ctx.Err() != nil || c.GoOn != nil && !c.GoOn(err) {
				break
			}
		}
		switch {
		case len(failures) == 0:
			yield(okhttp.DNSAnswer{}, &okhttp.UnknownHostError{Host: host})
		case len(failures) == 1 || ctx.Err() != nil:
			yield(okhttp.DNSAnswer{}, failures[len(failures)-1])
		default:
			yield(okhttp.DNSAnswer{}, &okhttp.UnknownHostError{Host: host, Err: &AttemptsError{causes(host, failures)}})
		}
	}
}

// one yields the answers of one DNS. It reports whether the look-up is over, with an address or because the loop was left, and otherwise what it
// failed with. Answers that come before the first address wait for it: they must not stand beside the addresses of another DNS.
func one(ctx context.Context, dns okhttp.DNS, host string, yield func(okhttp.DNSAnswer, error) bool) (over bool, failure error) {
	var held []okhttp.DNSAnswer
	found := false
	for answer, err := range dns.Lookup(ctx, host) {
		if !found && len(answer.Addrs) == 0 {
			if err != nil {
				return false, failed(ctx, host, err)
			}
			held = append(held, answer)
			continue
		}
		found = true
		for _, h := range held {
			if !yield(h, nil) {
				return true, nil
			}
		}
		held = nil
		if !yield(answer, err) || err != nil {
			return true, nil
		}
	}
	if found {
		return true, nil
	}
	return false, failed(ctx, host, nil)
}

// causes takes the host out of failures whose error names it anyway.
func causes(host string, failures []error) []error {
	list := make([]error, len(failures))
	for i, err := range failures {
		if unknown, ok := err.(*okhttp.UnknownHostError); ok && unknown.Host == host && unknown.Err != nil {
			err = unknown.Err
		}
		list[i] = err
	}
	return list
}
