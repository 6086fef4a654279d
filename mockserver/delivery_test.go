package mockserver_test

import (
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/okhttp/http2"
	"github.com/okhttp-go/ok/okio"
)

// arrivals reads from a connection until the end or an hour of silence, and tells what came and when, by time since the start. What came at one time may have come in
// one read or several.
func arrivals(w *wire) (text string, at []time.Duration) {
	begun := time.Now()
	p := make([]byte, 4096)
	for {
		w.conn.SetReadDeadline(time.Now().Add(time.Hour))
		n, err := w.conn.Read(p)
		text += string(p[:n])
		if now := time.Since(begun); n > 0 && (len(at) == 0 || at[len(at)-1] != now) {
			at = append(at, now)
		}
		if err != nil {
			return text, at
		}
	}
}

// TestPaces looks at the bytes of a response and at when they come.
func TestPaces(t *testing.T) {
	const s = time.Second
	text := mockserver.Reply(200).Text("abcdef")
	end := func(r mockserver.Response) mockserver.Response {
		return r.On(mockserver.ResponseEnd, mockserver.ShutdownConnection{})
	}
	for _, tt := range []struct {
		name   string
		script mockserver.Response
		want   string
		at     []time.Duration
	}{
		{"trailers delay", mockserver.Reply(200).Text("abc").Chunked().Trailer("a", "b").TrailersDelay(s), "HTTP/1.1 200 OK·Transfer-encoding: chunked··3·abc·0·a: b··", []time.Duration{0, s}},
		{"delay at the end", text.TrailersDelay(s), "HTTP/1.1 200 OK·Content-Length: 6··abcdef", []time.Duration{0}},
		{"informational", text.InformationalAfter(s, 103, "Link", "x").InformationalAfter(2*s, 100), "HTTP/1.1 103 Informational·Link: x··HTTP/1.1 100 Informational··HTTP/1.1 200 OK·Content-Length: 6··abcdef", []time.Duration{s, 3 * s}},
		{"dribble", text.Dribble(3, 4*s), "HTTP/1.1 200 OK·Content-Length: 6··abcdef", []time.Duration{0, 2 * s, 4 * s}},
		{"dribble of uneven pieces", text.Dribble(4, 4*s), "HTTP/1.1 200 OK·Content-Length: 6··abcdef", []time.Duration{0, 2 * s, 4 * s}},
		{"dribble of one", text.Dribble(1, 4*s), "HTTP/1.1 200 OK·Content-Length: 6··abcdef", []time.Duration{0}},
		{"dribble of nothing", mockserver.Reply(200).Dribble(4, 4*s), "HTTP/1.1 200 OK·Content-Length: 0··", []time.Duration{0}},
		{"slow head", text.SlowHead(17, s), "HTTP/1.1 200 OK·Content-Length: 6··abcdef", []time.Duration{0, s, 2 * s}},
		{"wrong length", text.WrongLength(3), "HTTP/1.1 200 OK·Content-Length: 9··abcdef", []time.Duration{0}},
		{"wrong length below nothing", text.WrongLength(-10), "HTTP/1.1 200 OK·Content-Length: 0··abcdef", []time.Duration{0}},
		{"malformed chunk", text.Chunked(4).MalformedChunk(), "HTTP/1.1 200 OK·Transfer-encoding: chunked··4·abcd·2·ef·not a size·", []time.Duration{0}},
		{"after a chunk", text.Chunked(4).OnChunk(1, mockserver.CloseSocket{}), "HTTP/1.1 200 OK·Transfer-encoding: chunked··4·abcd·", []time.Duration{0}},
		{"after more chunks than there are", text.Chunked(4).OnChunk(9, mockserver.CloseSocket{}), "HTTP/1.1 200 OK·Transfer-encoding: chunked··4·abcd·2·ef·", []time.Duration{0}},
		{"raw headers", text.AddHeaderRaw("a b", "c\r\nd: e").AddHeader("F", "g"), "HTTP/1.1 200 OK·Content-Length: 6·a b: c·d: e·F: g··abcdef", []time.Duration{0}},
		{"a raw header that is none", text.AddHeaderRaw("", "\x00"), "HTTP/1.1 200 OK·Content-Length: 6·: \x00··abcdef", []time.Duration{0}},
		{"pushes", text.Push("GET", "/p", text).Settings(http2.Setting{ID: http2.SettingMaxFrameSize, Value: 1 << 15}), "HTTP/1.1 200 OK·Content-Length: 6··abcdef", []time.Duration{0}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := memory(t)
				script := end(tt.script)
				if script.Err() != nil { // it has an end of its own
					script = tt.script
				}
				server.Enqueue(script)
				w := dial(t, server)
				w.send(get)
				got, at := arrivals(w)
				if got != lines(tt.want) {
					t.Errorf("got  %q\nwant %q", got, lines(tt.want))
				}
				if !slices.Equal(at, tt.at) {
					t.Errorf("at %v, want %v", at, tt.at)
				}
			})
		})
	}
}

