package http2

import (
	"errors"
	"os"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/okhttp-go/ok/okio"
)

// request is the head of a request for a server, with more fields.
func request(method string, more ...string) []string {
	return append([]string{":method", method, ":scheme", "https", ":authority", "server.test", ":path", "/"}, more...)
}

// greetServer sends the preface and the settings of a client and takes those of the server.
func (p *tester) greetServer(settings ...Setting) {
	p.t.Helper()
	p.send([]byte(ClientPreface))
	p.send(AppendSettings(nil, settings...))
	p.want("SETTINGS 0")
	p.want("WINDOW_UPDATE 0")
	p.want("SETTINGS 0 ACK")
	p.send(AppendSettingsAck(nil))
}

// accept takes the next stream in the role of the server.
func (p *tester) accept() *Stream {
	p.t.Helper()
	s, _, _, err := p.conn.Accept(time.Now().Add(time.Minute))
	if err != nil {
		p.t.Fatal(err)
	}
	return s
}

// opened sends a request and takes it.
func (p *tester) opened(id uint32, last bool, more ...string) *Stream {
	p.t.Helper()
	method := "POST"
	if last {
		method = "GET"
	}
	p.headers(id, last, request(method, more...)...)
	s := p.accept()
	if s.ID() != id {
		p.t.Fatalf("stream %d, want %d", s.ID(), id)
	}
	return s
}

// write sends content in the role of the server.
func write(s *Stream, content string) error {
	var b okio.Buffer
	b.WriteString(content)
	return s.Sink().WriteBuffer(&b, b.Len())
}

// accepting reads for the connection, as a server that waits for requests does, and returns why the connection ended.
func (p *tester) accepting() <-chan error {
	done := make(chan error, 1)
	go func() {
		for {
			if _, _, _, err := p.conn.Accept(time.Time{}); err != nil {
				done <- err
				return
			}
		}
	}()
	return done
}

func isConnectionError(err error, code ErrorCode) bool {
	var e *ConnectionError
	return errors.As(err, &e) && e.Code == code
}

// The first test shows how the others read.
func TestServerExchange(t *testing.T) {
	inBubble(t, true, Config{}, func(t *testing.T, p *tester) {
		p.greetServer()
		head := request("POST", "content-length", "5")
		p.headers(1, false, head...)
		s, got, last, err := p.conn.Accept(time.Time{})
		if err != nil || last || !slices.Equal(got, head) || s.ID() != 1 {
			t.Fatalf("%q, %v, %v, want %q", got, last, err, head)
		}
		if err := s.SendHead(100, nil, false); err != nil {
			t.Fatal(err)
		}
		p.want(`HEADERS 1 [":status" "100"]`)
		p.data(1, false, "he")
		p.data(1, false, "llo")
		p.headers(1, true, "digest", "x")
		if got, err := text(s); got != "hello" || err != nil {
			t.Errorf("%q, %v", got, err)
		}
		if got, err := s.Trailers(); !slices.Equal(got, []string{"digest", "x"}) || err != nil {
			t.Errorf("trailers %q, %v", got, err)
		}
		if err := errors.Join(s.SendHead(200, []string{"A", "b", "Connection", "close"}, false), write(s, "content"), s.SendTrailers([]string{"sum", "1"})); err != nil {
			t.Fatal(err)
		}
		p.want(`HEADERS 1 [":status" "200" "a" "b"]`)
		p.want(`DATA 1 "content"`)
		p.want(`HEADERS 1 END ["sum" "1"]`)
		if p.conn.streams[1] != nil || p.conn.served != 0 {
			t.Error("the stream is still there")
		}
		p.wantNothing()
	})
}

// A request that is given up leaves nothing behind, also if it had come whole or the client gave it up first.
func TestGivenUpRequestIsForgotten(t *testing.T) {
	inBubble(t, true, Config{}, func(t *testing.T, p *tester) {
		p.greetServer()
		for i, give := range []func(*Stream){
			func(*Stream) {},
			func(s *Stream) { p.data(s.ID(), true, "") },
			func(s *Stream) { p.send(AppendRSTStream(nil, s.ID(), Cancel)) },
		} {
			s := p.opened(uint32(2*i+1), false)
			p.data(s.ID(), false, "content")
			give(s)
			p.send(AppendPing(nil, false, [8]byte{1}))
			p.want("PING 0 ACK")
			if p.conn.unread != len("content") {
				t.Errorf("%d: %d bytes count as unread", i, p.conn.unread)
			}
			s.Cancel(RefusedStream, errClosed)
			if p.conn.unread != 0 {
				t.Errorf("%d: %d bytes count as unread once it was given up", i, p.conn.unread)
			}
			if i < 2 {
				p.want("RST_STREAM")
			}
		}
	})
}

