package examples

import (
	"context"
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
	"github.com/okhttp-go/ok/okio"
)

// #region strict
func TestStrictShop(t *testing.T) {
	server := mockserver.New(t, mockserver.Strict(), mockserver.WithLocalhostTLS("shop.test"))
	server.Enqueue(mockserver.Reply(200).Text("open"))

	client := server.Client() // reaches the server under any name, and trusts its certificate
	resp, err := client.Get(t.Context(), "https://shop.test/")
	if err != nil {
		t.Fatal(err)
	}
	if text, err := resp.Body.Text(); text != "open" || err != nil {
		t.Errorf("the shop is %q, %v", text, err)
	}
	r, err := server.TakeRequest(t.Context())
	if err != nil || r.TLS.ServerName != "shop.test" || r.Proto != "HTTP/2" {
		t.Errorf("the request was %v, %v", r, err)
	}
}

// #endregion strict

func TestServerLife(t *testing.T) {
	server := mockserver.New(t)
	client := server.Client(okhttp.WithPool(okhttp.NewConnectionPool(okhttp.PoolConfig{})))
	// #region refuse
	if err := server.Refuse(); err != nil { // the server is down …
		t.Fatal(err)
	}
	_, err := client.Get(t.Context(), server.URL("/"))
	if !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("failed with %v, want a refusal", err)
	}
	if err := server.Resume(); err != nil { // … and comes back, at the same port
		t.Fatal(err)
	}
	// #endregion refuse
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if err := server.Shutdown(ctx); err != nil {
		t.Error(err)
	}
}

func TestProxyRole(t *testing.T) {
	// #region proxy
	proxy := mockserver.New(t, mockserver.WithLocalhostTLS("origin.test"), mockserver.WithHTTPProxy("user", "secret"))
	proxy.Enqueue(mockserver.Reply(200).Text("through the tunnel"))

	through, err := okhttp.ParseProxy(strings.Replace(proxy.ProxyURL(), "http://", "http://user:secret@", 1))
	if err != nil {
		t.Fatal(err)
	}
	client := okhttp.New(okhttp.WithProxy(through), okhttp.WithTLSConfig(proxy.ClientTLSConfig()))
	defer client.Close()
	resp, err := client.Get(t.Context(), "https://origin.test/")
	// #endregion proxy
	if err != nil {
		t.Fatal(err)
	}
	if text, err := resp.Body.Text(); text != "through the tunnel" || err != nil {
		t.Errorf("got %q, %v", text, err)
	}
	for range 2 { // CONNECT, maybe twice because of the 407, and the request within
		r, err := proxy.TakeRequest(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if r.Method == "GET" && r.Tunnel != "origin.test:443" {
			t.Errorf("the request was %+v", r)
		}
	}
}

func TestSlowResponses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := mockserver.New(t, mockserver.WithNetwork(new(okio.Network)))
		defer server.Close()
		// #region slow
		server.Enqueue(mockserver.Reply(200).
			InformationalAfter(time.Second, 103, "Link", "</style.css>; rel=preload").
			HeadDelay(time.Second).
			Text("a response that trickles").
			Dribble(5, 8*time.Second))
		// #endregion slow
		client := server.Client()
		defer client.Close()
		begun := time.Now()
		resp, err := client.Get(t.Context(), server.URL("/"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadAll(resp.Body); err != nil || time.Since(begun) != 10*time.Second {
			t.Errorf("read after %v, %v", time.Since(begun), err)
		}
		resp.Body.Close()
	})
}

func TestSocketHandler(t *testing.T) {
	server := mockserver.New(t)
	// #region socket
	server.Enqueue(mockserver.Upgrade("echo", mockserver.SocketHandlerFunc(
		func(_ context.Context, _ *mockserver.Request, s okio.Socket) {
			source, sink := okio.NewBufferedSource(s.Source()), okio.NewBufferedSink(s.Sink())
			for {
				line, err := source.ReadLine()
				if err != nil {
					return // the socket is closed
				}
				sink.WriteString("you said " + line + "\n")
				if sink.Flush() != nil {
					return
				}
			}
		})))
	// #endregion socket
	conn, err := server.DialContext(t.Context(), "tcp", "")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	io.WriteString(conn, "GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\nhello\n")
	want := "you said hello\n"
	got := make([]byte, len("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n")+len(want))
	if _, err := io.ReadFull(conn, got); err != nil || !strings.HasSuffix(string(got), want) {
		t.Errorf("got %q, %v", got, err)
	}
}

// #region choices
// unreliable is a server in trouble, in the same way each time the test runs.
var unreliable = mockserver.Reply(200).Text("pong").
	On(mockserver.RequestStart, mockserver.EveryNth(10, mockserver.Reset{})).
	On(mockserver.ResponseStart, mockserver.Sequence(
		mockserver.WaitLogNormal{Median: 20 * time.Millisecond, Sigma: 0.5},
		mockserver.Sometimes{Probability: 0.1, Effect: mockserver.CloseStream{Code: http2.EnhanceYourCalm}})).
	On(mockserver.ResponseBody, mockserver.First(2, mockserver.CloseSocket{}))

// #endregion choices

func TestChoicesOfEffects(t *testing.T) {
	if err := unreliable.Err(); err != nil {
		t.Error(err)
	}
}
