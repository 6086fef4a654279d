package faults

import (
	"crypto/x509"
	"errors"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp/http2"
	"github.com/okhttp-go/ok/okio"
)

// What listeners are told of a call without tries that ends well, or in a phase.
const (
	toldWhole = "ConnectionAcquired ResponseHeadersEnd ResponseBodyEnd ConnectionReleased CallEnd"
	toldHead  = "ConnectionAcquired ResponseFailed Retry=false ConnectionReleased CallFailed"
	toldBody  = "ConnectionAcquired ResponseHeadersEnd ResponseFailed ConnectionReleased CallFailed"
	toldTLS   = "ConnectFailed Retry=false CallFailed"
	toldAgain = "ConnectionAcquired ResponseFailed Retry=true ConnectionReleased " + toldWhole
)

var toldIn = map[okhttp.Phase]string{"": toldWhole, okhttp.PhaseTLS: toldTLS, okhttp.PhaseResponseHeaders: toldHead, okhttp.PhaseResponseBody: toldBody}

// TestFraming: responses whose framing is wrong.
func TestFraming(t *testing.T) {
	text := mockserver.Reply(200).Text("abcdef")
	for _, tt := range []struct {
		name    string
		version string
		script  mockserver.Response
		phase   okhttp.Phase
		kind    string
		body    int
		nextOn  int
	}{
		{"a chunk that is none", "HTTP/1.1", text.Chunked(4).MalformedChunk(), okhttp.PhaseResponseBody, "malformed", 6, 1},
		{"a frame that is none", "HTTP/2", text.MalformedChunk(), okhttp.PhaseResponseBody, "connection error PROTOCOL_ERROR", 6, 1},
		{"too short", "HTTP/1.1", text.WrongLength(4).On(mockserver.ResponseEnd, mockserver.CloseSocket{}), okhttp.PhaseResponseBody, "early end", 6, 1},
		{"too short, and open", "HTTP/1.1", text.WrongLength(4), okhttp.PhaseResponseBody, "timeout", 6, 1},
		{"too short", "HTTP/2", text.WrongLength(4), okhttp.PhaseResponseBody, "stream error PROTOCOL_ERROR", 6, 0},
		{"too long", "HTTP/1.1", text.WrongLength(-4), "", "none", 2, 1},
		{"too long", "HTTP/2", text.WrongLength(-4), okhttp.PhaseResponseBody, "stream error PROTOCOL_ERROR", 0, 0},
		{"cut after a chunk", "HTTP/1.1", text.Chunked(4).OnChunk(1, mockserver.CloseSocket{}), okhttp.PhaseResponseBody, "early end", 4, 1},
		{"cut after a frame", "HTTP/2", text.Chunked(4).OnChunk(1, mockserver.CloseStream{Code: http2.Cancel}), okhttp.PhaseResponseBody, "stream reset CANCEL", 4, 1},
		{"a status line that is none", "HTTP/1.1", text.Raw([]byte("HTTP/1.1 OK\r\n\r\n")), okhttp.PhaseResponseHeaders, "malformed", 0, 1},
		{"an injected header", "HTTP/1.1", text.AddHeaderRaw("A", "b\r\nc d"), okhttp.PhaseResponseHeaders, "malformed", 0, 1},
		{"a header that is forbidden", "HTTP/2", text.AddHeaderRaw("A", "b\r\nc"), okhttp.PhaseResponseHeaders, "stream error PROTOCOL_ERROR", 0, 0},
		{"nothing at all", "HTTP/1.1", text.Raw(nil).On(mockserver.ResponseEnd, mockserver.CloseSocket{}), okhttp.PhaseResponseHeaders, "early end", 0, 1},
		{"a head too slow", "HTTP/1.1", text.SlowHead(1, readTimeout+time.Second), okhttp.PhaseResponseHeaders, "timeout", 0, 1},
		{"a body too slow", "HTTP/1.1", text.Dribble(3, 2*(readTimeout+time.Second)), okhttp.PhaseResponseBody, "timeout", 2, 1},
		{"a body too slow", "HTTP/2", text.Dribble(3, 2*(readTimeout+time.Second)), okhttp.PhaseResponseBody, "timeout", 2, 0},
		{"slow, and in time", "HTTP/1.1", text.Dribble(6, 5*(readTimeout-time.Second)).SlowHead(9, readTimeout-time.Second), "", "none", 6, 0},
		{"slow, and in time", "HTTP/2", text.Dribble(6, 5*(readTimeout-time.Second)), "", "none", 6, 0},
		{"the end too late", "HTTP/1.1", text.Chunked().TrailersDelay(readTimeout + time.Second), okhttp.PhaseResponseBody, "timeout", 6, 1},
		{"the end too late", "HTTP/2", text.Chunked().TrailersDelay(readTimeout + time.Second), okhttp.PhaseResponseBody, "timeout", 6, 0},
	} {
		t.Run(tt.name+" over "+tt.version, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := meet(t, tt.version, tt.script)
				phase := okhttp.Phase("")
				var err error
				if o.err != nil {
					phase, err = o.err.Phase, o.err
				}
				if phase != tt.phase || kind(err) != tt.kind || o.body != tt.body || o.nextOn != tt.nextOn || o.next != nil {
					t.Errorf("%v (%v)\nwant %s in %s after %d bytes, next on connection %d", o, err, tt.kind, tt.phase, tt.body, tt.nextOn)
				}
				if told := strings.Join(o.events, " "); told != toldIn[tt.phase] {
					t.Errorf("told %s\nwant %s", told, toldIn[tt.phase])
				}
			})
		})
	}
}

