package mockserver

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
)

// opening is what a script does to a connection that was just accepted.
type opening struct {
	plan []Effect
	use  func() // up, the response whose effect it is
	keep func() // for a request, the response, without the effect
}

// open asks d for the effect on a connection that was just accepted. There is none if the plan is empty.
func (s *Server) open(ctx context.Context, d Dispatcher, r *Request) opening {
	switch d := d.(type) {
	case *Queue:
		resp, ok := d.takeStart()
		if !ok {
			return opening{}
		}
		resp.effects[RequestStart].strikes.note()
		o := opening{withoutHTTP2(s.plan(resp.effects[RequestStart].effect)), func() {}, func() {
			resp.effects[RequestStart] = timed{}
			d.giveBack(resp)
		}}
		if len(o.plan) == 0 {
			o.keep()
		}
		return o
	case Peeker:
		accepted := *r
		resp := d.Peek(r)
		if !resp.StartsConnection() {
			return opening{}
		}
		resp.effects[RequestStart].strikes.note()
		o := opening{withoutHTTP2(s.plan(resp.effects[RequestStart].effect)), func() { d.Dispatch(ctx, r) }, func() {}}
		if decider, ok := d.(Decider); ok {
			o.use = func() { decider.Decide(&accepted) }
		}
		return o
	}
	return opening{}
}

// begin performs the effect on the new connection, if there is one. It reports whether the connection goes on.
func (c *connection) begin() bool {
	ctx := c.server.inviting
	o := c.server.open(ctx, c.server.current(), c.newRequest())
	if c.greeted = o.use != nil; len(o.plan) == 0 {
		return true
	}
	first, last := o.plan[:len(o.plan)-1], o.plan[len(o.plan)-1]
	_, stalls := last.(Stall)
	switch {
	case stalls: // once the handshake is over
		c.standIn(o)
		c.opening.plan = o.plan[len(first):]
		return c.perform(ctx, RequestStart, first)
	case shakes(last) && c.server.secrets != nil: // which will tell whether the response is used up
		c.opening = opening{o.plan[len(first):], o.use, o.keep}
		return c.perform(ctx, RequestStart, first)
	case ends(o.plan):
		c.standIn(o)
	default:
		o.keep()
		if bad, is := last.(BadCertificate); is {
			c.server.miss(nil, fmt.Sprintf("%s at RequestStart did not strike: the server has no TLS; on connection %d", named([]Effect{bad}), c.index))
		}
	}
	return c.perform(ctx, RequestStart, o.plan)
}

// shakes reports whether an effect is for the handshake of TLS.
func shakes(e Effect) bool {
	switch e.(type) {
	case FailHandshake, BadCertificate:
		return true
	}
	return false
}

// standIn records a request in place of the one that will not be read.
func (c *connection) standIn(o opening) {
	r := c.newRequest()
	r.Method, r.Target, r.Proto = "GET", "/", "HTTP/1.1"
	c.record(r)
	o.use()
}

// stalled performs the effect that comes after the handshake, if there is one.
func (c *connection) stalled(ctx context.Context) bool {
	plan := c.opening.plan
	c.opening = opening{}
	return len(plan) > 0 && !c.perform(ctx, RequestStart, plan)
}

var errHandshake = errors.New("mockserver: the handshake fails because a script says so")

// tlsConfig is that of the handshake that comes next, and decides about the response of an effect that is for it once the handshake is over.
func (c *connection) tlsConfig() (config *tls.Config, over func(error)) {
	config, over = c.server.secrets.config, func(error) {}
	o := c.opening
	if len(o.plan) == 0 {
		return config, over
	}
	switch e := o.plan[0].(type) {
	case FailHandshake:
		config = config.Clone()
		config.Certificates, config.GetConfigForClient = nil, nil
		config.GetCertificate = func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return nil, errHandshake }
	case BadCertificate:
		cert, err := faulty(e.Fault, c.server.host)
		if err != nil {
			c.server.fault(err)
			return config, over
		}
		config = config.Clone()
		config.Certificates, config.GetConfigForClient, config.GetCertificate = []tls.Certificate{cert}, nil, nil
	default:
		return config, over
	}
	c.opening = opening{}
	return config, func(err error) {
		if err != nil {
			c.standIn(o)
		} else {
			o.keep()
		}
	}
}
