package okhttp

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/okhttp-go/ok/okhttp/http2"
)

// which answers with the number of the connection and that of the stream on it.
func which(s *stream2) { s.answer(200, fmt.Sprint(s.peer.n, ".", s.n)) }

// all executes several GETs at the same time and returns what they got, sorted.
func (w *world) all(n int, url string) []string {
	var calls sync.WaitGroup
	got := make([]string, n)
	for i := range n {
		calls.Go(func() {
			text, err := w.get(url)
			if err != nil {
				text = err.Error()
			}
			got[i] = text
		})
	}
	calls.Wait()
	slices.Sort(got)
	return got
}

func wantAll(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Fact 60: calls that race to connect end on one connection, and the surplus is closed.
func TestHTTP2RacingCalls(t *testing.T) {
	for round := range 20 {
		bothWays(t, func(t *testing.T, w *world, config *tls.Config, url string) {
			log := new(poolLog)
			w.client.cfg.pool.listener = log.listener()
			w.serve2("server.test", "10.0.0.1", config, slices.Repeat([]func(*peer2){streams(func(s *stream2) {
				time.Sleep(time.Second)
				s.answer(200, "x")
			})}, 5)...)
			wantAll(t, w.all(5, url), "200 x", "200 x", "200 x", "200 x", "200 x")
			w.wantPool(1, 1, 0)
			var opened, closed, acquired []string
			for _, line := range log.all() {
				f := strings.Fields(line)
				switch f[1] {
				case "connectEnd":
					opened = append(opened, f[2])
				case "closed":
					closed = append(closed, f[2])
				case "acquired":
					acquired = append(acquired, f[2])
				}
			}
			if len(closed) != len(opened)-1 || len(acquired) != 5 || len(slices.Compact(acquired)) != 1 {
				t.Errorf("round %d: opened %v, closed %v, acquired %v\n%s", round, opened, closed, acquired, strings.Join(log.all(), "\n"))
			}
		})
	}
}

// Fact 74: a call that finds the limit of streams reached opens another connection.
func TestHTTP2StreamLimit(t *testing.T) {
	bothWays(t, func(t *testing.T, w *world, config *tls.Config, url string) {
		release := make(chan struct{})
		script := streams(func(s *stream2) {
			if s.n > 0 {
				<-release
			}
			which(s)
		})
		w.resolve("server.test", "10.0.0.1")
		port := ":80"
		if config != nil {
			port = ":443"
		}
		w.serve2At("10.0.0.1"+port, config, http2.Config{MaxConcurrentStreams: 2}, script, streams(which))
		w.want("200 0.0")(w.get(url))
		w.wantPool(1, 1, 0)
		for i, want := range []PoolStats{{1, 0, 1}, {1, 0, 2}} {
			_, done := w.enqueue(t.Context(), w.client, url)
			w.wantPool(want.Connections, want.Idle, want.Streams)
			defer func() {
				if o := <-done; o.err != nil || o.text != fmt.Sprint("0.", i+1) {
					t.Errorf("call %d: %+v", i, o)
				}
			}()
		}
		w.events = nil
		w.want("200 1.0")(w.get(url))
		if got := strings.Join(w.events[:3], " "); got != "callStart streamLimit proxySelectStart" {
			t.Errorf("the call began with %s", got)
		}
		w.want("200 1.1")(w.get(url))
		if n := strings.Count(strings.Join(w.events, " "), "streamLimit"); n != 1 {
			t.Errorf("told %d times of the limit", n)
		}
		w.wantPool(2, 1, 2)
		close(release)
	})
}

// Calls that go over a connection before its limit is known find out, and take other connections.
func TestHTTP2LimitLearnedLate(t *testing.T) {
	for _, retry := range []bool{true, false} {
		inWorld2(t, "", func(t *testing.T, w *world, _ *tls.Config) {
			release := make(chan struct{})
			w.resolve("server.test", "10.0.0.1")
			var limited atomic.Bool
			w.serve2At("10.0.0.1:80", nil, http2.Config{}, slices.Repeat([]func(*peer2){func(p *peer2) {
				s := p.accept(0)
				if s == nil {
					return // the calls race to connect
				}
				if limited.CompareAndSwap(false, true) {
					p.limit(1)
					time.Sleep(time.Millisecond)
					close(release)
					time.Sleep(time.Second)
				}
				which(s)
				streams(which)(p)
			}}, 4)...)
			_, first := w.enqueue(t.Context(), w.client, "http://server.test/")
			_, second := w.enqueue(t.Context(), w.client.With(WithNetworkInterceptor(InterceptorFunc(func(ctx context.Context, c Chain) (*Response, error) {
				<-release // it holds a connection, and opens its stream when that is full
				return c.Proceed(ctx, c.Request())
			}))), "http://server.test/")
			for i, done := range []<-chan outcome{first, second} {
				if o := <-done; o.err != nil {
					t.Errorf("call %d: %+v", i, o.err)
				}
			}
			w.holdsNothing()
		}, WithRetryOnConnectionFailure(retry))
	}
}

// Section 8.7: the limit is lowered between a 401 and its answer, which goes over another connection.
func TestHTTP2LimitLoweredBetween(t *testing.T) {
	for _, retry := range []bool{true, false} {
		bothWays(t, func(t *testing.T, w *world, config *tls.Config, url string) {
			asked, lowered, release := make(chan struct{}), make(chan struct{}), make(chan struct{})
			w.serve2("server.test", "10.0.0.1", config, func(p *peer2) {
				first := p.accept(0) // goes on
				second := p.accept(1)
				second.answer(401, "no")
				<-asked
				p.limit(1)
				time.Sleep(time.Millisecond)
				close(lowered)
				<-release
				which(first)
				streams(which)(p)
			}, streams(which))
			_, first := w.enqueue(t.Context(), w.client, url)
			synctest.Wait()
			w.events = nil
			auth := AuthenticatorFunc(func(_ context.Context, _ *Route, resp *Response) (*Request, error) {
				close(asked)
				<-lowered
				return resp.Request().With(Header("Authorization", "x"))
			})
			w.want("200 1.0")(w.get(url, WithAuthenticator(auth)))
			connected := "proxySelectStart proxySelectEnd dnsStart dnsEnd connectStart connectEnd "
			if config != nil {
				connected = "proxySelectStart proxySelectEnd dnsStart dnsEnd connectStart secureConnectStart secureConnectEnd connectEnd "
			}
			w.wantEvents("callStart connectionAcquired " + exchanged + "responseBodyStart responseBodyEnd 2 followUpDecision true connectionReleased streamLimit " + connected +
				"connectionAcquired " + exchanged + "followUpDecision false responseBodyStart responseBodyEnd 3 connectionReleased callEnd")
			w.wantPool(2, 1, 1)
			close(release)
			if o := <-first; o.err != nil || o.text != "0.0" {
				t.Errorf("first %+v", o)
			}
			w.wantPool(2, 2, 0)
		}, WithRetryOnConnectionFailure(retry))
	}
}

// A limit of 0 keeps calls from a connection, not from their server, as long as that lets some through at first.
func TestHTTP2LimitOfNone(t *testing.T) {
	inWorld2(t, "", func(t *testing.T, w *world, _ *tls.Config) {
		script := func(p *peer2) {
			s := p.accept(0)
			which(s)
			p.limit(0)
			streams(which)(p)
		}
		w.serve2("server.test", "10.0.0.1", nil, script, script)
		w.want("200 0.0")(w.get("http://server.test/"))
		time.Sleep(time.Second)
		w.want("200 1.0")(w.get("http://server.test/"))
		time.Sleep(time.Second)
		w.wantPool(2, 2, 0)
	})
}

// A redirect to the same host goes over the same connection, without another acquisition.
func TestHTTP2Redirect(t *testing.T) {
	bothWays(t, func(t *testing.T, w *world, config *tls.Config, url string) {
		w.serve2("server.test", "10.0.0.1", config, inTurn(reply(302, "go", "location", "/b"), which))
		w.want("200 0.1")(w.get(url))
		if got := strings.Join(w.events, " "); strings.Count(got, "connectionAcquired") != 1 || strings.Count(got, "connectStart") != 1 {
			t.Errorf("events %s", got)
		}
		w.wantPool(1, 1, 0)
	})
}

// Fact 69, which has the call fail: a stream that is refused over the only route, on a fresh connection, is tried again over it. The second refusal of
// the connection is the end of it.
func TestHTTP2RefusedOnce(t *testing.T) {
	bothWays(t, func(t *testing.T, w *world, config *tls.Config, url string) {
		w.serve2("server.test", "10.0.0.1", config, inTurn(reset(http2.RefusedStream), which, which, reset(http2.RefusedStream)), streams(which))
		w.want("200 0.1")(w.get(url))
		w.wantPool(1, 1, 0)
		w.want("200 0.2")(w.get(url))
		w.want("200 1.0")(w.get(url)) // the connection came from the pool, so there is another way
		w.wantPool(1, 1, 0)
	})
}

// A server that goes on refusing is left alone. A request that must not be sent twice is: the server has not acted on it. What can be sent once, is.
func TestHTTP2RefusedTwice(t *testing.T) {
	oneShot := func() *Body { return OneShot("", 1, strings.NewReader("y")) }
	text := func() *Body { return Text("y") }
	for name, tt := range map[string]struct {
		body     func() *Body
		no       bool // retries are off
		refusals int  // that the server makes
		asked    int  // requests that it gets
		want     string
	}{
		"once":                {text, false, 1, 2, "200 ok"},
		"twice":               {text, false, 2, 2, "REFUSED_STREAM"},
		"forever":             {text, false, 9, 2, "REFUSED_STREAM"},
		"once, sent once":     {oneShot, false, 1, 1, "REFUSED_STREAM"},
		"once, without leave": {text, true, 1, 1, "REFUSED_STREAM"},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld2(t, "", func(t *testing.T, w *world, _ *tls.Config) {
				asked := 0
				script := streams(func(s *stream2) {
					if asked++; asked <= tt.refusals {
						s.Cancel(http2.RefusedStream, errors.New("refused"))
						return
					}
					s.answer(200, "ok")
				})
				w.serve2("server.test", "10.0.0.1", nil, script, script, script)
				got, err := w.do("POST", "http://server.test/", tt.body(), WithRetryOnConnectionFailure(!tt.no))
				if err != nil {
					got = err.Error()
				}
				if !strings.Contains(got, tt.want) || asked != tt.asked || err != nil && !SafeToRetry(err) {
					t.Errorf("got %s after %d requests, want %s after %d", got, asked, tt.want, tt.asked)
				}
			})
		})
	}
}

