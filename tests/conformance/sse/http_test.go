package sse

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp-sse"
	"github.com/okhttp-go/ok/okio"
)

type httpCase struct {
	ID, Expect, Source string
	ContentType        *string
	Status             int
}

// play is a mock server and a client in a bubble, and what a stream of the client saw.
type play struct {
	t      *testing.T
	server *mockserver.Server
	client *okhttp.Client
	events []string
	opens  int
	err    error
}

func inPlay(t *testing.T, test func(p *play)) {
	t.Helper()
	for _, version := range []okhttp.Protocols{okhttp.HTTP1Only, okhttp.HTTP2PriorKnowledge} {
		synctest.Test(t, func(t *testing.T) {
			server, err := mockserver.Start(mockserver.WithNetwork(new(okio.Network)), mockserver.WithProtocols(version))
			if err != nil {
				t.Fatal(err)
			}
			defer server.Close()
			client := server.Client(okhttp.WithProtocols(version))
			defer client.Close()
			test(&play{t: t, server: server, client: client})
		})
	}
}

// follow reads a stream until it ends for good.
func (p *play) follow(cfg oksse.Config) {
	p.t.Helper()
	req, err := okhttp.NewRequest("GET", p.server.URL("/"))
	if err != nil {
		p.t.Fatal(err)
	}
	cfg.OnOpen = func(*okhttp.Response) { p.opens++ }
	ctx, cancel := context.WithTimeout(p.t.Context(), time.Hour)
	defer cancel()
	for e, err := range oksse.NewStream(p.client, req, &cfg).Events(ctx) {
		if err != nil {
			p.err = err
			return
		}
		p.events = append(p.events, e.Data)
	}
}

func (p *play) take() *mockserver.Request {
	p.t.Helper()
	r, ok := p.server.TryTakeRequest()
	if !ok {
		p.t.Fatal("no request came")
	}
	return r
}

// ended checks how the stream ended: with which status.
func (p *play) ended(status int) {
	p.t.Helper()
	var refused *oksse.StatusError
	if !errors.As(p.err, &refused) || refused.Status != status {
		p.t.Errorf("error %v, want status %d", p.err, status)
	}
}

func stream(text string) mockserver.Response {
	return mockserver.Reply(200).Header("Content-Type", "text/event-stream").Text(text)
}

var gone = mockserver.Reply(204)

// answered plays a case that says what a server answers.
func answered(p *play, c httpCase) {
	resp := mockserver.Reply(c.Status)
	if c.Status != 204 && c.Status != 205 {
		resp = resp.Text("data: x\n\n")
	}
	if c.ContentType != nil && *c.ContentType != "" {
		resp = resp.Header("Content-Type", *c.ContentType)
	}
	if c.Expect == "follow" {
		p.server.Enqueue(resp.Header("Location", "/other"), stream("data: x\n\n"), gone)
	} else {
		p.server.Enqueue(resp, gone)
	}
	p.follow(oksse.Config{})
	switch c.Expect {
	case "open":
		p.ended(204)
		if p.opens != 1 || fmt.Sprint(p.events) != "[x]" {
			p.t.Errorf("%d opens, events %v", p.opens, p.events)
		}
	case "follow":
		p.ended(204)
		if from, to, again := p.take(), p.take(), p.take(); from.Target != "/" || to.Target != "/other" || again.Target != "/" || fmt.Sprint(p.events) != "[x]" {
			p.t.Errorf("requests for %s, %s, %s; events %v", from.Target, to.Target, again.Target, p.events)
		}
	case "fail":
		if p.opens != 0 || len(p.events) > 0 || p.server.RequestCount() != 1 {
			p.t.Errorf("%d opens, events %v, %d requests", p.opens, p.events, p.server.RequestCount())
		}
		if c.Status != 200 {
			p.ended(c.Status)
		} else if typ := new(*oksse.ContentTypeError); !errors.As(p.err, typ) || (*typ).Got != *c.ContentType {
			p.t.Errorf("error %v", p.err)
		}
	default:
		p.t.Fatalf("no such expectation: %q", c.Expect)
	}
}

// described are the cases that the table describes in words.
var described = map[string]func(*play){
	"accept-header": func(p *play) {
		p.server.Enqueue(gone)
		p.follow(oksse.Config{})
		if got := p.take().Headers.Get("Accept"); got != "text/event-stream" {
			p.t.Errorf("Accept: %s", got)
		}
	},
	"cache-control": func(p *play) {
		p.server.Enqueue(gone)
		p.follow(oksse.Config{})
		if got := p.take().Headers.Get("Cache-Control"); got != "no-store" {
			p.t.Errorf("Cache-Control: %s", got)
		}
	},
	"last-event-id-header": func(p *play) {
		p.server.Enqueue(stream("id: …\ndata: a\n\n"), stream("id\ndata: b\n\n"), gone)
		p.follow(oksse.Config{})
		for _, want := range []string{"", "\xe2\x80\xa6", ""} {
			got, has := p.take().Headers.Last("Last-Event-ID")
			if got != want || has != (want != "") {
				p.t.Errorf("Last-Event-ID: %q, %v; want %q", got, has, want)
			}
		}
	},
	"reconnect": func(p *play) {
		p.server.Enqueue(stream("retry: 1200\ndata: a\n\n"), stream("data: b\n\n"), gone)
		start := time.Now()
		p.follow(oksse.Config{})
		if took := time.Since(start); fmt.Sprint(p.events) != "[a b]" || took < 2400*time.Millisecond || took > 2410*time.Millisecond {
			p.t.Errorf("events %v in %v", p.events, took)
		}
		p.ended(204)
	},
	"reconnect-fail-204": func(p *play) {
		p.server.Enqueue(stream("data: a\n\n"), gone, stream("data: b\n\n"))
		p.follow(oksse.Config{})
		p.ended(204)
		if fmt.Sprint(p.events) != "[a]" || p.server.RequestCount() != 2 {
			p.t.Errorf("events %v, %d requests", p.events, p.server.RequestCount())
		}
	},
}

// Every expectation of what a client does with a server's answers holds, over both versions of HTTP.
func TestHTTP(t *testing.T) {
	cases := load[httpCase](t, "testdata/sse-http-cases.json")
	if len(cases) != 22 {
		t.Errorf("%d cases, want 22", len(cases))
	}
	right := 0
	for _, c := range cases {
		ok := t.Run(c.ID, func(t *testing.T) {
			inPlay(t, func(p *play) {
				if f := described[c.ID]; f != nil {
					f(p)
				} else {
					answered(p, c)
				}
			})
		})
		if ok {
			right++
		}
	}
	t.Logf("%d of %d", right, len(cases))
}
