package faults

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp/http2"
	"github.com/okhttp-go/ok/tests/golden"
)

var moments = []mockserver.Moment{
	mockserver.RequestStart, mockserver.RequestHead, mockserver.RequestBody, mockserver.ResponseStart, mockserver.ResponseBody, mockserver.ResponseEnd,
}

// fault is an effect.
type fault struct {
	name   string
	effect mockserver.Effect
}

// effects are put at each moment.
var effects = []fault{
	{"close", mockserver.CloseSocket{}},
	{"half-close", mockserver.CloseSocket{NoClose: true, Out: true}},
	{"reset", mockserver.Reset{}},
	{"shutdown", mockserver.ShutdownConnection{}},
	{"refused stream", mockserver.CloseStream{Code: http2.RefusedStream}},
	{"cancelled stream", mockserver.CloseStream{Code: http2.InternalError}},
	{"stall", mockserver.Stall{}},
	{"garbage", mockserver.Garbage{Bytes: 300}},
	{"goodbye, refusing", mockserver.GoAway{Refuse: true}},
	{"goodbye", mockserver.GoAway{}},
	{"junk", mockserver.Write{Bytes: []byte("\r\n\x00junk that is no frame either\r\n")}},
	{"wait", mockserver.Wait{For: readTimeout / 2}},
	{"other settings", mockserver.SendSettings{Settings: []http2.Setting{{ID: http2.SettingMaxFrameSize, Value: 20_000}, {ID: http2.SettingInitialWindowSize, Value: 1000}}}},
	{"half-close of input", mockserver.CloseSocket{NoClose: true, In: true}},
	{"refused connections", mockserver.RefuseConnections{For: time.Second / 2}},
	{"ignored connections", mockserver.IgnoreConnections{For: time.Second / 2}},
}

// secureEffects are those that are another thing over TLS; at RequestStart some come before the handshake is over.
var secureEffects = []fault{
	{"close", mockserver.CloseSocket{}},
	{"half-close", mockserver.CloseSocket{NoClose: true, Out: true}},
	{"reset", mockserver.Reset{}},
	{"shutdown", mockserver.ShutdownConnection{}},
	{"stall", mockserver.Stall{}},
	{"garbage", mockserver.Garbage{Bytes: 300}},
	{"cut record", mockserver.PartialRecord{}},
}

// goOn are the effects that an exchange goes on after.
var goOn = []string{"goodbye", "wait", "other settings", "refused connections", "ignored connections"}

// ofHTTP2 are the effects that there is no HTTP/2 for yet when a connection is accepted.
var ofHTTP2 = []string{"goodbye", "goodbye, refusing", "other settings"}

// handshakeEffects are for the handshake of TLS, which RequestStart is the moment of.
var handshakeEffects = []fault{
	{"failed handshake", mockserver.FailHandshake{}},
	{"expired certificate", mockserver.BadCertificate{Fault: mockserver.Expired}},
	{"certificate that is not yet valid", mockserver.BadCertificate{Fault: mockserver.NotYetValid}},
	{"certificate of another host", mockserver.BadCertificate{Fault: mockserver.WrongHost}},
	{"certificate of an unknown authority", mockserver.BadCertificate{Fault: mockserver.UnknownAuthority}},
}

// TestMatrix puts each effect at each moment over both versions. What must hold for all is checked here, the rest is in testdata/matrix.txt.
func TestMatrix(t *testing.T) {
	var table strings.Builder
	table.WriteString("What a caller of the client sees of faults of the server, written by: go test ./faults -run TestMatrix -update\n")
	for _, version := range []string{"HTTP/1.1", "HTTP/2", "HTTP/1.1 over TLS", "HTTP/2 over TLS"} {
		for _, m := range moments {
			fmt.Fprintf(&table, "\n%s, %v\n", version, m)
			list := effects
			if secured := strings.HasSuffix(version, "TLS"); secured && m == mockserver.RequestStart {
				list = append(handshakeEffects[:len(handshakeEffects):len(handshakeEffects)], secureEffects...)
			} else if secured {
				list = secureEffects
			}
			for _, e := range list {
				if chancy(e.name, m, version) || m == mockserver.RequestStart && slices.Contains(ofHTTP2, e.name) {
					continue
				}
				t.Run(fmt.Sprintf("%s at %v over %s", e.name, m, version), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						o := meet(t, version, mockserver.Reply(200).Text(responseBody).On(m, e.effect))
						check(t, e.name, m, o)
						fmt.Fprintf(&table, "%s: %v\n", e.name, o)
					})
				})
			}
		}
	}
	golden.Compare(t, "testdata/matrix.txt", table.String())
}

