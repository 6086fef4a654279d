package mockserver_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp/http2"
)

// TestEffectsThatGoOn puts each at each moment and has the exchange end well.
func TestEffectsThatGoOn(t *testing.T) {
	effects := map[string]struct {
		effect mockserver.Effect
		takes  time.Duration
	}{
		"wait":     {mockserver.Wait{For: time.Minute}, time.Minute},
		"nothing":  {mockserver.Sequence(), 0},
		"goodbye":  {mockserver.GoAway{Code: http2.NoError}, 0},
		"settings": {mockserver.SendSettings{Settings: []http2.Setting{{ID: http2.SettingMaxConcurrentStreams, Value: 9}}}, 0},
		"several":  {mockserver.Sequence(mockserver.Wait{For: time.Second}, mockserver.WaitBetween{Min: 2 * time.Second, Max: 2 * time.Second}), 3 * time.Second},
		"never":    {mockserver.Sometimes{Probability: 0, Effect: mockserver.Reset{}}, 0},
		"refusal":  {mockserver.RefuseConnections{For: time.Minute}, 0},
		"silence":  {mockserver.IgnoreConnections{For: time.Minute}, 0},
	}
	for name, e := range effects {
		for _, m := range []mockserver.Moment{mockserver.RequestStart, mockserver.RequestHead, mockserver.RequestBody, mockserver.ResponseStart, mockserver.ResponseBody, mockserver.ResponseEnd} {
			if m == mockserver.RequestStart && (name == "goodbye" || name == "settings") { // when there is no HTTP/2
				continue
			}
			for _, version := range []string{"HTTP/1.1", "HTTP/2"} {
				t.Run(name+" at "+m.String()+" over "+version, func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						s := cleartext(t)
						s.Enqueue(mockserver.Reply(200).Text("hello").On(m, e.effect))
						begun := time.Now()
						if version == "HTTP/2" {
							c := dial2(t, s)
							st := c.open("POST", "/", "abcd", "content-length", "4")
							st.SetLimits(0, 0, time.Time{})
							c.want(st, []string{":status 200 content-length 5"}, "hello")
						} else {
							w := dial(t, s)
							w.conn.SetReadDeadline(time.Time{})
							w.send("POST / HTTP/1.1·Content-Length: 4··abcd")
							want := lines("HTTP/1.1 200 OK·Content-Length: 5··hello")
							got := make([]byte, len(want))
							if _, err := io.ReadFull(w.conn, got); string(got) != want {
								t.Errorf("got %q, %v", got, err)
							}
						}
						takes := e.takes
						if m == mockserver.ResponseEnd {
							takes = 0
						}
						if d := time.Since(begun); d != takes {
							t.Errorf("took %v, want %v", d, takes)
						}
						if r := take(t, s); string(r.Body) != "abcd" || r.Failure != nil {
							t.Errorf("recorded %v", r)
						}
						if name == "refusal" {
							synctest.Wait()
							if _, err := s.DialContext(t.Context(), "tcp", ""); !errors.Is(err, syscall.ECONNREFUSED) {
								t.Errorf("connecting: %v", err)
							}
							time.Sleep(time.Minute + time.Second)
							dial(t, s)
						}
					})
				})
			}
		}
	}
}

// TestEffectsOfBytes looks at what is on the wire.
func TestEffectsOfBytes(t *testing.T) {
	hello := mockserver.Reply(200).Text("hello")
	for _, tt := range []struct {
		name   string
		script mockserver.Response
		want   string
		ended  bool
	}{
		{"write before", hello.On(mockserver.ResponseStart, mockserver.Write{Bytes: []byte("junk")}), "junkHTTP/1.1 200 OK·Content-Length: 5··hello", false},
		{"write within", hello.On(mockserver.ResponseBody, mockserver.Write{Bytes: []byte("--")}), "HTTP/1.1 200 OK·Content-Length: 5··he--llo", false},
		{"write after", hello.On(mockserver.ResponseEnd, mockserver.Write{Bytes: []byte("late")}), "HTTP/1.1 200 OK·Content-Length: 5··hellolate", false},
		{"write and close", hello.On(mockserver.ResponseStart, mockserver.Sequence(mockserver.Write{Bytes: []byte("HTTP/1.1 2")}, mockserver.Sometimes{Probability: 1, Effect: mockserver.CloseSocket{}}, mockserver.Write{Bytes: []byte("never")})), "HTTP/1.1 2", true},
		{"write at the head", hello.On(mockserver.RequestHead, mockserver.Write{Bytes: []byte("early")}), "earlyHTTP/1.1 200 OK·Content-Length: 5··hello", false},
		{"partial record without TLS", hello.On(mockserver.ResponseStart, mockserver.PartialRecord{}), "", true},
		{"no handshake without TLS", hello.On(mockserver.RequestStart, mockserver.FailHandshake{}), "", true},
		{"no certificate without TLS", hello.On(mockserver.RequestStart, mockserver.BadCertificate{Fault: mockserver.Expired}), "HTTP/1.1 200 OK·Content-Length: 5··hello", false},
		{"one byte", mockserver.Reply(200).Text("x").On(mockserver.ResponseBody, mockserver.CloseSocket{}), "HTTP/1.1 200 OK·Content-Length: 1··", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := memory(t)
				s.Enqueue(tt.script)
				w := dial(t, s)
				if tt.want != "" || tt.name == "partial record without TLS" {
					w.send(get)
				}
				w.want(tt.want)
				if tt.ended {
					w.wantEnd()
				} else {
					w.wantSilence(time.Minute)
				}
			})
		})
	}
}

