package http2

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/summerwind/h2spec/client"
	"github.com/summerwind/h2spec/config"
	"github.com/summerwind/h2spec/spec"
)

// Client makes one GET request for a URL of scheme http, with HTTP/2 from the first byte (prior knowledge), reads the response to its end and returns
// what failed. It leaves its connection open until then: a client that closes after one exchange passes many cases by that alone.
type Client func(ctx context.Context, url string) error

// Outcome is what a client did before one server.
type Outcome string

// The outcomes.
const (
	Pass      Outcome = "pass"
	Fail      Outcome = "fail"
	Skip      Outcome = "skip"
	Timeout   Outcome = "timeout"    // the case did not end
	NoRequest Outcome = "no request" // the client returned without having connected
)

// Result is one case decided.
type Result struct {
	ID, Desc string
	Outcome  Outcome
	Detail   string // of a failure: what was expected and what came
	Err      error  // of the client
}

// Limits of one case.
const (
	quiet  = time.Second     // after which a server of h2spec takes what it waits for as not coming
	whole  = 4 * time.Second // for all of a case
	unwind = 2 * time.Second // for the client to return when its context has ended
)

// abreast is how many cases run at a time.
const abreast = 8

// Run puts a client before every server of h2spec's client cases, each with a listener of its own on the loopback interface. Each result is in the
// place of its case.
func Run(do Client) []Result {
	var cases []*spec.ClientTestCase
	var walk func(g *spec.ClientTestGroup)
	walk = func(g *spec.ClientTestGroup) {
		cases = append(cases, g.Tests...)
		for _, sub := range g.Groups {
			walk(sub)
		}
	}
	walk(client.Spec())
	results := make([]Result, len(cases))
	slots := make(chan struct{}, abreast)
	var all sync.WaitGroup
	for i, c := range cases {
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			results[i] = runCase(c, do)
		})
	}
	all.Wait()
	return results
}

func runCase(c *spec.ClientTestCase, do Client) (r Result) {
	r = Result{ID: fmt.Sprintf("%s/%d", c.Parent.ID(), c.Seq), Desc: c.Desc}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		r.Outcome, r.Detail = Fail, err.Error()
		return r
	}
	ctx, cancel := context.WithTimeout(context.Background(), whole)
	s := caseServer{test: c, ended: make(chan error, 1)}
	served := make(chan struct{})
	go func() {
		defer close(served)
		s.serve(ctx, listener)
	}()
	defer func() {
		cancel()
		listener.Close()
		<-served
	}()

	returned := make(chan error, 1)
	go func() { returned <- do(ctx, "http://"+listener.Addr().String()+"/") }()
	select {
	case err := <-s.ended:
		r.decide(err)
	case r.Err = <-returned: // before the case has ended
		returned <- r.Err
		if s.connections.Load() == 0 {
			r.Outcome = NoRequest
			break
		}
		select {
		case err := <-s.ended:
			r.decide(err)
		case <-ctx.Done():
			r.Outcome = Timeout
		}
	case <-ctx.Done():
		r.Outcome = Timeout
	}
	cancel()
	select {
	case r.Err = <-returned:
	case <-time.After(unwind):
		r.Err = errors.New("the client did not return")
	}
	return r
}

// A caseServer runs the case on each connection that comes. The first to end decides.
type caseServer struct {
	test        *spec.ClientTestCase
	connections atomic.Int32
	ended       chan error
}

// serve ends with the listener, and its connections with ctx.
func (s *caseServer) serve(ctx context.Context, listener net.Listener) {
	var open sync.WaitGroup
	defer open.Wait()
	settings := &config.Config{Host: "127.0.0.1", Path: "/", Timeout: quiet, MaxHeaderLen: 4000}
	for {
		socket, err := listener.Accept()
		if err != nil {
			return
		}
		s.connections.Add(1)
		open.Go(func() {
			defer context.AfterFunc(ctx, func() { socket.Close() })()
			defer socket.Close()
			c, err := spec.Accept(settings, socket)
			if err == nil {
				err = s.test.Run(settings, c)
			}
			select {
			case s.ended <- err:
			default:
			}
		})
	}
}

// decide takes what h2spec says. A client that closes its socket with bytes unread makes the kernel reset the connection, which is
// "Connection closed" where a case accepts that.
func (r *Result) decide(err error) {
	var failed *spec.TestError
	switch {
	case err == nil:
		r.Outcome = Pass
	case errors.Is(err, spec.ErrSkipped):
		r.Outcome = Skip
	case !errors.As(err, &failed):
		r.Outcome, r.Detail = Fail, err.Error()
	default:
		r.Outcome = Fail
		r.Detail = "expected " + strings.Join(failed.Expected, " or ") + ", got " + failed.Actual
		reset := strings.Contains(failed.Actual, "connection reset by peer") || strings.Contains(failed.Actual, "broken pipe")
		for _, expected := range failed.Expected {
			if reset && expected == "Connection closed" {
				r.Outcome, r.Detail = Pass, ""
			}
		}
	}
}