// Fact 70: with another address left, the same connection is tried again first, and then the other one.
func TestHTTP2RefusedWithTwoAddresses(t *testing.T) {
	for name, tt := range map[string]struct {
		scripts [][]func(*stream2)
		want    string
	}{
		"once":  {[][]func(*stream2){{reset(http2.RefusedStream), reply(200, "0.1")}}, "200 0.1"},
		"twice": {[][]func(*stream2){{reset(http2.RefusedStream), reset(http2.RefusedStream)}, {reply(200, "1.0")}}, "200 1.0"},
		"three times": {[][]func(*stream2){{reset(http2.RefusedStream), reset(http2.RefusedStream)}, {reset(http2.RefusedStream)}},
			"REFUSED_STREAM"},
		"INTERNAL_ERROR":       {[][]func(*stream2){{reset(http2.InternalError)}, {reply(200, "1.0")}}, "200 1.0"}, // fact 71
		"CANCEL":               {[][]func(*stream2){{reset(http2.Cancel)}, {reply(200, "1.0")}}, "200 1.0"},
		"INTERNAL_ERROR twice": {[][]func(*stream2){{reset(http2.InternalError)}, {reset(http2.InternalError)}}, "INTERNAL_ERROR"},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld2(t, "", func(t *testing.T, w *world, _ *tls.Config) {
				w.resolve("server.test", v4a, v4b)
				var order []string
				for i, addr := range []string{v4a, v4b} {
					var list []func(*stream2)
					if i < len(tt.scripts) {
						for n, script := range tt.scripts[i] {
							list = append(list, func(s *stream2) {
								order = append(order, fmt.Sprint(i, ".", n))
								script(s)
							})
						}
					}
					w.serve2At(addr+":80", nil, http2.Config{}, inTurn(list...))
				}
				got, err := w.get("http://server.test/")
				if err != nil {
					got = err.Error()
				}
				if !strings.Contains(got, tt.want) {
					t.Errorf("got %s, want %s", got, tt.want)
				}
				var want []string
				for i, list := range tt.scripts {
					for n := range list {
						want = append(want, fmt.Sprint(i, ".", n))
					}
				}
				if !slices.Equal(order, want) {
					t.Errorf("order %v, want %v", order, want)
				}
				w.holdsNothing()
			}, WithFastFallback(false))
		})
	}
}