// TestGarbage is of the seed, at each moment, over both versions.
func TestGarbage(t *testing.T) {
	got := map[uint64]string{}
	for _, seed := range []uint64{1, 1, 2} {
		s := memory(t, mockserver.WithSeed(seed))
		s.Enqueue(mockserver.Reply(200).On(mockserver.ResponseStart, mockserver.Garbage{Bytes: 1000}))
		w := dial(t, s)
		w.send(get)
		all, err := io.ReadAll(w.conn)
		if len(all) != 1000 || err != nil {
			t.Fatalf("got %d bytes, %v", len(all), err)
		}
		if before, ok := got[seed]; ok && before != string(all) {
			t.Error("one seed gave two kinds of garbage")
		}
		got[seed] = string(all)
	}
	if got[1] == got[2] {
		t.Error("two seeds gave the same garbage")
	}
	s := cleartext(t)
	s.Enqueue(mockserver.Reply(200).On(mockserver.ResponseStart, mockserver.Garbage{Bytes: 1000}))
	c := dial2(t, s)
	if _, _, _, err := reply(c.open("GET", "/", "")); err == nil {
		t.Error("garbage was taken for a response")
	}
}

// outcomes sends requests on connections of their own, and tells which of them were answered.
func outcomes(t *testing.T, n int, r mockserver.Response, opts ...mockserver.Option) string {
	t.Helper()
	s := memory(t, append(opts, mockserver.WithDispatcher(answer(r)))...)
	var list strings.Builder
	for range n {
		w := dial(t, s)
		w.send(get)
		one := make([]byte, 1)
		if n, _ := w.conn.Read(one); n == 1 {
			list.WriteByte('.')
		} else {
			list.WriteByte('x')
		}
		w.conn.Close()
	}
	return list.String()
}