func TestWrongScripts(t *testing.T) {
	live := stream(-1, strings.NewReader("x"))
	ok := mockserver.Reply(200)
	for _, tt := range []struct {
		script mockserver.Response
		want   string
	}{
		{ok.Text("x").OnChunk(1, mockserver.Stall{}), "OnChunk with a response whose chunks have no sizes"},
		{live.Chunked(2).OnChunk(1, mockserver.Stall{}), "whose length is not known"},
		{ok.OnChunk(0, mockserver.Stall{}), "OnChunk(0): expected at least 1"},
		{live.Dribble(2, time.Second), "Dribble with a body whose length is not known"},
		{ok.Dribble(0, time.Second), "Dribble(0, 1s): expected at least 1 piece"},
		{ok.SlowHead(0, time.Second), "SlowHead(0, 1s): expected at least 1 byte"},
		{ok.Push("POST", "/", ok), `Push("POST"): expected GET or HEAD`},
		{ok.Push("GET", "x", ok), "expected a path"},
		{ok.Push("GET", "/", ok, "a"), "expected names and values that alternate"},
		{ok.Push("GET", "/", ok.Push("GET", "/", ok)), "of a response that pushes"},
		{ok.Push("GET", "/", ok.Header("a b", "c")), "a b"},
	} {
		if err := tt.script.Err(); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("got %v, want %s", err, tt.want)
		}
	}
}

// TestDelaysThatDiffer are of the seed, over both versions.
func TestDelaysThatDiffer(t *testing.T) {
	const s = time.Second
	times := func(seed uint64) (list []time.Duration) {
		synctest.Test(t, func(t *testing.T) {
			script := mockserver.Reply(200).Text("x").HeadDelayOf(mockserver.WaitBetween{Min: s, Max: 2 * s}).BodyDelayOf(mockserver.WaitLogNormal{Median: s, Sigma: 0.5})
			server := cleartext(t, mockserver.WithSeed(seed), mockserver.WithDispatcher(answer(script)))
			w := dial(t, server)
			for range 5 {
				begun := time.Now()
				w.send(get)
				w.want("HTTP/1.1 200 OK·Content-Length: 1··")
				head := time.Since(begun)
				w.want("x")
				body := time.Since(begun) - head
				if head < s || head > 2*s || body < s/10 || body > 10*s {
					t.Errorf("the head took %v, the body %v", head, body)
				}
				list = append(list, head, body)
			}
			c := dial2(t, server)
			begun := time.Now()
			c.want(c.open("GET", "/", ""), []string{":status 200 content-length 1"}, "x")
			list = append(list, time.Since(begun))
		})
		return list
	}
	a, again, b := times(1), times(1), times(2)
	if !slices.Equal(a, again) || slices.Equal(a, b) || a[0] == a[2] {
		t.Errorf("seed 1: %v\nagain:  %v\nseed 2: %v", a, again, b)
	}
	for _, r := range []mockserver.Response{mockserver.Reply(200).HeadDelayOf(mockserver.Stall{}), mockserver.Reply(200).BodyDelayOf(nil), mockserver.Reply(200).HeadDelayOf(mockserver.WaitBetween{Min: 2, Max: 1})} {
		if r.Err() == nil {
			t.Errorf("no fault in %+v", r)
		}
	}
}

