package okhttp

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// listenToAll makes a listener that passes each event on, with the name of its hook.
func listenToAll(tell func(hook string, event any)) *EventListener {
	l := new(EventListener)
	v := reflect.ValueOf(l).Elem()
	for i := range v.NumField() {
		hook := v.Type().Field(i).Name
		v.Field(i).Set(reflect.MakeFunc(v.Field(i).Type(), func(args []reflect.Value) []reflect.Value {
			tell(hook, args[0].Interface())
			return nil
		}))
	}
	return l
}

// eventText is an event as the grammar reads it: its name, and what decides about those that may follow.
func eventText(hook string, event any) string {
	name := strings.ToLower(hook[:1]) + hook[1:]
	if strings.HasPrefix(hook, "DNS") {
		name = "dns" + hook[len("DNS"):]
	}
	switch e := event.(type) {
	case ProxySelect:
		return fmt.Sprint(name, " ", len(e.Proxies))
	case ConnectEvent:
		return name + " " + e.Route.String()
	case ResponseHeadersEnd:
		if r := e.Response; r.Protocol == HTTP2 && r.request.Upgrade() != "" && r.Status/100 == 2 {
			name += " tunnel"
		}
		return fmt.Sprint(name, " ", e.Response.Status)
	case RetryDecision:
		return fmt.Sprint(name, " ", e.Retry)
	case FollowUpDecision:
		return fmt.Sprint(name, " ", e.Next != nil)
	case Failure:
		if errors.As(e.Err, new(*PanicError)) {
			return name + " panic"
		}
	}
	return name
}

// callEvents is the grammar of what one call tells: section 14.3, with the table of 14.4 where that says more. Each event is checked
// against those before it. Cancellation may be told once, at any time.
type callEvents struct {
	seen               []string
	canceled           bool
	queued, turn       bool
	begun              bool // something came after the queue
	selecting          bool
	selected           bool // in this attempt
	several            bool // proxies, each of which may have to be looked up
	resolving          bool
	resolved           bool              // in this attempt
	connects           map[string]string // the last event of each address that is being connected to
	held               bool              // a connection
	decided            string            // the last decision, until something follows it
	request            string            // the last event of its head or body in this exchange, "" outside of one
	response           string            // the same of the response
	early              bool              // the response began before the request's body, which it may have asked for
	requestFailed      bool
	responseFailed     bool
	upgraded           bool
	sending, receiving bool // on an upgraded connection
	broken             bool // off, in the middle of something: only a panic can do that
	over               bool // the call
}

// add takes the next event. An error says why it cannot be that one.
func (g *callEvents) add(text string) error {
	name, arg, _ := strings.Cut(text, " ")
	err := g.check(name, arg)
	g.seen = append(g.seen, text)
	if err == nil && name != "canceled" && name != "callStart" && name != "queueStart" && name != "queueEnd" {
		g.begun = true
	}
	return err
}

func (g *callEvents) check(name, arg string) error {
	if name == "canceled" {
		was := g.canceled
		g.canceled = true
		return unless(!was, "it was canceled before")
	}
	switch started := g.started(); {
	case name == "connectFailed" && g.connects[arg] != "": // of a race it may be the loser, who is told of at any later time
		g.resolving = g.resolving && !g.throughSOCKS()
		delete(g.connects, arg)
		return nil
	case g.over:
		return errors.New("the call is over")
	case name == "callStart":
		return unless(!started, "the call has started")
	case !started:
		return errors.New("the call has not started")
	case g.broken && name != "callFailed":
		return errors.New("a part of the exchange has no end")
	case g.queued && !g.turn && name != "queueEnd" && name != "callFailed":
		return errors.New("the call waits in the queue")
	}
	switch name {
	case "queueStart":
		was := g.queued
		g.queued = true
		return unless(!was && !g.begun, "the call has begun")
	case "queueEnd":
		was := g.turn
		g.turn = true
		return unless(g.queued && !was, "the call does not wait")
	case "callEnd", "callFailed":
		g.over = true
		if name == "callFailed" && arg == "panic" { // nothing is told of what it broke off, but the connection is given up
			g.connects = nil
			return unless(!g.held, "the connection is not released")
		}
		return first(unless(!g.held, "the connection is not released"), unless(!g.broken && g.complete(), "a part of the exchange has no end"),
			unless(name == "callFailed" || !g.resolving && g.decided != "retryDecision true", "the call goes on"))
	case "cacheHit", "cacheMiss", "cacheConditionalHit", "satisfactionFailure":
		g.decided = ""
		return first(unless(!g.resolving, "a look-up is under way"),
			unless(g.request == "" || g.response == "responseHeadersEnd" || g.exchanged(), "an exchange is under way"))
	case "proxySelectStart", "proxySelectEnd", "dnsStart", "dnsEnd", "connectStart", "secureConnectStart", "secureConnectEnd", "connectEnd", "connectFailed":
		return g.connecting(name, arg)
	case "streamLimit":
		return unless(!g.held && !g.resolving && len(g.connects) == 0, "a connection is held, or being made")
	case "connectionAcquired":
		was := g.held
		g.held, g.decided, g.resolved, g.selected = true, "", false, false
		return first(unless(!was, "a connection is held"), unless(!g.resolving, "a look-up is under way"))
	case "connectionReleased":
		was := g.held
		g.held, g.resolved, g.selected = false, false, false
		g.broken = !g.complete()
		g.endExchange()
		return unless(was, "no connection is held")
	case "retryDecision", "followUpDecision":
		return g.decision(name, arg)
	}
	return g.exchange(name, arg)
}

