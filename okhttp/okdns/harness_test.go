package okdns

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/okhttp-go/ok/okhttp"
)

// step is what a scripted DNS does next: wait, and then yield an answer, or fail, or panic.
type step struct {
	wait   time.Duration
	addrs  string // separated by spaces
	ttl    time.Duration
	alpn   []string
	err    error
	panics any
}

// scripted is a DNS whose look-ups follow scripts: the first the first, the last and all after it the last.
type scripted struct {
	mu      sync.Mutex
	scripts [][]step
	hosts   []string // that were asked for
	ended   []error  // what the contexts of the look-ups ended with, if they did before the script
}

func script(scripts ...[]step) *scripted { return &scripted{scripts: scripts} }

func (s *scripted) Lookup(ctx context.Context, host string) iter.Seq2[okhttp.DNSAnswer, error] {
	return func(yield func(okhttp.DNSAnswer, error) bool) {
		s.mu.Lock()
		steps := s.scripts[min(len(s.hosts), len(s.scripts)-1)]
		s.hosts = append(s.hosts, host)
		s.mu.Unlock()
		for _, st := range steps {
			select {
			case <-time.After(st.wait):
			case <-ctx.Done():
				s.mu.Lock()
				s.ended = append(s.ended, context.Cause(ctx))
				s.mu.Unlock()
				yield(okhttp.DNSAnswer{}, context.Cause(ctx))
				return
			}
			if st.panics != nil {
				panic(st.panics)
			}
			if !yield(okhttp.DNSAnswer{Addrs: addrs(st.addrs), TTL: st.ttl, ALPN: st.alpn}, st.err) || st.err != nil {
				return
			}
		}
	}
}

func (s *scripted) asked() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.hosts)
}

func addrs(text string) (list []netip.Addr) {
	for _, f := range strings.Fields(text) {
		list = append(list, netip.MustParseAddr(f))
	}
	return list
}

// report renders a look-up: each answer with when it came, counted from the start, and its TTL, and the failure.
func report(ctx context.Context, dns okhttp.DNS, host string) string {
	began := time.Now()
	var parts []string
	for a, err := range dns.Lookup(ctx, host) {
		text := fmt.Sprint(time.Since(began), " ", a.Addrs)
		if a.ALPN != nil {
			text += fmt.Sprint(" ", a.ALPN)
		}
		if a.TTL != 0 {
			text += fmt.Sprint(" ttl ", a.TTL)
		}
		if err != nil {
			text = fmt.Sprint(time.Since(began), " ", err)
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, "; ")
}

// want checks a look-up's report.
func want(t *testing.T, dns okhttp.DNS, host, text string) {
	t.Helper()
	if got := report(t.Context(), dns, host); got != text {
		t.Errorf("%s: %s\nwant %s", host, got, text)
	}
}

// notFound is what a resolver says of a name that does not exist.
func notFound(host string) error {
	return &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
}

var errMine = errors.New("mine")

// wantUnknown checks that a look-up failed as it must.
func wantUnknown(t *testing.T, dns okhttp.DNS, host string, is error) {
	t.Helper()
	var last error
	for a, err := range dns.Lookup(t.Context(), host) {
		if last = err; len(a.Addrs) > 0 {
			t.Errorf("answer %v, want none", a)
		}
	}
	var unknown *okhttp.UnknownHostError
	if !errors.As(last, &unknown) || unknown.Host != host || is != nil && !errors.Is(last, is) {
		t.Errorf("error %v, want an unknown host because of %v", last, is)
	}
}

func sorted(list []string) []string {
	slices.Sort(list)
	return list
}