// A POST is not repeated if the server may have acted on it, and is if it says that it did not.
func TestHTTP2RetryOfPOST(t *testing.T) {
	for _, code := range []http2.ErrorCode{http2.RefusedStream, http2.InternalError, http2.Cancel} {
		for _, oneShot := range []bool{false, true} {
			t.Run(fmt.Sprint(code, oneShot), func(t *testing.T) {
				inWorld2(t, "", func(t *testing.T, w *world, _ *tls.Config) {
					w.serve2("server.test", "10.0.0.1", nil, inTurn(which, func(s *stream2) {
						s.text()
						s.Cancel(code, errors.New("x"))
					}, which), streams(which))
					w.want("200 0.0")(w.get("http://server.test/"))
					body := mustBody(t, BodyConfig{Len: 1, OneShot: oneShot, Write: func(_ context.Context, w io.Writer) error {
						_, err := io.WriteString(w, "x")
						return err
					}})
					got, err := w.do("POST", "http://server.test/", body)
					refused := code == http2.RefusedStream
					switch {
					case refused && !oneShot:
						w.want("200 0.2")(got, err)
					case err == nil || SafeToRetry(err) != refused:
						t.Errorf("%s, error %v, safe to retry: %v", got, err, SafeToRetry(err))
					}
					w.holdsNothing()
				})
			})
		}
	}
}