// Who waits for the end of a stream hears of it while another one reads, whichever side comes to its end last.
func TestEndIsHeardOf(t *testing.T) {
	for name, end := range map[string]func(p *tester, s *Stream) error{
		"a reset that harms nothing": func(p *tester, s *Stream) error { p.send(AppendRSTStream(nil, s.ID(), Cancel)); return nil },
		"the end of the response":    func(_ *tester, s *Stream) error { return s.SendHead(204, nil, true) },
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, true, Config{}, func(t *testing.T, p *tester) {
				p.greetServer()
				s := p.opened(1, true)
				accepting := make(chan error, 1)
				go func() {
					_, _, _, err := p.conn.Accept(time.Time{})
					accepting <- err
				}()
				synctest.Wait() // it reads
				ended := make(chan error, 1)
				go func() { ended <- s.AwaitEnd() }()
				synctest.Wait()
				if err := end(p, s); err != nil {
					t.Error(err)
				}
				synctest.Wait()
				select {
				case <-ended:
				default:
					t.Error("the end was not heard of")
				}
				p.conn.Close()
				<-accepting
			})
		})
	}
}

func TestAcceptLimit(t *testing.T) {
	inBubble(t, true, Config{}, func(t *testing.T, p *tester) {
		p.greetServer()
		if _, _, _, err := p.conn.Accept(time.Now().Add(time.Second)); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("%v, want a deadline", err)
		}
		s := p.opened(1, true)
		if err := s.SendHead(204, nil, true); err != nil {
			t.Fatal(err)
		}
		p.want(`HEADERS 1 END [":status" "204"]`)
	})
}

// What a client begins with decides whether there is a connection (RFC 9113 section 3.4).
func TestServerPreface(t *testing.T) {
	for _, tt := range []struct {
		name, begin string
		code        ErrorCode
	}{
		{"HTTP/1.1", "GET / HTTP/1.1\r\n\r\n", ProtocolErrorCode},
		{"one wrong byte", "PRI * HTTP/2.1", ProtocolErrorCode},
		{"wrong at its end", ClientPreface[:23] + "x", ProtocolErrorCode},
		{"no settings", ClientPreface + string(AppendPing(nil, false, [8]byte{})), ProtocolErrorCode},
		{"an acknowledgement", ClientPreface + string(AppendSettingsAck(nil)), ProtocolErrorCode},
		{"bad settings", ClientPreface + string(AppendSettings(nil, Setting{SettingEnablePush, 2})), ProtocolErrorCode},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inBubble(t, true, Config{}, func(t *testing.T, p *tester) {
				ended := p.accepting()
				p.send([]byte(tt.begin))
				p.wantEnd(tt.code)
				if err := <-ended; !isConnectionError(err, tt.code) {
					t.Errorf("%v, want %v", err, tt.code)
				}
			})
		})
	}
	for _, n := range []int{0, 1, 23, 24, 30} {
		inBubble(t, true, Config{}, func(t *testing.T, p *tester) {
			ended := p.accepting()
			p.send([]byte(ClientPreface + string(AppendSettings(nil, Setting{SettingEnablePush, 0})))[:n])
			p.Conn.Close()
			if err := <-ended; err == nil {
				t.Errorf("no error after %d bytes", n)
			}
		})
	}
}

// The peer resets: what reads and what writes fails, the connection goes on.
func TestServerReset(t *testing.T) {
	inBubble(t, true, Config{}, func(t *testing.T, p *tester) {
		p.greetServer(Setting{SettingInitialWindowSize, 3})
		s := p.opened(1, false)
		done := make(chan error)
		go func() {
			_, err := text(s)
			done <- err
		}()
		p.data(1, false, "abc")
		p.send(AppendRSTStream(nil, 1, Cancel))
		if err := <-done; !isReset(err, Cancel, true) {
			t.Errorf("reading: %v", err)
		}
		s = p.opened(3, true)
		go func() { done <- errors.Join(s.SendHead(200, nil, false), write(s, "content")) }()
		p.want("HEADERS 3")
		p.want(`DATA 3 "con"`)
		p.send(AppendRSTStream(nil, 3, NoError))
		if err := <-done; !isReset(err, NoError, true) {
			t.Errorf("writing: %v", err)
		}
		s = p.opened(5, true)
		go func() { done <- s.AwaitEnd() }()
		synctest.Wait()
		p.send(AppendRSTStream(nil, 5, Cancel))
		if err := <-done; !isReset(err, Cancel, true) {
			t.Errorf("waiting for the end: %v", err)
		}
		p.send(AppendPing(nil, false, [8]byte{1}))
		p.want("PING 0 ACK")
	})
}

