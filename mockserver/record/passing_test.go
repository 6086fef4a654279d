package record_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/mockserver/record"
)

// open asks and returns the response once its head is there.
func (p *pair) open(path string, headers ...string) *http.Response {
	p.t.Helper()
	transport := &http.Transport{DialContext: p.server.DialContext, DisableCompression: true}
	p.t.Cleanup(transport.CloseIdleConnections)
	req, err := http.NewRequestWithContext(p.t.Context(), "GET", "http://here"+path, nil)
	if err != nil {
		p.t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Add(headers[i], headers[i+1])
	}
	resp, err := transport.RoundTrip(req)
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { resp.Body.Close() })
	return resp
}

// Each piece of a body reaches the client before the origin has the next one: the test gives it out.
func TestBodiesPassAsTheyCome(t *testing.T) {
	for _, tt := range []struct {
		name   string
		length int64
	}{{"of unknown length", -1}, {"of known length", 12}} {
		t.Run(tt.name, func(t *testing.T) {
			from, to := io.Pipe()
			p := recording(t, mockserver.DispatcherFunc(func(context.Context, *mockserver.Request) mockserver.Response {
				return mockserver.Reply(200).Header("Content-Type", "text/event-stream").Stream(tt.length, func() (io.ReadCloser, error) { return from, nil })
			}), record.Config{})
			resp := p.open("/")
			for _, event := range []string{"data: 1\n\n", "a\n\n"} {
				got := make([]byte, len(event))
				go io.WriteString(to, event)
				if _, err := io.ReadFull(resp.Body, got); err != nil || string(got) != event {
					t.Fatalf("got %q, %v", got, err)
				}
			}
			to.Close()
			if rest, err := io.ReadAll(resp.Body); len(rest) != 0 || err != nil {
				t.Errorf("then %q, %v", rest, err)
			}
			if stubs := p.recorder.Stubs(); len(stubs) != 1 || *stubs[0].Responses[0].Body != "data: 1\n\na\n\n" {
				t.Errorf("recorded %+v, skipped %q", stubs, p.recorder.Skipped())
			}
			if got := p.ask("GET", "/", ""); got != "200 OK||data: 1\n\na\n\n" || p.origin.RequestCount() != 1 {
				t.Errorf("replayed %q after %d requests to the origin", got, p.origin.RequestCount())
			}
		})
	}
}

func TestTrailersPass(t *testing.T) {
	p := recording(t, mockserver.DispatcherFunc(func(context.Context, *mockserver.Request) mockserver.Response {
		return mockserver.Reply(200).Text("x").Chunked().Trailer("T", "t")
	}), record.Config{})
	for _, from := range []string{"origin", "record"} {
		resp := p.open("/")
		if text, err := io.ReadAll(resp.Body); string(text) != "x" || err != nil || resp.Trailer.Get("T") != "t" {
			t.Errorf("%s: %q, %v, trailers %v", from, text, err, resp.Trailer)
		}
	}
	if n := p.origin.RequestCount(); n != 1 {
		t.Errorf("the origin was asked %d times", n)
	}
}

func TestUpgrades(t *testing.T) {
	p := recording(t, mockserver.DispatcherFunc(func(_ context.Context, r *mockserver.Request) mockserver.Response {
		return mockserver.Reply(200).Text("plain")
	}), record.Config{})
	for _, tt := range []struct{ connection, upgrade, want string }{
		{"Upgrade", "websocket", "501 Not Implemented||a recorder forwards requests and responses, and no upgrade to \"websocket\"\n"},
		{"keep-alive, upgrade", "h2c, WebSocket", "501 Not Implemented||a recorder forwards requests and responses, and no upgrade to \"WebSocket\"\n"},
		{"Upgrade, HTTP2-Settings", "h2c", "200 OK||plain"}, // an offer
		{"keep-alive", "websocket", "200 OK||plain"},        // not one of this connection
	} {
		if got := p.ask("GET", "/"+strings.ReplaceAll(tt.upgrade, ", ", "-")+"?token=s3cr3t", "", "Connection", tt.connection, "Upgrade", tt.upgrade); got != tt.want {
			t.Errorf("%s, %s: got %q, want %q", tt.connection, tt.upgrade, got, tt.want)
		}
	}
	if got := p.recorder.Skipped(); len(got) != 2 || got[0] != `GET /websocket: an upgrade to "websocket" is neither forwarded nor recorded` {
		t.Errorf("skipped %q", got)
	}
}
