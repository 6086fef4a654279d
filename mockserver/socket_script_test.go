package mockserver_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp/http2"
	"github.com/okhttp-go/ok/okio"
)

func script() *mockserver.SocketScript { return new(mockserver.SocketScript) }

// talker is a client's side of a socket: what it does in turns with a script.
type talker struct {
	t    *testing.T
	say  func(text string)
	hear func(text string)
	end  func() // of what it sends
	gone func() // breaks off
}

// talks opens an exchange that is served by a script, in each way that there is.
var talks = map[string]func(t *testing.T, s *mockserver.Server, k *mockserver.SocketScript) talker{
	"upgrade": func(t *testing.T, s *mockserver.Server, k *mockserver.SocketScript) talker {
		s.Enqueue(mockserver.Upgrade("echo", k))
		w := dial(t, s)
		w.send("GET / HTTP/1.1·Host: a·Connection: Upgrade·Upgrade: echo··")
		w.want("HTTP/1.1 101 Switching Protocols·Connection: Upgrade·Upgrade: echo··")
		return raw(t, w)
	},
	"CONNECT": func(t *testing.T, s *mockserver.Server, k *mockserver.SocketScript) talker {
		s.Enqueue(mockserver.Reply(200).Socket(k))
		w := dial(t, s)
		w.send("CONNECT a:80 HTTP/1.1··")
		w.want("HTTP/1.1 200 OK··")
		return raw(t, w)
	},
	"HTTP/2": func(t *testing.T, s *mockserver.Server, k *mockserver.SocketScript) talker {
		s.Enqueue(mockserver.Reply(200).Socket(k))
		c := dial2(t, s)
		st, err := c.conn.Open(http2.RequestHead{Method: "POST", Path: "/", Authority: "a", Scheme: "http"}, nil, false)
		if err != nil {
			t.Fatal(err)
		}
		c.conn.Flush()
		if _, _, err := st.ReadHead(); err != nil {
			t.Fatal(err)
		}
		sink, source := okio.NewBufferedSink(st.Socket().Sink()), okio.NewBufferedSource(st.Socket().Source())
		return talker{t, func(text string) {
			sink.WriteString(text)
			if err := sink.Flush(); err != nil {
				t.Error(err)
			}
		}, func(text string) {
			if got, err := source.ReadText(int64(len(text))); got != text {
				t.Errorf("heard %q, %v, want %q", got, err, text)
			}
		}, func() { sink.Close() }, func() { st.Cancel(http2.Cancel, errors.New("enough")) }}
	},
}

// raw talks over a connection.
func raw(t *testing.T, w *wire) talker {
	w.conn.SetReadDeadline(time.Time{})
	return talker{t, func(text string) { io.WriteString(w.conn, text) }, func(text string) {
		got := make([]byte, len(text))
		if _, err := io.ReadFull(w.conn, got); string(got) != text {
			t.Errorf("heard %q, %v, want %q", got, err, text)
		}
	}, func() { w.conn.(interface{ CloseWrite() error }).CloseWrite() }, func() { w.conn.Close() }}
}

func TestSocketScripts(t *testing.T) {
	for _, tt := range []struct {
		name   string
		script func() *mockserver.SocketScript
		talk   func(c talker)
		want   string // that Wait fails with; "" for nothing
	}{
		{"nothing", script, func(talker) {}, ""},
		{"in turns", func() *mockserver.SocketScript {
			return script().Send("hello\n").Expect("a\n").Send("1\n").Sleep(time.Minute).Expect("b\n").Expect("c\n").Send("2\n").ExpectEnd().Send("3").End()
		}, func(c talker) {
			c.hear("hello\n")
			c.say("a\n")
			c.hear("1\n")
			time.Sleep(2 * time.Minute)
			c.say("b\nc")
			synctest.Wait()
			c.say("\n")
			c.hear("2\n")
			c.end()
			c.hear("3")
		}, ""},
		{"something else", func() *mockserver.SocketScript { return script().Expect("abc").Expect("def").Send("x") }, func(c talker) { c.say("abcdx") },
			`mockserver: socket script: step 1, Expect("def"): got "dx"`},
		{"too little", func() *mockserver.SocketScript { return script().Expect("abc") }, func(c talker) {
			c.say("a")
			c.end()
		}, `mockserver: socket script: step 0, Expect("abc"): got "a", and then EOF`},
		{"more", func() *mockserver.SocketScript { return script().Expect("a").ExpectEnd() }, func(c talker) { c.say("abc") },
			`mockserver: socket script: step 1, ExpectEnd: got more: "bc"`},
		{"no error, but the end", func() *mockserver.SocketScript { return script().ExpectError() }, func(c talker) { c.end() }, "step 0, ExpectError: got EOF"},
		{"no error, but more", func() *mockserver.SocketScript { return script().ExpectError() }, func(c talker) { c.say("x") }, `step 0, ExpectError: got more: "x"`},
		{"cancel", func() *mockserver.SocketScript { return script().Expect("a").Cancel() }, func(c talker) { c.say("a") }, ""},
		{"send after the end", func() *mockserver.SocketScript { return script().Expect("a").End().Send("late") }, func(c talker) { c.say("a") }, `step 2, Send("late"): `},
		{"long", func() *mockserver.SocketScript { return script().Expect(strings.Repeat("x", 300)) }, func(c talker) { c.say(strings.Repeat("y", 200)) }, `xxx" and 200 bytes more): got "yyy`},
	} {
		for way, open := range talks {
			t.Run(tt.name+", "+way, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s := quiet(t)
					k := tt.script()
					tt.talk(open(t, s, k))
					err := k.Wait(t.Context())
					if (err != nil) != (tt.want != "") || err != nil && !strings.Contains(err.Error(), tt.want) {
						t.Errorf("ended with %v, want %q", err, tt.want)
					}
				})
			})
		}
	}
}

