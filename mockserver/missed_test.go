package mockserver_test

import (
	"context"
	"strings"
	"testing"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/mockserver/match"
	"github.com/okhttp-go/ok/mockserver/route"
	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp/http2"
	"github.com/okhttp-go/ok/okio"
)

// TestMissed has faults that find no moment in an exchange: its request says so, and the test of a strict server fails.
func TestMissed(t *testing.T) {
	ok, reset := mockserver.Reply(200), mockserver.Reset{}
	const post = "POST / HTTP/1.1·Content-Length: 4··abcd"
	const early = ": it has to be enqueued by then, or known to a Peeker or Decider"
	settings := mockserver.SendSettings{Settings: []http2.Setting{{ID: http2.SettingMaxFrameSize, Value: 1 << 15}}}
	unpeeked := func(r mockserver.Response) mockserver.Dispatcher { return answer(r) }
	for _, tt := range []struct {
		name       string
		script     []mockserver.Response
		dispatcher mockserver.Dispatcher // in place of script, if not nil
		requests   []string              // on one connection of HTTP/1.1; none is GET over HTTP/2
		want       string                // of the last request; "" for nothing
	}{
		{"body of GET", []mockserver.Response{ok.On(mockserver.RequestBody, reset)}, nil, []string{get},
			"Reset at RequestBody of the response 200 did not strike: the request has no content"},
		{"body of GET over HTTP/2", []mockserver.Response{ok.On(mockserver.RequestBody, reset)}, nil, nil,
			"Reset at RequestBody of the response 200 did not strike: the request has no content"},
		{"half of a chunked body", []mockserver.Response{ok.On(mockserver.RequestBody, reset)}, nil, []string{"POST / HTTP/1.1·Transfer-Encoding: chunked··1·a·0··"},
			"the request has no Content-Length, and so no half: OnBytes takes a number"},
		{"more bytes than there are", []mockserver.Response{ok.OnBytes(mockserver.RequestBody, 9, reset)}, nil, []string{post},
			"the content of the request has 4 bytes, and it is due after 9"},
		{"all bytes there are", []mockserver.Response{ok.OnBytes(mockserver.RequestBody, 4, mockserver.Wait{})}, nil, []string{post}, ""},
		{"body that a handler reads", []mockserver.Response{ok.Socket(echo).On(mockserver.RequestBody, reset)}, nil, []string{"POST / HTTP/1.1·Content-Length: 0··"},
			"the content of the request is not read before the response"},
		{"start of a later request", []mockserver.Response{ok, ok.On(mockserver.RequestStart, reset)}, nil, []string{get, get},
			"Reset at RequestStart of the response 200 did not strike: the connection was accepted before, this is its request 1"},
		{"start, without a Peeker", nil, unpeeked(ok.On(mockserver.RequestStart, reset)), []string{get}, "the response was not known when the connection was accepted" + early},
		{"head, without a Peeker", nil, unpeeked(ok.On(mockserver.RequestHead, reset)), []string{get}, "Reset at RequestHead of the response 200 did not strike: the response was not known when the head of the request was read" + early},
		{"stream at its start, without a Peeker", nil, unpeeked(ok.On(mockserver.RequestStart, mockserver.CloseStream{})), []string{get}, "CloseStream at RequestStart of the response 200 did not strike: the response was not known when the head"},
		{"stream at its start by chance, without a Peeker", nil, unpeeked(ok.On(mockserver.RequestStart, mockserver.Sequence(mockserver.Wait{}, mockserver.Sometimes{Effect: mockserver.CloseStream{}}))), []string{get}, "Wait at RequestStart of the response 200 did not strike: the response was not known when the head"},
		{"stream at its start by chance", []mockserver.Response{ok.On(mockserver.RequestStart, mockserver.Sequence(mockserver.Wait{}, mockserver.Sometimes{Effect: mockserver.CloseStream{}})).On(mockserver.RequestHead, mockserver.Wait{})}, nil, []string{get}, ""},
		{"body, without a Peeker", nil, unpeeked(ok.On(mockserver.RequestBody, reset)), []string{post}, "the response was not known when the head of the request was read" + early},
		{"goodbye over HTTP/1.1", []mockserver.Response{ok.On(mockserver.ResponseStart, mockserver.GoAway{})}, nil, []string{get}, "GoAway at ResponseStart of the response 200 did not strike: there is no such thing in HTTP/1.1"},
		{"settings and goodbye over HTTP/1.1", []mockserver.Response{ok.On(mockserver.ResponseEnd, mockserver.Sequence(settings, mockserver.Wait{}, mockserver.GoAway{}))}, nil, []string{get}, "SendSettings, GoAway at ResponseEnd"},
		{"goodbye over HTTP/2", []mockserver.Response{ok.On(mockserver.ResponseStart, mockserver.GoAway{})}, nil, nil, ""},
		{"push over HTTP/1.1", []mockserver.Response{ok.Push("GET", "/a?token=s3cret", ok)}, nil, []string{get}, "Push(GET /a?token="},
		{"settings of a response over HTTP/1.1", []mockserver.Response{ok.Settings(settings.Settings...)}, nil, []string{get}, "Settings of the response 200 did not strike: there is no such thing in HTTP/1.1"},
		{"settings of a response over HTTP/2", []mockserver.Response{ok.Settings(settings.Settings...)}, nil, nil, ""},
		{"never, by chance", []mockserver.Response{ok.On(mockserver.ResponseStart, mockserver.Sometimes{Probability: 0, Effect: reset})}, nil, []string{get}, ""},
		{"chosen, without its moment", []mockserver.Response{ok.On(mockserver.RequestBody, mockserver.Sometimes{Probability: 1, Effect: reset})}, nil, []string{get}, ""},
		{"each second time", []mockserver.Response{ok.On(mockserver.RequestBody, mockserver.EveryNth(2, reset))}, nil, []string{get}, ""},
		{"each moment", []mockserver.Response{ok.On(mockserver.RequestStart, mockserver.Wait{}).On(mockserver.RequestHead, mockserver.Wait{}).On(mockserver.RequestBody, mockserver.Wait{}).
			On(mockserver.ResponseStart, mockserver.Wait{}).On(mockserver.ResponseBody, mockserver.Wait{}).On(mockserver.ResponseEnd, mockserver.Wait{})}, nil, []string{post}, ""},
		{"start of a route", nil, route.New(route.Route{Match: match.Connection(0), Responses: []mockserver.Response{ok.On(mockserver.RequestStart, mockserver.Wait{})}}), []string{get, get}, ""},
		{"a route that strikes once", nil, route.New(route.Route{Responses: []mockserver.Response{ok.On(mockserver.RequestBody, mockserver.Wait{})}}), []string{post, get}, ""},
		{"a script that is enqueued twice strikes once", twice(ok.On(mockserver.RequestBody, mockserver.Wait{})), nil, []string{post, get}, "the request has no content"},
		{"a certificate without TLS", []mockserver.Response{ok.On(mockserver.RequestStart, mockserver.BadCertificate{})}, nil, []string{get}, "-BadCertificate at RequestStart did not strike: the server has no TLS; on connection 0"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tb := newCleaned(t)
			s := mockserver.New(tb, mockserver.Strict(), mockserver.WithNetwork(new(okio.Network)), mockserver.WithProtocols(okhttp.HTTP2PriorKnowledge), mockserver.WithDispatcher(tt.dispatcher))
			if tt.dispatcher == nil {
				s.Enqueue(tt.script...)
			}
			if tt.requests == nil {
				c := dial2(t, s)
				c.want(c.open("GET", "/", ""), []string{":status 200 content-length 0"}, "")
			} else {
				w := dial(t, s)
				for i, request := range tt.requests {
					w.send(request)
					if tt.name == "body that a handler reads" {
						w.want("HTTP/1.1 200 OK·Transfer-encoding: chunked··0··")
					} else {
						w.want("HTTP/1.1 200 OK·Content-Length: 0··")
					}
					if _, err := s.AwaitRequests(t.Context(), match.All(), i+1); err != nil {
						t.Fatal(err)
					}
				}
			}
			requests := s.Requests()
			want, inJournal := strings.CutPrefix(tt.want, "-")
			inJournal = !inJournal && want != ""
			if said := strings.Join(requests[len(requests)-1].Missed, "; "); strings.Contains(said, want) != inJournal && want != "" || want == "" && said != "" {
				t.Errorf("the request says %q, want %q", said, want)
			}
			tb.end()
			got := tb.take()
			if (got != "") != (want != "") || !strings.Contains(got, want) || want != "" && !strings.Contains(got, "mockserver: 1 scripted fault never struck: ") {
				t.Errorf("failed with %q, want %q", got, want)
			}
			if strings.Contains(got, "s3cret") {
				t.Errorf("shows a secret: %s", got)
			}
		})
	}
}