// TestRetries: what the client does again by itself, and what not.
func TestRetries(t *testing.T) {
	refusing := mockserver.Reply(200).On(mockserver.RequestHead, mockserver.CloseStream{Code: http2.RefusedStream})
	leaving := mockserver.Reply(200).On(mockserver.ResponseStart, mockserver.GoAway{Refuse: true})
	for _, tt := range []struct {
		name    string
		version string
		scripts []mockserver.Response // each is for a call
		fails   string                // the kind of what the last call fails with
		told    []string              // by call
		on      []int                 // the connections of the requests, those that could not be read among them, and of a request after them
	}{
		{"a refused stream of a used connection", "HTTP/2", []mockserver.Response{mockserver.Reply(200), refusing}, "none", []string{toldWhole, toldAgain}, []int{0, 0, 0, 0}},
		{"a goodbye that refuses, on a used connection", "HTTP/2", []mockserver.Response{mockserver.Reply(200), leaving}, "none", []string{toldWhole, toldAgain}, []int{0, 0, 1, 1}},
		{"a goodbye that refuses, on a new connection", "HTTP/2", []mockserver.Response{leaving}, "none", []string{toldAgain}, []int{0, 1, 1}},
		{"a call that is said goodbye to each time, and the next", "HTTP/2", []mockserver.Response{leaving, leaving}, "none", []string{strings.Replace(toldAgain, toldWhole, toldHead, 1), toldWhole}, []int{0, 1, 2, 2}},
		{"a refused stream of a new connection", "HTTP/2", []mockserver.Response{refusing}, "none", []string{toldAgain}, []int{0, 0, 0}},
		{"a call whose streams are refused, and the next", "HTTP/2", []mockserver.Response{refusing, refusing}, "none", []string{strings.Replace(toldAgain, toldWhole, toldHead, 1), toldWhole}, []int{0, 0, 1, 1}},
		{"an error of the server", "HTTP/2", []mockserver.Response{mockserver.Reply(200).On(mockserver.ResponseStart, mockserver.CloseStream{Code: http2.InternalError})}, "stream reset INTERNAL_ERROR", []string{toldHead}, []int{0, 1}},
		{"a new connection that ends", "HTTP/1.1", []mockserver.Response{mockserver.Reply(200).On(mockserver.ResponseStart, mockserver.CloseSocket{})}, "early end", []string{toldHead}, []int{0, 1}},
		{"a connection that ended when it was idle", "HTTP/1.1", []mockserver.Response{mockserver.Reply(200).On(mockserver.ResponseEnd, mockserver.CloseSocket{}), mockserver.Reply(200)}, "none", []string{toldWhole, toldAgain}, []int{0, 1, 1}},
		{"a body that is cut", "HTTP/1.1", []mockserver.Response{mockserver.Reply(200).Text("abcd").On(mockserver.ResponseBody, mockserver.CloseSocket{})}, "early end", []string{toldBody}, []int{0, 1}},
	} {
		t.Run(tt.name+" over "+tt.version, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := mockserver.New(t, append(versions[tt.version], mockserver.WithNetwork(new(okio.Network)))...)
				defer s.Close()
				s.Enqueue(tt.scripts...)
				s.Enqueue(mockserver.Reply(200).Text("ok"), mockserver.Reply(200).Text("ok"))
				listened := new(events)
				client := s.Client(okhttp.WithEventListener(listened.listen))
				defer client.Close()
				get := func() error {
					resp, err := client.Get(t.Context(), s.URL("/"))
					if err == nil {
						_, err = resp.Body.Text()
					}
					synctest.Wait() // until what comes after the response is there
					return err
				}
				var err error
				for i := range tt.scripts {
					err = get()
					// A write to what has ended fails or not, by chance; the read after it does.
					told := strings.Join(slices.DeleteFunc(listened.take(), func(e string) bool { return e == "RequestFailed" }), " ")
					if told != tt.told[i] {
						t.Errorf("of call %d was told %s\nwant %s", i, told, tt.told[i])
					}
				}
				if kind(err) != tt.fails {
					t.Errorf("ended with %v (%s), want %s", err, kind(err), tt.fails)
				}
				if err := get(); err != nil {
					t.Errorf("the call after it ended with %v", err)
				}
				var on []int
				for r, ok := s.TryTakeRequest(); ok; r, ok = s.TryTakeRequest() {
					on = append(on, r.ConnIndex)
				}
				if !slices.Equal(on, tt.on) {
					t.Errorf("the requests came on connections %v, want %v", on, tt.on)
				}
			})
		})
	}
}