// A server that has answered whole does not want the rest of the request, and says so without blame (RFC 9113 section 8.1).
func TestAnswerBeforeContent(t *testing.T) {
	inBubble(t, true, Config{}, func(t *testing.T, p *tester) {
		p.greetServer()
		s := p.opened(1, false)
		if err := errors.Join(s.SendHead(413, nil, true), s.Source().Close()); err != nil {
			t.Fatal(err)
		}
		p.want(`HEADERS 1 END [":status" "413"]`)
		p.want("RST_STREAM 1 NO_ERROR")
		p.data(1, true, "was under way")
		p.opened(3, true)
	})
}

func TestMaxConcurrentStreams(t *testing.T) {
	inBubble(t, true, Config{MaxConcurrentStreams: 2}, func(t *testing.T, p *tester) {
		p.greetServer()
		first := p.opened(1, false)
		p.opened(3, false)
		ended := p.accepting()
		p.headers(5, false, request("POST", "x", "indexed")...)
		p.want("RST_STREAM 5 REFUSED_STREAM")
		p.data(5, true, "was under way")
		p.data(1, true, "")
		if err := first.SendHead(200, nil, true); err != nil {
			t.Fatal(err)
		}
		p.want("HEADERS 1 END")
		p.headers(7, false, request("POST", "x", "indexed")...) // the table of the refused headers counts
		synctest.Wait()
		p.conn.mu.Lock()
		if s := p.conn.streams[7]; s == nil || p.conn.served != 2 {
			t.Errorf("stream 7 is %v, %d are open", s, p.conn.served)
		}
		p.conn.mu.Unlock()
		p.wantNothing()
		p.conn.Close()
		<-ended
	})
}

// A goodbye of the server ends what comes after it, and nothing that came before.
func TestServerGoAway(t *testing.T) {
	inBubble(t, true, Config{}, func(t *testing.T, p *tester) {
		p.greetServer()
		s := p.opened(1, false)
		p.conn.GoAway(NoError)
		p.want("GOAWAY 0 1 NO_ERROR")
		p.headers(3, false, request("POST")...)
		p.data(3, false, "ignored")
		p.send(AppendWindowUpdate(nil, 3, 5))
		p.headers(3, true, "trailers", "too")
		p.headers(5, true, request("GET")...)
		p.send(AppendRSTStream(nil, 5, Cancel))
		p.data(1, true, "hello")
		if got, err := text(s); got != "hello" || err != nil {
			t.Errorf("%q, %v", got, err)
		}
		if err := s.SendHead(204, nil, true); err != nil {
			t.Fatal(err)
		}
		p.want("HEADERS 1 END")
		if _, _, _, err := p.conn.Accept(time.Now().Add(time.Second)); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("accepted after the goodbye: %v", err)
		}
		p.conn.Close()
		p.want("GOAWAY 0 1 NO_ERROR") // the last stream does not rise
	})
}

func TestClientSaysGoodbye(t *testing.T) {
	inBubble(t, true, Config{}, func(t *testing.T, p *tester) {
		p.greetServer()
		s := p.opened(1, false)
		p.send(AppendGoAway(nil, 0, NoError, []byte("enough")))
		p.data(1, true, "hello")
		if got, err := text(s); got != "hello" || err != nil {
			t.Errorf("%q, %v", got, err)
		}
		if err := s.SendHead(204, nil, true); err != nil {
			t.Fatal(err)
		}
		p.want("HEADERS 1 END")
		var bye *GoAwayError
		if !errors.As(p.conn.Closing(), &bye) || bye.Code != NoError || p.conn.Usable() {
			t.Errorf("%v", p.conn.Closing())
		}
	})
}