// quiet is a server without a test that it could fail.
func quiet(t *testing.T) *mockserver.Server {
	s, err := mockserver.Start(mockserver.WithNetwork(new(okio.Network)), mockserver.WithProtocols(okhttp.HTTP2PriorKnowledge))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// TestSocketScriptExpectsErrors of content that breaks off, over both versions.
func TestSocketScriptExpectsErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := quiet(t)
		k := script().Expect("a").ExpectError()
		c := talks["HTTP/2"](t, s, k)
		c.say("a")
		c.gone()
		if err := k.Wait(t.Context()); err != nil {
			t.Error(err)
		}
		k = script().Expect("a").ExpectError()
		s.Enqueue(mockserver.Reply(200).Socket(k))
		w := dial(t, s)
		w.send("POST / HTTP/1.1·Content-Length: 5··a")
		w.want("HTTP/1.1 200 OK·Transfer-encoding: chunked··")
		w.conn.Close()
		if err := k.Wait(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// TestSocketScriptWaits says what it waits for.
func TestSocketScriptWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := quiet(t)
		k := script().Send("x").Expect("hello")
		begun := time.Now()
		wait := func(ctx context.Context, want string) {
			t.Helper()
			if err := k.Wait(ctx); err == nil || err.Error() != want {
				t.Errorf("waited with %v\nwant %s", err, want)
			}
		}
		wait(t.Context(), "mockserver: socket script: no exchange has come to it: context deadline exceeded")
		if d := time.Since(begun); d != 5*time.Second {
			t.Errorf("waited for %v", d)
		}
		talks["HTTP/2"](t, s, k).say("hel")
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, errors.New("enough"))
		defer cancel()
		wait(ctx, `mockserver: socket script: step 1, Expect("hello"): got "hel" so far: enough`)
		s.Close()
		wait(t.Context(), `mockserver: socket script: step 1, Expect("hello"): mockserver: server closed`)
	})
}

// TestSocketScriptFailsItsTest, and is for one exchange.
func TestSocketScriptFailsItsTest(t *testing.T) {
	tb := newCleaned(t)
	s := mockserver.New(tb, mockserver.WithNetwork(new(okio.Network)))
	k := script().Expect("a")
	s.Enqueue(mockserver.Upgrade("x", k), mockserver.Upgrade("x", k))
	for _, want := range []string{`socket script: step 0, Expect("a"): got "b"; in answer to GET / HTTP/1.1 (connection 0,`, "a SocketScript is for one exchange, and got a second one; in answer to GET / HTTP/1.1 (connection 1,"} {
		w := dial(t, s)
		w.send("GET / HTTP/1.1·Connection: Upgrade·Upgrade: x··")
		if strings.Contains(want, "step 0") { // the second is broken off at once
			w.want("HTTP/1.1 101 Switching Protocols·Connection: Upgrade·Upgrade: x··")
		}
		_, _ = io.WriteString(w.conn, "b") // which nobody may be there for any more
		_, _ = io.ReadAll(w.conn)          // until it is broken off
		if got := tb.take(); !strings.Contains(got, want) {
			t.Errorf("failed with %q, want %q", got, want)
		}
	}
	tb.end()
	if err := k.Wait(t.Context()); err == nil || !strings.HasSuffix(err.Error(), `got "b"`) {
		t.Error(err)
	}
}