// TestThrottleBy shares a rate among responses, over both versions.
func TestThrottleBy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var joint okio.Throttler
		if err := joint.Set(1000, 100, 1000); err != nil {
			t.Fatal(err)
		}
		s := cleartext(t)
		slow := mockserver.Reply(200).Text(strings.Repeat("x", 5000)).ThrottleBy(&joint)
		s.Enqueue(slow, slow)
		begun := time.Now()
		w := dial(t, s)
		w.send(get)
		done := make(chan error, 1)
		go func() {
			_, err := io.ReadFull(w.conn, make([]byte, len(lines("HTTP/1.1 200 OK·Content-Length: 5000··"))+5000))
			done <- err
		}()
		c := dial2(t, s)
		st := c.open("GET", "/", "")
		st.SetLimits(0, 0, time.Time{})
		c.want(st, []string{":status 200 content-length 5000"}, strings.Repeat("x", 5000))
		if err := <-done; err != nil {
			t.Error(err)
		}
		if d := time.Since(begun); d < 8*time.Second || d > 11*time.Second {
			t.Errorf("10000 bytes took %v at 1000 a second, of which 1000 are saved up", d)
		}
		joint.Set(1, 1, 1)
		s.Enqueue(slow)
		dial(t, s).send(get)
		synctest.Wait()
		begun = time.Now()
		if err := s.Close(); err != nil || time.Since(begun) > time.Second {
			t.Errorf("closed after %v: %v", time.Since(begun), err)
		}
	})
}

// promises is the client's side of pushes.
type promises struct{ got chan string }

func (p *promises) OnRequest(id uint32, fields []string) bool {
	p.got <- "request " + strings.Join(fields, " ")
	return false
}

func (p *promises) OnHeaders(id uint32, fields []string, last bool) bool {
	p.got <- "response " + strings.Join(fields, " ")
	return false
}

func (p *promises) OnData(id uint32, data *okio.BufferedSource, n int64, last bool) bool {
	text, _ := data.ReadText(n)
	p.got <- "data " + text
	return false
}

func (p *promises) OnReset(id uint32, code http2.ErrorCode) { p.got <- "reset " + code.String() }

func TestPush(t *testing.T) {
	s := cleartext(t)
	style := mockserver.Reply(200).Header("Content-Type", "text/css").Text("css")
	s.Enqueue(mockserver.Reply(200).Text("page").
		Push("GET", "/foo/bar", style, "Accept", "text/css").
		Push("HEAD", "/none", mockserver.Reply(204)).
		Push("GET", "/broken", style.On(mockserver.ResponseStart, mockserver.CloseStream{Code: http2.InternalError})))
	conn, err := s.DialContext(t.Context(), "tcp", "")
	if err != nil {
		t.Fatal(err)
	}
	told := &promises{make(chan string, 100)}
	c := &session2{t, http2.NewClient(conn, http2.Config{Push: told})}
	defer c.conn.Close()
	c.want(c.open("GET", "/foo", ""), []string{":status 200 content-length 4"}, "page")
	var got []string
	for range 9 {
		select {
		case line := <-told.got:
			if line != "data " { // the end, in a frame of its own
				got = append(got, line)
			}
		case <-time.After(10 * time.Second):
			t.Fatalf("told %q", got)
		}
		if len(got) == 7 {
			break
		}
	}
	slices.Sort(got)
	want := []string{
		"data css",
		"request :method GET :path /broken :authority server.test :scheme http",
		"request :method GET :path /foo/bar :authority server.test :scheme http accept text/css",
		"request :method HEAD :path /none :authority server.test :scheme http",
		"reset INTERNAL_ERROR",
		"response :status 200 content-length 3 content-type text/css",
		"response :status 204",
	}
	if !slices.Equal(got, want) {
		t.Errorf("told %q\nwant %q", got, want)
	}
	for i, line := range []string{"GET /foo HTTP/2", "GET /foo/bar HTTP/2", "HEAD /none HTTP/2", "GET /broken HTTP/2"} {
		if r := take(t, s); r.RequestLine() != line || r.Index != i || r.Missed != nil {
			t.Errorf("request %d was %v", i, r)
		}
	}
	if n := s.RequestCount(); n != 1 {
		t.Errorf("%d requests were counted", n)
	}
	s.Enqueue(mockserver.Reply(200).Push("GET", "/unwanted", style))
	c = dial2(t, s)
	c.want(c.open("GET", "/", ""), []string{":status 200 content-length 0"}, "")
	take(t, s)
	if r, ok := s.TryTakeRequest(); ok {
		t.Errorf("recorded %v", r)
	}
}