// connecting checks the way to a connection.
func (g *callEvents) connecting(name, route string) error {
	if g.connects == nil {
		g.connects = map[string]string{}
	}
	last := g.connects[route]
	if g.held {
		return errors.New("a connection is held")
	}
	g.decided = ""
	switch name {
	case "proxySelectStart":
		was := g.selecting || g.selected || g.resolved
		g.selecting, g.selected, g.several = true, true, false
		return unless(!was && len(g.connects) == 0, "proxies were selected, or it is too late for that")
	case "proxySelectEnd":
		was := g.selecting
		g.selecting, g.several = false, route != "" && route != "1"
		return unless(was, "no proxies are being selected")
	case "dnsStart":
		was := g.resolving || g.resolved
		g.resolving, g.resolved = true, true
		return first(unless(g.several || g.throughSOCKS() || !was && len(g.connects) == 0, "the name was looked up"), unless(!g.selecting, "proxies are being selected"))
	case "dnsEnd":
		was := g.resolving
		g.resolving = false
		return unless(was, "no look-up is under way")
	case "connectStart":
		was := g.resolving
		g.connects[route] = name
		g.resolving = false // of another proxy, in vain
		return first(unless(last == "", "that address is being connected to"), unless(!was || g.several, "a look-up is under way"), unless(!g.selecting, "proxies are being selected"))
	case "secureConnectStart":
		g.connects[route] = name
		return unless(last == "connectStart", "that address is not being connected to")
	case "secureConnectEnd":
		g.connects[route] = name
		return unless(last == "secureConnectStart", "tls has not started")
	}
	delete(g.connects, route)
	return unless(name == "connectEnd" && (last == "connectStart" || last == "secureConnectEnd"), "that address is not being connected to, or its tls has not ended")
}

// throughSOCKS reports whether a proxy is being connected to that wants an address of the server.
func (g *callEvents) throughSOCKS() bool {
	for route := range g.connects {
		if strings.Contains(route, "socks5://") {
			return true
		}
	}
	return false
}

// decision checks what is made of an attempt.
func (g *callEvents) decision(name, arg string) error {
	was := g.decided
	g.decided = name + " " + arg
	g.resolved, g.selected = false, false
	if was != "" && !(was == "followUpDecision true" && name == "retryDecision") { // which failed before anything could be told of it
		return errors.New("that was decided")
	}
	if name == "retryDecision" {
		g.resolving, g.selecting = false, false // it failed
		return unless(g.complete(), "a part of the exchange has no end")
	}
	return first(unless(!g.resolving, "a look-up is under way"),
		unless(g.request == "" || g.response == "responseHeadersEnd" || g.exchanged(), "there is no response"))
}