// Content belongs between the headers and the end, and has the length that was announced (RFC 9113 sections 5.1 and 8.1.1).
func TestMisplacedContent(t *testing.T) {
	for _, tt := range []struct {
		name string
		send func(p *tester)
		want string // a reset, or "" for the end of the connection
		code ErrorCode
	}{
		{"before the headers", func(p *tester) { p.data(1, true, "x") }, "", ProtocolErrorCode},
		{"on a stream of the server", func(p *tester) { p.data(2, true, "x") }, "", ProtocolErrorCode},
		{"after the end", func(p *tester) { p.headers(1, true, request("GET")...); p.data(1, true, "x") }, "RST_STREAM 1 STREAM_CLOSED", 0},
		{"after trailers", func(p *tester) {
			p.headers(1, false, request("POST")...)
			p.headers(1, true, "a", "b")
			p.data(1, true, "x")
		}, "RST_STREAM 1 STREAM_CLOSED", 0},
		{"after a reset by the client", func(p *tester) {
			p.headers(1, false, request("POST")...)
			p.send(AppendRSTStream(nil, 1, Cancel))
			p.data(1, true, "x")
		}, "", StreamClosed},
		{"more than announced", func(p *tester) {
			p.headers(1, false, request("POST", "content-length", "1")...)
			p.data(1, true, "xx")
		}, "RST_STREAM 1 PROTOCOL_ERROR", 0},
		{"less than announced", func(p *tester) {
			p.headers(1, false, request("POST", "content-length", "2")...)
			p.data(1, true, "x")
		}, "RST_STREAM 1 PROTOCOL_ERROR", 0},
		{"less, then trailers", func(p *tester) {
			p.headers(1, false, request("POST", "content-length", "2")...)
			p.headers(1, true, "a", "b")
		}, "RST_STREAM 1 PROTOCOL_ERROR", 0},
		{"none though announced", func(p *tester) { p.headers(1, true, request("POST", "content-length", "2")...) }, "RST_STREAM 1 PROTOCOL_ERROR", 0},
		{"trailers without the end", func(p *tester) {
			p.headers(1, false, request("POST")...)
			p.headers(1, false, "a", "b")
		}, "RST_STREAM 1 PROTOCOL_ERROR", 0},
		{"trailers with a pseudo-header", func(p *tester) {
			p.headers(1, false, request("POST")...)
			p.headers(1, true, ":path", "/")
		}, "RST_STREAM 1 PROTOCOL_ERROR", 0},
		{"no path", func(p *tester) { p.headers(1, true, ":method", "GET", ":scheme", "https") }, "RST_STREAM 1 PROTOCOL_ERROR", 0},
		{"a stream of the server's numbers", func(p *tester) { p.headers(2, true, request("GET")...) }, "", ProtocolErrorCode},
		{"a stream below the last", func(p *tester) {
			p.headers(5, false, request("POST")...)
			p.headers(3, true, request("GET")...)
		}, "", StreamClosed},
		{"a push", func(p *tester) {
			p.headers(1, false, request("POST")...)
			p.send(AppendPushPromise(nil, 1, 2, p.encode(request("GET")...), minMaxFrame))
		}, "", ProtocolErrorCode},
		{"a stream that depends on itself", func(p *tester) {
			block := append([]byte{0, 0, 0, 1, 7}, p.encode(request("GET")...)...)
			p.send(append(FrameHeader{len(block), FrameHeaders, FlagEndHeaders | FlagEndStream | FlagPriority, 1}.Append(nil), block...))
		}, "RST_STREAM 1 PROTOCOL_ERROR", 0},
		{"an extended CONNECT that was not offered", func(p *tester) {
			p.headers(1, false, ":method", "CONNECT", ":protocol", "websocket", ":scheme", "https", ":authority", "a", ":path", "/")
		}, "RST_STREAM 1 PROTOCOL_ERROR", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inBubble(t, true, Config{}, func(t *testing.T, p *tester) {
				p.greetServer()
				ended := p.accepting()
				tt.send(p)
				if tt.want == "" {
					p.wantEnd(tt.code)
					if err := <-ended; !isConnectionError(err, tt.code) {
						t.Errorf("%v, want %v", err, tt.code)
					}
					return
				}
				p.want(tt.want)
				p.headers(7, true, request("GET")...) // the connection and its table are fine
				p.send(AppendPing(nil, false, [8]byte{1}))
				p.want("PING 0 ACK")
				p.conn.Close()
				<-ended
			})
		})
	}
}

func TestExtendedConnect(t *testing.T) {
	inBubble(t, true, Config{ExtendedConnect: true}, func(t *testing.T, p *tester) {
		p.send([]byte(ClientPreface))
		p.send(AppendSettings(nil))
		_, payload, err := p.frame()
		settings, parsed := ParseSettings(payload)
		if err != nil || parsed != nil || !slices.Contains(settings, Setting{SettingEnableConnectProtocol, 1}) {
			t.Fatalf("settings %v, %v, %v", settings, err, parsed)
		}
		p.want("WINDOW_UPDATE 0")
		p.want("SETTINGS 0 ACK")
		p.headers(1, false, ":method", "CONNECT", ":protocol", "websocket", ":scheme", "https", ":authority", "a", ":path", "/")
		s := p.accept()
		if err := errors.Join(s.SendHead(200, nil, false), write(s, "up")); err != nil {
			t.Fatal(err)
		}
		p.want(`HEADERS 1 [":status" "200"]`)
		p.want(`DATA 1 "up"`)
		p.data(1, true, "down")
		if got, err := text(s); got != "down" || err != nil {
			t.Errorf("%q, %v", got, err)
		}
	})
}
