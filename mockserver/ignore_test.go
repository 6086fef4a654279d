package mockserver_test

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okio"
)

// TestIgnore has a server that neither takes nor refuses connections, on both kinds of network.
func TestIgnore(t *testing.T) {
	for name, opts := range map[string][]mockserver.Option{"TCP": nil, "memory": {mockserver.WithNetwork(new(okio.Network))}} {
		t.Run(name, func(t *testing.T) {
			if name == "TCP" && runtime.GOOS != "linux" {
				if err := mockserver.New(t).Ignore(); !errors.Is(err, errors.ErrUnsupported) {
					t.Errorf("ignoring: %v", err)
				}
				return
			}
			s := mockserver.New(t, append(opts, mockserver.WithDispatcher(answer(mockserver.Reply(200))))...)
			old := dial(t, s)
			old.send(get)
			old.want("HTTP/1.1 200 OK·Content-Length: 0··")
			take(t, s)
			for round := range 2 {
				for range 2 {
					if err := s.Ignore(); err != nil {
						t.Fatal(err)
					}
				}
				ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
				if _, err := s.DialContext(ctx, "tcp", ""); !isTimeout(err) {
					t.Errorf("connecting: %v, want silence", err)
				}
				cancel()
				old.send(get)
				old.want("HTTP/1.1 200 OK·Content-Length: 0··")
				take(t, s)
				if round == 1 { // out of it by way of a refusal
					if err := s.Refuse(); err != nil {
						t.Fatal(err)
					}
				}
				if err := s.Resume(); err != nil {
					t.Fatal(err)
				}
				w := dial(t, s)
				w.send(get)
				w.want("HTTP/1.1 200 OK·Content-Length: 0··")
				if r := take(t, s); r.Index != 0 {
					t.Errorf("recorded %v", r)
				}
			}
			if err := s.Ignore(); err != nil {
				t.Fatal(err)
			}
			if err := s.Close(); err != nil {
				t.Errorf("closing while connections are ignored: %v", err)
			}
			if err := s.Ignore(); !errors.Is(err, mockserver.ErrClosed) {
				t.Errorf("ignoring at the end: %v", err)
			}
		})
	}
	if err := mockserver.NewUnstarted(t).Ignore(); !errors.Is(err, mockserver.ErrNotStarted) {
		t.Errorf("ignoring before the start: %v", err)
	}
}

// TestIgnoreAsAnEffect: a client runs into its time limit for connecting, waits, and gets through.
func TestIgnoreAsAnEffect(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := memory(t)
		s.Enqueue(mockserver.Reply(200).UntilClose().On(mockserver.ResponseStart, mockserver.IgnoreConnections{For: time.Minute}), mockserver.Reply(200).Text("back"))
		client := s.Client(okhttp.WithConnectTimeout(10*time.Second), okhttp.WithReadTimeout(0))
		defer client.Close()
		if _, err := get1(t, client, s.URL("/")); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		begun := time.Now()
		_, err := get1(t, client, s.URL("/"))
		var failed *okhttp.Error
		if !errors.As(err, &failed) || failed.Phase != okhttp.PhaseConnect || !failed.Timeout() || failed.Sent || time.Since(begun) != 10*time.Second {
			t.Errorf("ended after %v with %v", time.Since(begun), err)
		}
		if text, err := get1(t, client.With(okhttp.WithConnectTimeout(time.Hour)), s.URL("/")); text != "back" || err != nil || time.Since(begun) != time.Minute {
			t.Errorf("got %q after %v, %v", text, time.Since(begun), err)
		}
		take(t, s)
		if r := take(t, s); r.Index != 0 || r.ConnIndex != 1 {
			t.Errorf("recorded %v", r)
		}
	})
}