// exchange checks what is told of a request and its response.
func (g *callEvents) exchange(name, arg string) error {
	if !g.held {
		return errors.New("no connection is held")
	}
	if g.upgraded {
		return g.socket(name)
	}
	request, response := g.request, g.response
	switch name {
	case "requestHeadersStart":
		err := unless(request == "" || g.exchanged(), "an exchange is under way")
		g.endExchange()
		g.request, g.decided = name, ""
		return err
	case "requestHeadersEnd":
		g.request = name
		return unless(request == "requestHeadersStart", "the head of the request has not started")
	case "requestBodyStart":
		g.request, g.early = name, response != ""
		return unless(request == "requestHeadersEnd" && !g.requestFailed && (response == "" || response == "responseHeadersStart"), "it is not time for the body of the request")
	case "requestBodyEnd":
		g.request = name
		return unless(request == "requestBodyStart" && !g.requestFailed, "the body of the request has not started")
	case "requestFailed":
		was := g.requestFailed
		g.requestFailed = true
		return first(unless(!was, "the request has failed"), unless(request != "" && (response == "" || g.early), "no request is under way"))
	case "responseHeadersStart":
		g.response = name
		return first(unless(response == "" && !g.responseFailed, "the response has started"), unless(request == "requestHeadersEnd" || g.sent(), "the request has not been sent"))
	case "informational":
		return unless(response == "responseHeadersStart" && !g.responseFailed, "the head of the response has not started, or has ended")
	case "responseHeadersEnd":
		g.response = name
		g.upgraded = arg == "101" || strings.HasPrefix(arg, "tunnel ")
		return unless(response == "responseHeadersStart" && g.sent(), "the head of the response has not started")
	case "responseBodyStart":
		g.response = name
		return unless(response == "responseHeadersEnd" && !g.responseFailed, "the head of the response has not ended")
	case "responseBodyEnd":
		g.response = name
		return unless(response == "responseBodyStart" && !g.responseFailed, "the body of the response has not started")
	case "responseFailed":
		was := g.responseFailed
		g.responseFailed = true
		return unless(!was && response != "responseBodyEnd" && (request == "requestHeadersEnd" || g.sent()), "no response is under way")
	}
	return errors.New("there is no such event")
}

// socket checks what is told of an upgraded connection: two directions that know nothing of each other.
func (g *callEvents) socket(name string) error {
	sending, receiving := g.sending, g.receiving
	switch name {
	case "requestBodyStart":
		g.sending = true
		return unless(!sending && g.request != "over", "that direction has started")
	case "requestBodyEnd", "requestFailed":
		g.sending, g.request = false, "over"
		return unless(sending, "that direction has not started")
	case "responseBodyStart":
		g.receiving = true
		return unless(!receiving && g.response != "over", "that direction has started")
	case "responseBodyEnd", "responseFailed":
		g.receiving, g.response = false, "over"
		return unless(receiving, "that direction has not started")
	}
	return errors.New("the connection was upgraded")
}

// started reports whether something but a cancellation was told.
func (g *callEvents) started() bool { return len(g.seen) > 1 || len(g.seen) == 1 && !g.canceled }

// sent reports whether nothing more of the request can follow.
func (g *callEvents) sent() bool {
	return g.requestFailed || g.request == "requestHeadersEnd" || g.request == "requestBodyEnd"
}

// exchanged reports whether nothing more of the response can follow.
func (g *callEvents) exchanged() bool { return g.responseFailed || g.response == "responseBodyEnd" }

// complete reports whether all that started in the exchange has ended, in failure perhaps.
func (g *callEvents) complete() bool {
	if g.upgraded {
		return !g.sending && !g.receiving
	}
	response := g.responseFailed || g.response == "" || g.response == "responseHeadersEnd" || g.response == "responseBodyEnd"
	return response && (g.request == "" || g.sent())
}

func (g *callEvents) endExchange() {
	g.request, g.response = "", ""
	g.early, g.requestFailed, g.responseFailed, g.upgraded, g.sending, g.receiving = false, false, false, false, false, false
}

// end checks that nothing is missing.
func (g *callEvents) end() error {
	return first(unless(g.over || !g.started(), "the call has no end"), unless(len(g.connects) == 0, "connecting to an address has no end"))
}

func unless(ok bool, fault string) error {
	if ok {
		return nil
	}
	return errors.New(fault)
}

func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