// Fact 75: after a goodbye the connection takes no call, what the server will act on comes to its end, and the rest goes over another connection.
func TestHTTP2GoAway(t *testing.T) {
	bothWays(t, func(t *testing.T, w *world, config *tls.Config, url string) {
		log := new(poolLog)
		w.client.cfg.pool.listener = log.listener()
		w.serve2("server.test", "10.0.0.1", config, func(p *peer2) {
			which(p.accept(0))
			first, second := p.accept(1), p.accept(2)
			second.text()
			p.goAway(first.ID())
			time.Sleep(time.Second)
			which(first)
			p.accept(3)
		}, streams(which))
		w.want("200 0.0")(w.get(url))
		_, first := w.enqueue(t.Context(), w.client, url)
		synctest.Wait()
		oneShot := mustBody(t, BodyConfig{Len: -1, Write: func(_ context.Context, w io.Writer) error { _, err := io.WriteString(w, "x"); return err }})
		_, second := w.enqueue(t.Context(), w.client, url, WithMethod("POST"), WithBody(oneShot))
		if o := <-second; o.err != nil || o.text != "1.0" || o.at > time.Millisecond {
			t.Errorf("second %+v", o)
		}
		w.want("200 1.1")(w.get(url))
		if o := <-first; o.err != nil || o.text != "0.1" || o.at.Round(time.Millisecond) != time.Second {
			t.Errorf("first %+v", o)
		}
		w.wantPool(1, 1, 0)
		lines := strings.Join(log.all(), "\n")
		if strings.Count(lines, "noNewExchanges") != 1 || strings.Count(lines, "closed #1") != 1 {
			t.Errorf("the listener was told\n%s", lines)
		}
	})
}

// A goodbye to a connection that nobody uses closes it.
func TestHTTP2GoAwayWhileIdle(t *testing.T) {
	bothWays(t, func(t *testing.T, w *world, config *tls.Config, url string) {
		w.serve2("server.test", "10.0.0.1", config, func(p *peer2) {
			which(p.accept(0))
			time.Sleep(time.Second)
			p.goAway(3)
			p.accept(1)
		}, func(p *peer2) {
			which(p.accept(0))
			time.Sleep(time.Second) // and closes
		}, streams(which))
		for i := range 3 {
			w.want(fmt.Sprint("200 ", i, ".0"))(w.get(url))
			w.wantPool(1, 1, 0)
			time.Sleep(2 * time.Second)
		}
		w.wantPool(1, 1, 0)
	})
}

// A goodbye that refuses the first stream of a fresh connection ends the call: the server may do that forever.
func TestHTTP2GoAwayAtOnce(t *testing.T) {
	inWorld2(t, "", func(t *testing.T, w *world, _ *tls.Config) {
		refuse := func(p *peer2) {
			p.accept(0)
			p.goAway(0)
			p.accept(1)
		}
		w.serve2("server.test", "10.0.0.1", nil, refuse, refuse, streams(which))
		_, err := w.do("POST", "http://server.test/", Text("x"))
		var away *GoAwayError
		if !errors.As(err, &away) || away.LastStream != 0 || !SafeToRetry(err) {
			t.Errorf("error %v", err)
		}
		w.wantPool(0, 0, 0)
	})
}