func twice(r mockserver.Response) []mockserver.Response { return []mockserver.Response{r, r} }

// TestMissedPush is of a client that wants none.
func TestMissedPush(t *testing.T) {
	tb := newCleaned(t)
	s := mockserver.New(tb, mockserver.Strict(), mockserver.WithNetwork(new(okio.Network)), mockserver.WithProtocols(okhttp.HTTP2PriorKnowledge))
	s.Enqueue(mockserver.Reply(200).Push("GET", "/a", mockserver.Reply(200)))
	client := s.Client()
	resp, err := client.Get(context.Background(), s.URL("/"))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	client.Close()
	take(t, s)
	tb.end()
	if got := tb.take(); !strings.Contains(got, "1 scripted fault never struck: Push(GET /a) of the response 200 did not happen: ") {
		t.Errorf("failed with %q", got)
	}
}

// TestCannotStrike has scripts that say by themselves that an effect cannot strike.
func TestCannotStrike(t *testing.T) {
	ok, reset, wait := mockserver.Reply(200), mockserver.Reset{}, mockserver.Wait{}
	for _, tt := range []struct {
		name   string
		script mockserver.Response
		want   string // "" for nothing
	}{
		{"after an end", ok.On(mockserver.ResponseStart, reset).On(mockserver.ResponseEnd, wait), "an effect at ResponseEnd cannot strike: the one at ResponseStart ends the exchange"},
		{"after an end at the start", ok.On(mockserver.RequestStart, mockserver.Stall{}).On(mockserver.RequestHead, wait), "an effect at RequestHead cannot strike: the one at RequestStart"},
		{"after an end by chance", ok.On(mockserver.ResponseStart, mockserver.First(1, reset)).On(mockserver.ResponseEnd, wait), ""},
		{"after an end over HTTP/2", ok.On(mockserver.ResponseStart, mockserver.GoAway{Refuse: true}).On(mockserver.ResponseEnd, wait), ""},
		{"after an end that may not come", ok.On(mockserver.RequestBody, reset).On(mockserver.ResponseEnd, reset), ""},
		{"after a wait", ok.On(mockserver.ResponseStart, mockserver.WaitBetween{}).On(mockserver.ResponseEnd, reset), ""},
		{"body that is skipped", ok.On(mockserver.RequestBody, reset).SkipRequestBody(), "an effect at RequestBody cannot strike: SkipRequestBody"},
		{"malformed chunk", ok.MalformedChunk().On(mockserver.ResponseEnd, reset), "an effect at ResponseEnd cannot strike: MalformedChunk"},
		{"pushed", ok.Push("GET", "/", ok.On(mockserver.RequestHead, reset)), "an effect at RequestHead cannot strike: no request is read"},
	} {
		if err := tt.script.Err(); (err != nil) != (tt.want != "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
}

// TestStartsConnection tells the effects on connections from those on requests.
func TestStartsConnection(t *testing.T) {
	closing := mockserver.CloseStream{}
	for e, want := range map[mockserver.Effect]bool{
		nil: false, mockserver.Reset{}: true, mockserver.Sometimes{Effect: mockserver.Reset{}}: true, mockserver.EveryNth(2, mockserver.Stall{}): true,
		closing: false, mockserver.Sometimes{Effect: closing}: false, mockserver.First(1, mockserver.Sequence(mockserver.Wait{}, closing)): false,
	} {
		if got := mockserver.Reply(200).On(mockserver.RequestStart, e).StartsConnection(); got != want {
			t.Errorf("%v: %v", e, got)
		}
	}
	if mockserver.Reply(200).On(mockserver.RequestHead, mockserver.Reset{}).StartsConnection() {
		t.Error("an effect at RequestHead")
	}
}