const (
	grammarConnected = "callStart, proxySelectStart, proxySelectEnd, dnsStart, dnsEnd, connectStart a, connectEnd a, connectionAcquired, "
	grammarSent      = "requestHeadersStart, requestHeadersEnd, "
	grammarHead      = "responseHeadersStart, responseHeadersEnd 200, "
	grammarUpgraded  = grammarConnected + grammarSent + "responseHeadersStart, responseHeadersEnd 101, followUpDecision false, "
	grammarBody      = "responseBodyStart, responseBodyEnd, "
	grammarEnd       = "connectionReleased, callEnd"
)

// The grammar takes the orders of section 14.4.
func TestEventGrammarTakes(t *testing.T) {
	const final = grammarHead + "followUpDecision false, " + grammarBody + grammarEnd
	const failed = "retryDecision false, connectionReleased, callFailed"
	for name, order := range map[string]string{
		"never started":                    "",
		"canceled and never started":       "canceled",
		"canceled before":                  "canceled, callStart, callFailed",
		"canceled at once":                 "callStart, canceled, callFailed",
		"canceled afterwards":              "callStart, callEnd, canceled",
		"short-circuit":                    "callStart, callEnd",
		"refused":                          "callStart, callFailed",
		"https":                            "callStart, proxySelectStart, proxySelectEnd, dnsStart, dnsEnd, connectStart a, secureConnectStart a, secureConnectEnd a, connectEnd a, connectionAcquired, " + grammarSent + final,
		"IP literal":                       "callStart, connectStart a, connectEnd a, connectionAcquired, " + grammarSent + final,
		"pooled":                           "callStart, connectionAcquired, " + grammarSent + final,
		"queued":                           "callStart, queueStart, queueEnd, connectionAcquired, " + grammarSent + final,
		"canceled in the queue":            "callStart, queueStart, canceled, callFailed",
		"request body":                     grammarConnected + grammarSent + "requestBodyStart, requestBodyEnd, " + final,
		"empty body":                       grammarConnected + grammarSent + grammarHead + grammarBody + "followUpDecision false, " + grammarEnd,
		"Expect":                           grammarConnected + grammarSent + "responseHeadersStart, informational, requestBodyStart, requestBodyEnd, responseHeadersEnd 200, followUpDecision false, " + grammarBody + grammarEnd,
		"Expect, refused":                  grammarConnected + grammarSent + final,
		"Expect, and the body fails":       grammarConnected + grammarSent + "responseHeadersStart, informational, requestBodyStart, requestFailed, responseFailed, " + failed,
		"informational":                    grammarConnected + grammarSent + "responseHeadersStart, informational, informational, responseHeadersEnd 200, followUpDecision false, " + grammarBody + grammarEnd,
		"redirect":                         grammarConnected + grammarSent + grammarHead + grammarBody + "followUpDecision true, " + grammarSent + final,
		"redirect to another host":         grammarConnected + grammarSent + grammarHead + grammarBody + "followUpDecision true, connectionReleased, proxySelectStart, proxySelectEnd, dnsStart, dnsEnd, connectStart b, connectEnd b, connectionAcquired, " + grammarSent + final,
		"redirect, canceled":               grammarConnected + grammarSent + grammarHead + grammarBody + "followUpDecision true, canceled, connectionReleased, callFailed",
		"too many redirects":               grammarConnected + grammarSent + grammarHead + grammarBody + "followUpDecision false, connectionReleased, callFailed",
		"redirect, replaced body":          grammarConnected + grammarSent + grammarHead + "followUpDecision true, connectionReleased, connectStart a, connectEnd a, connectionAcquired, " + grammarSent + final,
		"authenticator fails":              grammarConnected + grammarSent + grammarHead + grammarBody + "connectionReleased, callFailed",
		"no head":                          grammarConnected + grammarSent + "responseFailed, " + failed,
		"only informational":               grammarConnected + grammarSent + "responseHeadersStart, informational, responseFailed, " + failed,
		"no body":                          grammarConnected + grammarSent + grammarHead + "followUpDecision false, responseFailed, connectionReleased, callFailed",
		"body fails":                       grammarConnected + grammarSent + grammarHead + "followUpDecision false, responseBodyStart, responseFailed, connectionReleased, callFailed",
		"request body fails":               grammarConnected + grammarSent + "requestBodyStart, requestFailed, responseFailed, " + failed,
		"request body fails, but answered": grammarConnected + grammarSent + "requestBodyStart, requestFailed, " + final,
		"head cannot be written":           grammarConnected + "requestHeadersStart, requestFailed, " + failed,
		"head cannot be flushed":           grammarConnected + grammarSent + "requestFailed, responseFailed, " + failed,
		"body cannot be flushed":           grammarConnected + grammarSent + "requestBodyStart, requestBodyEnd, requestFailed, responseFailed, " + failed,
		"no connection":                    "callStart, proxySelectStart, proxySelectEnd, dnsStart, dnsEnd, connectStart a, connectFailed a, connectStart b, connectFailed b, retryDecision false, callFailed",
		"no TLS":                           "callStart, connectStart a, secureConnectStart a, connectFailed a, retryDecision false, callFailed",
		"TLS but no HTTP/2":                "callStart, connectStart a, secureConnectStart a, secureConnectEnd a, connectFailed a, retryDecision false, callFailed",
		"unknown host":                     "callStart, proxySelectStart, proxySelectEnd, dnsStart, retryDecision false, callFailed",
		"proxy that closes":                "callStart, connectStart a, connectEnd a, connectStart a, connectEnd a, connectionAcquired, " + grammarSent + final,
		"stale":                            "callStart, connectionAcquired, " + grammarSent + "responseFailed, retryDecision true, connectionReleased, proxySelectStart, proxySelectEnd, dnsStart, dnsEnd, connectStart a, connectEnd a, connectionAcquired, " + grammarSent + final,
		"interceptor proceeds twice":       grammarConnected + grammarSent + grammarHead + "followUpDecision false, " + grammarBody + grammarSent + final,
		"interceptor recovers":             grammarConnected + grammarSent + "responseFailed, retryDecision false, connectionReleased, proxySelectStart, proxySelectEnd, dnsStart, dnsEnd, connectStart a, connectEnd a, connectionAcquired, " + grammarSent + final,
		"interceptor does not close":       grammarConnected + grammarSent + grammarHead + "followUpDecision false, connectionReleased, callFailed",
		"network interceptor refuses":      grammarConnected + "retryDecision false, connectionReleased, callFailed",
		"network interceptor answers":      grammarConnected + grammarSent + "responseFailed, connectionReleased, followUpDecision false, callEnd",
		"miss":                             "callStart, cacheMiss, connectionAcquired, " + grammarSent + final,
		"hit":                              "callStart, cacheHit, followUpDecision false, callEnd",
		"conditional hit":                  "callStart, cacheConditionalHit, connectionAcquired, " + grammarSent + grammarHead + grammarBody + "cacheHit, followUpDecision false, " + grammarEnd,
		"conditional miss":                 "callStart, cacheConditionalHit, connectionAcquired, " + grammarSent + grammarHead + "cacheMiss, followUpDecision false, " + grammarBody + grammarEnd,
		"only if cached":                   "callStart, satisfactionFailure, followUpDecision false, callEnd",
		"upgrade":                          grammarUpgraded + "requestBodyStart, responseBodyStart, responseBodyEnd, requestBodyEnd, " + grammarEnd,
		"upgrade, the other way round":     grammarUpgraded + "responseBodyStart, requestBodyStart, requestBodyEnd, responseBodyEnd, " + grammarEnd,
		"upgrade that is not used":         grammarUpgraded + grammarEnd,
		"upgrade that breaks":              grammarUpgraded + "requestBodyStart, responseBodyStart, responseFailed, requestFailed, connectionReleased, callFailed",
		"tunnel":                           strings.Replace(grammarUpgraded, "101", "tunnel 200", 1) + "requestBodyStart, responseBodyStart, responseBodyEnd, requestBodyEnd, " + grammarEnd,
		"upgrade with a body":              grammarConnected + grammarSent + "requestBodyStart, requestBodyEnd, responseHeadersStart, responseHeadersEnd 101, followUpDecision false, requestBodyStart, requestBodyEnd, " + grammarEnd,
		"race":                             "callStart, connectStart a, connectStart b, connectEnd b, connectionAcquired, " + grammarSent + "connectFailed a, " + final,
		"race that ends after the call":    "callStart, connectStart a, connectStart b, connectEnd b, connectionAcquired, " + grammarSent + final + ", connectFailed a",
		"panic while connecting":           "callStart, proxySelectStart, proxySelectEnd, dnsStart, dnsEnd, connectStart a, callFailed panic",
		"panic in the exchange":            grammarConnected + "requestHeadersStart, connectionReleased, callFailed panic",
	} {
		g := new(callEvents)
		for _, event := range strings.FieldsFunc(order, func(c rune) bool { return c == ',' }) {
			if err := g.add(strings.TrimSpace(event)); err != nil {
				t.Errorf("%s: %s after %s: %v", name, event, strings.Join(g.seen, ", "), err)
			}
		}
		if err := g.end(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// And it refuses what is not in order, at the last event of each.
func TestEventGrammarRefuses(t *testing.T) {
	const open = grammarConnected + grammarSent + grammarHead + "followUpDecision false, "
	const done = grammarConnected + grammarSent + grammarHead + grammarBody
	for _, order := range []string{
		// The call.
		"callEnd", "dnsStart", "canceled, connectionAcquired",
		"callStart, callStart", "callStart, callEnd, callEnd", "callStart, callEnd, callFailed", "callStart, callFailed, dnsStart",
		"canceled, canceled", "callStart, canceled, callEnd, canceled", "callStart, connectFailed a", "callStart, callEnd, connectFailed a",
		"callStart, proxySelectStart, proxySelectEnd, dnsStart, callEnd", open + "callEnd", open + grammarBody + "callEnd", grammarConnected + "callFailed", grammarConnected + "callFailed panic",
		grammarConnected + grammarSent + "responseFailed, retryDecision true, connectionReleased, callEnd",
		// The queue.
		"callStart, queueEnd", "callStart, queueStart, queueStart", "callStart, queueStart, dnsStart", "callStart, queueStart, callEnd", "callStart, proxySelectStart, proxySelectEnd, dnsStart, queueStart",
		"callStart, queueStart, queueEnd, queueEnd", "callStart, cacheMiss, queueStart",
		// Connecting.
		"callStart, dnsEnd", "callStart, proxySelectStart, proxySelectEnd, dnsStart, dnsStart", "callStart, proxySelectStart, proxySelectEnd, dnsStart, dnsEnd, dnsEnd", "callStart, proxySelectStart, proxySelectEnd, dnsStart, dnsEnd, dnsStart", "callStart, proxySelectStart, proxySelectEnd, dnsStart, connectStart a",
		"callStart, proxySelectStart, proxySelectEnd, dnsStart, connectionAcquired", "callStart, connectStart a, connectStart a", "callStart, connectEnd a", "callStart, connectStart a, connectEnd b",
		"callStart, connectStart a, connectEnd a, connectEnd a", "callStart, connectStart a, connectEnd a, connectFailed a", "callStart, connectStart a, connectFailed a, connectEnd a",
		"callStart, secureConnectStart a", "callStart, connectStart a, secureConnectEnd a", "callStart, connectStart a, secureConnectStart a, connectEnd a",
		"callStart, connectStart a, secureConnectStart a, secureConnectStart a", "callStart, connectStart a, secureConnectStart a, secureConnectEnd a, secureConnectEnd a",
		"callStart, connectStart a, secureConnectStart a, secureConnectEnd a, secureConnectStart a", "callStart, connectStart a, dnsStart",
		grammarConnected + "connectionAcquired", grammarConnected + "dnsStart", grammarConnected + "connectStart a",
		"callStart, connectionReleased", grammarConnected + "connectionReleased, connectionReleased",
		// The request.
		"callStart, requestHeadersStart", grammarConnected + "requestHeadersEnd", grammarConnected + "requestBodyStart", grammarConnected + "requestFailed",
		grammarConnected + "responseHeadersStart", grammarConnected + "requestHeadersStart, requestHeadersStart", grammarConnected + "requestHeadersStart, requestBodyStart",
		grammarConnected + "requestHeadersStart, responseHeadersStart", grammarConnected + "requestHeadersStart, responseFailed",
		grammarConnected + grammarSent + "requestHeadersEnd", grammarConnected + grammarSent + "requestBodyEnd",
		grammarConnected + grammarSent + "requestBodyStart, requestBodyStart", grammarConnected + grammarSent + "requestBodyStart, requestBodyEnd, requestBodyEnd",
		grammarConnected + grammarSent + "requestBodyStart, requestBodyEnd, requestBodyStart", grammarConnected + grammarSent + "requestBodyStart, responseHeadersStart",
		grammarConnected + grammarSent + "requestBodyStart, responseFailed", grammarConnected + grammarSent + "requestFailed, requestFailed",
		grammarConnected + grammarSent + "requestFailed, requestBodyStart", grammarConnected + grammarSent + "requestBodyStart, requestFailed, requestBodyEnd",
		grammarConnected + grammarSent + "responseHeadersStart, requestFailed", grammarConnected + "requestHeadersStart, retryDecision false",
		grammarConnected + grammarSent + "requestBodyStart, retryDecision false", grammarConnected + grammarSent + "requestBodyStart, connectionReleased, dnsStart",
		grammarConnected + grammarSent + "requestBodyStart, connectionReleased, callFailed",
		// The response.
		grammarConnected + "informational", grammarConnected + grammarSent + "informational", grammarConnected + grammarSent + "responseHeadersEnd 200",
		grammarConnected + grammarSent + "responseHeadersStart, responseHeadersStart", grammarConnected + grammarSent + grammarHead + "informational",
		grammarConnected + grammarSent + grammarHead + "responseHeadersEnd 200", grammarConnected + grammarSent + "responseBodyStart",
		grammarConnected + grammarSent + "responseHeadersStart, responseBodyStart", grammarConnected + grammarSent + grammarHead + "responseBodyEnd",
		grammarConnected + grammarSent + grammarHead + "requestBodyStart", grammarConnected + grammarSent + grammarHead + "requestFailed",
		grammarConnected + grammarSent + "responseFailed, responseFailed", grammarConnected + grammarSent + "responseFailed, responseHeadersStart",
		grammarConnected + grammarSent + "responseFailed, responseBodyStart", grammarConnected + grammarSent + "responseHeadersStart, responseFailed, informational",
		done + "responseBodyStart", done + "responseBodyEnd", done + "responseFailed", open + "responseBodyStart, responseFailed, responseBodyEnd",
		open + "requestHeadersStart", open + "responseBodyStart, requestHeadersStart", open + "responseBodyStart, connectionReleased, callEnd",
		open + "responseBodyStart, connectionReleased, dnsStart", grammarConnected + grammarSent + "responseHeadersStart, connectionReleased, callFailed",
		// Decisions.
		open + "followUpDecision false", done + "followUpDecision true, followUpDecision false", done + "followUpDecision false, retryDecision false",
		grammarConnected + grammarSent + "responseFailed, retryDecision true, retryDecision false", grammarConnected + grammarSent + "followUpDecision false",
		grammarConnected + grammarSent + "responseHeadersStart, followUpDecision false", open + "responseBodyStart, followUpDecision false", "callStart, proxySelectStart, proxySelectEnd, dnsStart, followUpDecision false",
		// The cache.
		"callStart, proxySelectStart, proxySelectEnd, dnsStart, cacheHit", grammarConnected + "requestHeadersStart, cacheMiss", grammarConnected + grammarSent + "cacheHit", open + "responseBodyStart, cacheMiss",
		// Upgrades.
		grammarUpgraded + "requestHeadersStart", grammarUpgraded + "responseHeadersStart", grammarUpgraded + "requestBodyEnd", grammarUpgraded + "responseBodyEnd",
		grammarUpgraded + "requestBodyStart, requestBodyStart", grammarUpgraded + "responseBodyStart, responseBodyEnd, responseBodyStart",
		grammarUpgraded + "requestBodyStart, requestBodyEnd, requestFailed", grammarUpgraded + "responseBodyStart, connectionReleased, callEnd",
		"callStart, whatever", grammarConnected + "whatever",
	} {
		g := new(callEvents)
		list := strings.Split(order, ", ")
		for i, event := range list {
			switch err := g.add(event); {
			case err == nil && i == len(list)-1:
				t.Errorf("takes %s", order)
			case err != nil && i < len(list)-1:
				t.Errorf("%s: refuses %s already: %v", order, event, err)
			}
		}
	}
	for _, order := range []string{"callStart", "callStart, canceled", grammarConnected + "connectionReleased", "callStart, connectStart a, callFailed"} {
		g := new(callEvents)
		for _, event := range strings.Split(order, ", ") {
			if err := g.add(event); err != nil {
				t.Errorf("%s: %v", order, err)
			}
		}
		if g.end() == nil {
			t.Errorf("takes %s for the whole", order)
		}
	}
}