// The end of a connection is that of its calls: those that may be repeated are.
func TestHTTP2ConnectionEnds(t *testing.T) {
	bothWays(t, func(t *testing.T, w *world, config *tls.Config, url string) {
		w.serve2("server.test", "10.0.0.1", config, func(p *peer2) {
			which(p.accept(0))
			p.accept(1)
			p.accept(2).text()
			time.Sleep(time.Millisecond)
			p.raw.Close()
		}, streams(which))
		w.want("200 0.0")(w.get(url))
		_, get := w.enqueue(t.Context(), w.client, url)
		_, post := w.enqueue(t.Context(), w.client, url, WithMethod("POST"), WithBody(Text("x")))
		if o := <-get; o.err != nil || !strings.HasPrefix(o.text, "1.") {
			t.Errorf("GET %+v", o)
		}
		if o := <-post; o.err == nil || SafeToRetry(o.err) {
			t.Errorf("POST %+v", o)
		}
		w.wantPool(1, 1, 0)
	})
}

// Fact 73: after a stream ran into its limit the next calls use the connection, until the answer to a ping is overdue; a late one mends that.
func TestHTTP2Degraded(t *testing.T) {
	for _, answers := range []bool{false, true} {
		t.Run(fmt.Sprint(answers), func(t *testing.T) {
			inWorld2(t, "", func(t *testing.T, w *world, _ *tls.Config) {
				w.resolve("server.test", "10.0.0.1")
				w.serveAt("10.0.0.1:80", nil, func(p *peer) {
					if answers {
						streams(func(s *stream2) {
							if s.n == 1 {
								s.wantReset(http2.Cancel)
								return
							}
							which(s)
						})(&peer2{t: t, Conn: http2.NewServer(p.Conn, http2.Config{}), raw: p.Conn})
						return
					}
					p.send(string(http2.AppendSettings(nil)))
					io.Copy(io.Discard, p.in)
				}, func(p *peer) {
					answer2("new")(&peer2{t: t, Conn: http2.NewServer(p.Conn, http2.Config{}), raw: p.Conn})
				})
				if answers {
					w.want("200 0.0")(w.get("http://server.test/"))
				}
				_, err := w.get("http://server.test/")
				if !isTimeout(err) {
					t.Errorf("error %v", err)
				}
				time.Sleep(500 * time.Millisecond)
				w.wantPool(1, 1, 0)
				if !answers {
					_, err := w.get("http://server.test/", WithReadTimeout(100*time.Millisecond))
					if !isTimeout(err) { // over the same connection
						t.Errorf("error %v", err)
					}
				}
				time.Sleep(600 * time.Millisecond)
				if answers {
					w.want("200 0.2")(w.get("http://server.test/"))
				} else {
					w.want("200 new")(w.get("http://server.test/"))
				}
				w.wantPool(1, 1, 0)
			}, WithReadTimeout(2*time.Second))
		})
	}
}

// Fact 72: a server that answers no ping is given up, between one and two intervals after the latest it answered.
func TestHTTP2PingInterval(t *testing.T) {
	var pings atomic.Int32
	frames := func(line string) {
		if strings.Contains(line, "PING") && strings.HasPrefix(line, ">>") {
			pings.Add(1)
		}
	}
	inWorld2(t, "", func(t *testing.T, w *world, _ *tls.Config) {
		w.resolve("server.test", "10.0.0.1")
		w.serveAt("10.0.0.1:80", nil, func(p *peer) {
			p.send(string(http2.AppendSettings(nil)))
			io.Copy(io.Discard, p.in)
		})
		began := time.Now()
		_, err := w.do("POST", "http://server.test/", Text("x"))
		w.wantSince(began, time.Second)
		if err == nil || isTimeout(err) || !strings.Contains(err.Error(), "ping") || pings.Load() != 1 {
			t.Errorf("error %v after %d pings", err, pings.Load())
		}
		w.wantPool(0, 0, 0)
	}, WithPingInterval(500*time.Millisecond), WithHTTP2(HTTP2Config{Frames: frames}))
	// One that answers is asked again and again, also while no call is under way.
	pings.Store(0)
	inWorld2(t, "", func(t *testing.T, w *world, _ *tls.Config) {
		w.serve2("server.test", "10.0.0.1", nil, streams(which))
		w.want("200 0.0")(w.get("http://server.test/"))
		time.Sleep(10*time.Second + 50*time.Millisecond)
		if n := pings.Load(); n != 20 {
			t.Errorf("%d pings", n)
		}
		w.want("200 0.1")(w.get("http://server.test/"))
	}, WithPingInterval(500*time.Millisecond), WithHTTP2(HTTP2Config{Frames: frames}))
}