func TestChoices(t *testing.T) {
	on := func(e mockserver.Effect) mockserver.Response {
		return mockserver.Reply(200).On(mockserver.ResponseStart, e)
	}
	for _, tt := range []struct {
		name   string
		effect mockserver.Effect
		want   string
	}{
		{"every third", mockserver.EveryNth(3, mockserver.CloseSocket{}), "..x..x..x"},
		{"every one", mockserver.EveryNth(1, mockserver.CloseSocket{}), "xxxxxxxxx"},
		{"the first two", mockserver.First(2, mockserver.CloseSocket{}), "xx......."},
		{"surely", mockserver.Sometimes{Probability: 1, Effect: mockserver.CloseSocket{}}, "xxxxxxxxx"},
		{"every second of the first five", mockserver.EveryNth(2, mockserver.First(2, mockserver.CloseSocket{})), ".x.x....."},
	} {
		if got := outcomes(t, 9, on(tt.effect)); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
	some := on(mockserver.Sometimes{Probability: 0.3, Effect: mockserver.CloseSocket{}})
	a, b, c := outcomes(t, 100, some, mockserver.WithSeed(7)), outcomes(t, 100, some, mockserver.WithSeed(7)), outcomes(t, 100, some, mockserver.WithSeed(8))
	if a != b || a == c {
		t.Errorf("seed 7: %s\nagain:  %s\nseed 8: %s", a, b, c)
	}
	if n := strings.Count(a, "x"); n < 15 || n > 45 {
		t.Errorf("%d of 100 failed, at a probability of 0.3", n)
	}
}

// TestChoiceAtTheStart: an effect that does not happen leaves its response alone.
func TestChoiceAtTheStart(t *testing.T) {
	s := memory(t)
	s.Enqueue(mockserver.Reply(200).Text("kept").On(mockserver.RequestStart, mockserver.Sometimes{Probability: 0, Effect: mockserver.CloseSocket{}}))
	w := dial(t, s)
	w.send(get)
	w.want("HTTP/1.1 200 OK·Content-Length: 4··kept")
	if take(t, s); s.RequestCount() != 1 {
		t.Errorf("%d requests", s.RequestCount())
	}
	closes := answer(mockserver.Reply(200).On(mockserver.RequestStart, mockserver.EveryNth(2, mockserver.CloseSocket{})))
	s = memory(t, mockserver.WithDispatcher(peeker{closes.Dispatch, func(r *mockserver.Request) mockserver.Response { return closes.Dispatch(t.Context(), r) }}))
	for i, want := range []int{1, 0, 1, 0} {
		w := dial(t, s)
		if want == 1 {
			w.send(get)
		}
		if n, _ := w.conn.Read(make([]byte, 1)); n != want {
			t.Errorf("connection %d: %d bytes", i, n)
		}
	}
}

func TestWrongEffects(t *testing.T) {
	for _, tt := range []struct {
		moment mockserver.Moment
		effect mockserver.Effect
		want   string
	}{
		{mockserver.ResponseStart, mockserver.FailHandshake{}, "mockserver.FailHandshake at ResponseStart: expected RequestStart"},
		{mockserver.RequestBody, mockserver.Sequence(mockserver.Wait{}, mockserver.BadCertificate{}), "expected RequestStart"},
		{mockserver.ResponseEnd, mockserver.Sometimes{Probability: 1.5, Effect: mockserver.Stall{}}, "probability of 1.5: expected 0 to 1"},
		{mockserver.ResponseEnd, mockserver.Sometimes{Probability: 0.5}, "nil"},
		{mockserver.ResponseEnd, mockserver.EveryNth(0, mockserver.Stall{}), "with 0: expected at least 1"},
		{mockserver.ResponseEnd, mockserver.WaitBetween{Min: 2, Max: 1}, "expected the first to be the less"},
		{mockserver.ResponseEnd, mockserver.WaitLogNormal{Median: -1}, "negative"},
		{mockserver.ResponseEnd, mockserver.Garbage{Bytes: -1}, "expected a number of bytes"},
		{mockserver.RequestStart, mockserver.GoAway{}, "mockserver.GoAway at RequestStart, when there is no HTTP/2 yet: expected RequestHead or later"},
		{mockserver.RequestStart, mockserver.First(2, mockserver.SendSettings{}), "SendSettings at RequestStart"},
		{mockserver.RequestStart, mockserver.Sequence(mockserver.First(1, mockserver.CloseStream{}), mockserver.FailHandshake{}), "FailHandshake with CloseStream at RequestStart: expected effects on the connection, or on its requests"},
		{mockserver.ResponseStart, mockserver.Sequence(mockserver.CloseSocket{}, mockserver.Wait{}), "a Sequence with CloseSocket before another effect"},
		{mockserver.ResponseStart, mockserver.Sequence(mockserver.Sequence(mockserver.Wait{}, mockserver.Reset{}), mockserver.Wait{}), "a Sequence with Wait, Reset before another effect"},
		{mockserver.RequestStart, mockserver.Sequence(mockserver.BadCertificate{}, mockserver.Wait{}), "a Sequence with BadCertificate before another effect: expected it last"},
		{mockserver.RequestStart, mockserver.Sequence(mockserver.First(1, mockserver.FailHandshake{}), mockserver.Wait{}), "a Sequence with FailHandshake before another effect: expected it last"},
	} {
		if err := mockserver.Reply(200).On(tt.moment, tt.effect).Err(); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%#v: %v, want %s", tt.effect, err, tt.want)
		}
	}
}

func TestLogNormalWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := memory(t, mockserver.WithDispatcher(answer(mockserver.Reply(200).On(mockserver.ResponseStart, mockserver.WaitLogNormal{Median: time.Second, Sigma: 0.5}))))
		w := dial(t, s)
		below := 0
		for range 200 {
			begun := time.Now()
			w.send(get)
			w.conn.SetReadDeadline(time.Time{})
			io.ReadFull(w.conn, make([]byte, len(lines("HTTP/1.1 200 OK·Content-Length: 0··"))))
			d := time.Since(begun)
			if d < time.Second {
				below++
			}
			if d < time.Second/10 || d > 10*time.Second {
				t.Errorf("waited %v", d)
			}
		}
		if below < 75 || below > 125 {
			t.Errorf("%d of 200 were below the median", below)
		}
	})
}