// TestHTTP2Deliveries looks at the frames of a response.
func TestHTTP2Deliveries(t *testing.T) {
	text := mockserver.Reply(200).Text("abcdef")
	const data = http2.FrameData
	for _, tt := range []struct {
		name   string
		script mockserver.Response
		want   string // type, length and flags of the frames of the stream
	}{
		{"no body", mockserver.Reply(200), "HEADERS+END"},
		{"empty body", mockserver.Reply(200).Text(""), "HEADERS DATA0+END"},
		{"chunks are frames", text.Chunked(1, 3), "HEADERS DATA1 DATA3 DATA2 DATA0+END"},
		{"after a frame", text.Chunked(1, 3).OnChunk(2, mockserver.CloseStream{Code: http2.EnhanceYourCalm}), "HEADERS DATA1 DATA3 RST_STREAM"},
		{"wrong length", text.WrongLength(2), "HEADERS DATA6 DATA0+END"},
		{"malformed", text.MalformedChunk(), "HEADERS DATA6"},
		{"raw headers", text.AddHeaderRaw("Up Per", "a\r\nb").Header("Connection", "close"), "HEADERS"},
		{"dribble", text.Dribble(2, time.Second), "HEADERS DATA3 DATA3 DATA0+END"},
		{"delayed end", text.TrailersDelay(time.Second), "HEADERS DATA6 DATA0+END"},
		{"trailers", text.Chunked().Trailer("a", "b"), "HEADERS DATA6 HEADERS+END"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var frames []string
				s := cleartext(t)
				s.Enqueue(tt.script)
				conn, err := s.DialContext(t.Context(), "tcp", "")
				if err != nil {
					t.Fatal(err)
				}
				c := &session2{t, http2.NewClient(conn, http2.Config{Frames: func(in bool, h http2.FrameHeader, _ []byte) {
					if !in || h.Stream == 0 || h.Type == http2.FrameWindowUpdate {
						return
					}
					line := h.Type.String()
					if h.Type == data {
						line += string(rune('0' + h.Length))
					}
					if h.Flags&http2.FlagEndStream != 0 && (h.Type == data || h.Type == http2.FrameHeaders) {
						line += "+END"
					}
					if h.Flags&http2.FlagPadded != 0 && h.Type == data {
						line += "+PADDED"
					}
					frames = append(frames, line)
				}})}
				defer c.conn.Close()
				st := c.open("GET", "/", "")
				_, _, _, err = reply(st)
				if fails := strings.HasPrefix(tt.name, "malformed") || strings.HasPrefix(tt.name, "after") || tt.name == "wrong length" || tt.name == "raw headers"; fails != (err != nil) {
					t.Errorf("ended with %v", err)
				}
				synctest.Wait()
				got := strings.Join(frames, " ")
				if tt.name == "raw headers" { // the client may have given up before the content was sent
					got, _, _ = strings.Cut(got, " ")
				}
				if got != tt.want {
					t.Errorf("got  %s\nwant %s", got, tt.want)
				}
			})
		})
	}
}

// TestSettingsBeforeTheHead reach the client before the response does.
func TestSettingsBeforeTheHead(t *testing.T) {
	s := cleartext(t)
	s.Enqueue(mockserver.Reply(200).Settings(http2.Setting{ID: http2.SettingMaxConcurrentStreams, Value: 2}))
	c := dial2(t, s)
	c.want(c.open("GET", "/", ""), []string{":status 200 content-length 0"}, "")
	if n := c.conn.MaxStreams(); n != 2 {
		t.Errorf("%d streams are allowed", n)
	}
}