// TestRefusedConnections: a server that is down, and comes back.
func TestRefusedConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := mockserver.New(t, mockserver.WithNetwork(new(okio.Network)))
		defer s.Close()
		s.Enqueue(mockserver.Reply(503).On(mockserver.ResponseEnd, mockserver.Sequence(mockserver.RefuseConnections{For: time.Minute}, mockserver.CloseSocket{})), mockserver.Reply(200))
		pool := okhttp.NewConnectionPool(okhttp.PoolConfig{})
		told := new(events)
		client := s.Client(okhttp.WithPool(pool), okhttp.WithEventListener(told.listen))
		defer client.Close()
		wantTold := func(when, want string) {
			if got := strings.Join(told.take(), " "); got != want {
				t.Errorf("%s it was told %s\nwant %s", when, got, want)
			}
		}
		get := func() (int, error) {
			resp, err := client.Get(t.Context(), s.URL("/"))
			if err != nil {
				return 0, err
			}
			_, err = resp.Body.Text()
			return resp.Status, err
		}
		if status, err := get(); status != 503 || err != nil {
			t.Fatalf("got %d, %v", status, err)
		}
		synctest.Wait()
		wantTold("before", toldWhole)
		pool.EvictAll()
		_, err := get()
		var failed *okhttp.Error
		if !errors.As(err, &failed) || failed.Phase != okhttp.PhaseConnect || failed.Sent || !errors.Is(err, syscall.ECONNREFUSED) {
			t.Errorf("while it is down: %v", err)
		}
		wantTold("while it is down", "ConnectFailed Retry=false CallFailed")
		if stats := pool.Stats(); stats != (okhttp.PoolStats{}) {
			t.Errorf("while it is down the pool has %+v", stats)
		}
		time.Sleep(time.Minute + time.Second)
		if status, err := get(); status != 200 || err != nil {
			t.Errorf("when it is back: %d, %v", status, err)
		}
		wantTold("when it is back", toldWhole)
		for conn := range 2 { // each on one of its own
			if r, ok := s.TryTakeRequest(); !ok || r.ConnIndex != conn {
				t.Errorf("the request was %v", r)
			}
		}
	})
}