// TestHTTP2Control: what a server can say about the connection in the middle of an exchange.
func TestHTTP2Control(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := cleartext(t)
		s.Enqueue(
			mockserver.Reply(200).On(mockserver.RequestHead, mockserver.SendSettings{Settings: []http2.Setting{{ID: http2.SettingMaxConcurrentStreams, Value: 3}}}),
			mockserver.Reply(200).Text("last").On(mockserver.ResponseBody, mockserver.GoAway{Code: http2.EnhanceYourCalm, Debug: "slower"}),
			mockserver.Reply(200).On(mockserver.ResponseStart, mockserver.GoAway{Refuse: true}))
		c := dial2(t, s)
		c.want(c.open("GET", "/", ""), []string{":status 200 content-length 0"}, "")
		if n := c.conn.MaxStreams(); n != 3 {
			t.Errorf("%d streams are allowed", n)
		}
		c.want(c.open("GET", "/", ""), []string{":status 200 content-length 4"}, "last")
		var goodbye *http2.GoAwayError
		if err := c.conn.Closing(); !errors.As(err, &goodbye) || goodbye.Code != http2.EnhanceYourCalm || goodbye.Debug != `"slower"` || goodbye.LastStream != 5 {
			t.Errorf("closing: %v", err)
		}
		c = dial2(t, s)
		if _, _, _, err := reply(c.open("GET", "/", "")); !errors.As(err, &goodbye) || goodbye.LastStream != 1 {
			t.Errorf("refused with %v", err)
		}
	})
}

func TestHandshakesThatFail(t *testing.T) {
	s := mockserver.New(t, mockserver.WithLocalhostTLS())
	shake := func(config *tls.Config) (*tls.Conn, error) {
		conn, err := s.DialContext(t.Context(), "tcp", "")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		config.ServerName = "localhost"
		c := tls.Client(conn, config)
		return c, c.Handshake()
	}
	s.Enqueue(mockserver.Reply(200).On(mockserver.RequestStart, mockserver.FailHandshake{}))
	if _, err := shake(s.ClientTLSConfig()); err == nil || !strings.Contains(err.Error(), "remote error: tls") {
		t.Errorf("failed with %v, want an alert", err)
	}
	faults := map[mockserver.CertificateFault]func(error) bool{
		mockserver.Expired: func(err error) bool {
			e := (x509.CertificateInvalidError{})
			return errors.As(err, &e) && e.Reason == x509.Expired
		},
		mockserver.NotYetValid: func(err error) bool {
			e := (x509.CertificateInvalidError{})
			return errors.As(err, &e) && e.Reason == x509.Expired
		},
		mockserver.WrongHost:        func(err error) bool { return errors.As(err, new(x509.HostnameError)) },
		mockserver.UnknownAuthority: func(err error) bool { return errors.As(err, new(x509.UnknownAuthorityError)) },
	}
	for fault, is := range faults {
		s.Enqueue(mockserver.Reply(200).On(mockserver.RequestStart, mockserver.BadCertificate{Fault: fault}))
		if _, err := shake(s.ClientTLSConfig()); !is(err) {
			t.Errorf("%v: failed with %v", fault, err)
		}
	}
	for range 1 + len(faults) {
		if r := take(t, s); r.RequestLine() != "GET / HTTP/1.1" || r.Index != 0 {
			t.Errorf("recorded %v", r)
		}
	}
	if n := s.Queue().Len(); n != 0 {
		t.Errorf("%d responses are left", n)
	}
	// Who takes any certificate gets the response.
	s.Enqueue(mockserver.Reply(200).Text("hi").On(mockserver.RequestStart, mockserver.BadCertificate{Fault: mockserver.Expired}))
	c, err := shake(&tls.Config{InsecureSkipVerify: true})
	if err != nil {
		t.Fatal(err)
	}
	w := wired(t, c)
	w.send(get)
	w.want("HTTP/1.1 200 OK·Content-Length: 2··hi")
	// A whole server can have one, and a record can be cut.
	bad := mockserver.New(t, mockserver.WithBadCertificate(mockserver.WrongHost))
	client := bad.Client(okhttp.WithRetryOnConnectionFailure(false))
	if _, err := client.Get(context.Background(), bad.URL("/")); !errors.As(err, new(x509.HostnameError)) {
		t.Errorf("failed with %v", err)
	}
	s.Enqueue(mockserver.Reply(200).On(mockserver.ResponseStart, mockserver.PartialRecord{}))
	c, err = shake(s.ClientTLSConfig())
	if err != nil {
		t.Fatal(err)
	}
	w = wired(t, c)
	w.send(get)
	if _, err := w.conn.Read(make([]byte, 1)); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("ended with %v, want an end within a record", err)
	}
}