// chancy reports whether it is a matter of chance what a client sees.
func chancy(effect string, m mockserver.Moment, version string) bool {
	switch effect {
	case "junk": // a client that gives up takes its request away, and the junk is left for the next one; what comes late, on a network in memory, is not looked for
		return m == mockserver.RequestHead || m == mockserver.RequestBody || m == mockserver.ResponseEnd && version == "HTTP/1.1"
	case "half-close of input": // a client that has sent all of its request by then notices nothing
		return m <= mockserver.RequestBody
	case "reset": // it destroys what was not read yet, if there is something
		return m >= mockserver.ResponseBody
	}
	return false
}

// check wants what holds for every fault.
func check(t *testing.T, effect string, m mockserver.Moment, o outcome) {
	t.Helper()
	if o.other != nil {
		t.Errorf("an error of type %T: %v", o.other, o.other)
	}
	http1 := strings.HasPrefix(o.version, "HTTP/1.1")
	stallsLate := effect == "stall" && m == mockserver.ResponseEnd && http1 // the next request meets it
	if (o.next != nil) != stallsLate {
		t.Errorf("the call after it ended with %v", o.next)
	}
	if o.err == nil && (o.status != 200 || o.body != bodySize) {
		t.Errorf("a response of %d bytes was taken for whole", o.body)
	}
	if o.body > bodySize {
		t.Errorf("%d bytes of a body of %d", o.body, bodySize)
	}
	count := func(event string) (n int) {
		for _, e := range o.events {
			if e == event {
				n++
			}
		}
		return n
	}
	if count("ConnectionAcquired") != count("ConnectionReleased") {
		t.Errorf("connections were acquired and not released: %v", o.events)
	}
	if ended, failed := count("CallEnd"), count("CallFailed"); ended+failed != 1 || (failed == 1) != (o.err != nil) {
		t.Errorf("the end of the call was told %d times, its failure %d times: %v", ended, failed, o.events)
	}
	if failed := count("RequestFailed") + count("ResponseFailed") + count("ConnectFailed"); (failed > 0) != (o.err != nil) {
		t.Errorf("the failure of an exchange was told %d times: %v", failed, o.events)
	}
	if last := o.events[len(o.events)-1]; last != "CallEnd" && last != "CallFailed" {
		t.Errorf("%s was told after the end", last)
	}
	none := slices.Contains(goOn, effect) || effect == "goodbye, refusing" && http1
	if (none || m == mockserver.ResponseEnd) && o.err != nil {
		t.Errorf("failed although the response came whole: %v", o.err)
	}
	if !none && effect != "junk" && m != mockserver.ResponseEnd && o.err == nil {
		t.Error("succeeded without a whole response")
	}
	if effect == "stall" && m != mockserver.ResponseEnd && (o.err == nil || !o.err.Timeout() || o.took != readTimeout) {
		t.Errorf("ended after %v with %v, want the time limit", o.took, o.err)
	}
	ofStream := []string{"refused stream", "stall", "wait", "other settings", "refused connections", "ignored connections"}
	if !http1 && slices.Contains(ofStream, effect) && (m != mockserver.RequestStart || effect != "stall") && o.nextOn != 0 {
		t.Errorf("the next call was on connection %d, although the fault was of one stream", o.nextOn)
	}
	if http1 && o.err != nil && o.nextOn == 0 {
		t.Error("a connection was used again after a failure")
	}
	if early := o.err != nil && o.err.Phase == okhttp.PhaseTLS; early && (o.err.Sent || m != mockserver.RequestStart || count("ConnectionAcquired") > 0) {
		t.Errorf("a handshake that failed at %v had sent the request, %v: %v", m, o.err.Sent, o.events)
	}
}