// TestTLSFaults: handshakes and records that fail.
func TestTLSFaults(t *testing.T) {
	handshake := func(e mockserver.Effect) mockserver.Response {
		return mockserver.Reply(200).On(mockserver.RequestStart, e)
	}
	for _, tt := range []struct {
		name   string
		script mockserver.Response
		phase  okhttp.Phase
		is     func(error) bool
	}{
		{"no handshake", handshake(mockserver.FailHandshake{}), okhttp.PhaseTLS, func(err error) bool { return strings.Contains(err.Error(), "remote error: tls") }},
		{"expired", handshake(mockserver.BadCertificate{Fault: mockserver.Expired}), okhttp.PhaseTLS, func(err error) bool { return errors.As(err, new(x509.CertificateInvalidError)) }},
		{"not yet valid", handshake(mockserver.BadCertificate{Fault: mockserver.NotYetValid}), okhttp.PhaseTLS, func(err error) bool { return errors.As(err, new(x509.CertificateInvalidError)) }},
		{"another host", handshake(mockserver.BadCertificate{Fault: mockserver.WrongHost}), okhttp.PhaseTLS, func(err error) bool {
			return errors.As(err, new(x509.HostnameError)) || errors.As(err, new(*okhttp.HostnameError))
		}},
		{"an authority nobody knows", handshake(mockserver.BadCertificate{Fault: mockserver.UnknownAuthority}), okhttp.PhaseTLS, func(err error) bool { return errors.As(err, new(x509.UnknownAuthorityError)) }},
		{"a record that is cut", mockserver.Reply(200).On(mockserver.ResponseStart, mockserver.PartialRecord{}), okhttp.PhaseResponseHeaders, func(err error) bool { return kind(err) == "early end" }},
		{"closed at once", handshake(mockserver.CloseSocket{}), okhttp.PhaseTLS, func(err error) bool { return true }},
		{"silence after the handshake", handshake(mockserver.Stall{}), okhttp.PhaseResponseHeaders, func(err error) bool { return isTimeout(err) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := mockserver.New(t, mockserver.WithLocalhostTLS(), mockserver.WithProtocols(okhttp.HTTP1Only), mockserver.WithNetwork(new(okio.Network)))
				defer s.Close()
				s.Enqueue(tt.script, mockserver.Reply(200).Text("next"))
				told := new(events)
				client := s.Client(okhttp.WithReadTimeout(readTimeout), okhttp.WithRetryOnConnectionFailure(false), okhttp.WithEventListener(told.listen))
				defer client.Close()
				resp, err := client.Get(t.Context(), s.URL("/"))
				if err == nil {
					_, err = resp.Body.Text()
				}
				var failed *okhttp.Error
				if !errors.As(err, &failed) || failed.Phase != tt.phase || !tt.is(err) {
					t.Errorf("failed with %v", err)
				}
				if list := strings.Join(told.take(), " "); list != toldIn[tt.phase] {
					t.Errorf("told %s\nwant %s", list, toldIn[tt.phase])
				}
				if failed != nil && failed.Sent != (tt.phase != okhttp.PhaseTLS) {
					t.Errorf("sent %v", failed.Sent)
				}
				if _, err := s.TakeRequest(t.Context()); err != nil {
					t.Error(err)
				}
				resp, err = client.Get(t.Context(), s.URL("/"))
				if err != nil {
					t.Fatalf("the next call: %v", err)
				}
				if text, err := resp.Body.Text(); text != "next" || err != nil {
					t.Errorf("the next response was %q, %v", text, err)
				}
				if r, err := s.TakeRequest(t.Context()); err != nil || r.ConnIndex != 1 {
					t.Errorf("the next request was %v, %v", r, err)
				}
			})
		})
	}
}
