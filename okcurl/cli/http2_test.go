package cli

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// serve2 runs a server of HTTP/2, over TLS or in cleartext.
func serve2(t *testing.T, secure bool, h http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewUnstartedServer(h)
	if secure {
		s.EnableHTTP2 = true
		s.StartTLS()
	} else {
		s.Config.Protocols = new(http.Protocols)
		s.Config.Protocols.SetUnencryptedHTTP2(true)
		s.Config.Protocols.SetHTTP1(true)
		s.Start()
	}
	t.Cleanup(s.Close)
	return s.URL
}

// The options choose what is spoken, and --write-out and --include say what it was.
func TestProtocolOptions(t *testing.T) {
	answer := func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.Proto) }
	secure, clear := serve2(t, true, answer), serve2(t, false, answer)
	for _, tt := range []struct {
		args string
		want string
	}{
		{"-k " + secure, "HTTP/2.0 2"},
		{"-k --http2 " + secure, "HTTP/2.0 2"},
		{"-k --http1.1 " + secure, "HTTP/1.1 1.1"},
		{"-k --no-http2 " + secure, "HTTP/1.1 1.1"},
		{"-k --http1.1 --no-http1.1 " + secure, "HTTP/2.0 2"},
		{clear, "HTTP/1.1 1.1"},
		{"--http2 " + clear, "HTTP/1.1 1.1"},
		{"--http2-prior-knowledge " + clear, "HTTP/2.0 2"},
	} {
		okcurl(t, append(strings.Fields(tt.args), "-w", " %{http_version}")...).want(t, 0, tt.want, "")
	}
	if got := okcurl(t, "-ki", secure); got.code != 0 || !strings.HasPrefix(got.out, "HTTP/2 200 \r\n") {
		t.Errorf("exit %d, %q", got.code, got.out)
	}
	if got := okcurl(t, "--http2-prior-knowledge", secure); got.code != 7 || !strings.Contains(got.err, "prior knowledge") {
		t.Errorf("exit %d, %q", got.code, got.err)
	}
}

// --frames prints a line a frame, and none after the end; --verbose says that it is HTTP/2.
func TestFrames(t *testing.T) {
	url := serve2(t, true, func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusEarlyHints)
		io.WriteString(w, "secret")
	})
	got := okcurl(t, "-kv", "--frames", url)
	for _, want := range []string{
		"* Using HTTP/2\n", "> GET / HTTP/2\n", "< HTTP/2 103 \n", "< HTTP/2 200 \n",
		"\n>> CONNECTION 505249", "\n>> 0x00000000", "SETTINGS", ">> 0x00000003", "HEADERS       END_STREAM|END_HEADERS\n", "<< 0x00000003     6 DATA",
	} {
		if !strings.Contains(got.err, want) {
			t.Errorf("no %q in\n%s", want, got.err)
		}
	}
	if strings.Contains(got.err, "> Connection:") {
		t.Errorf("HTTP/2 has no such field:\n%s", got.err)
	}
	if got.code != 0 || got.out != "secret" || strings.Contains(got.err, "secret") {
		t.Errorf("exit %d, %q\n%s", got.code, got.out, got.err)
	}
	if got := okcurl(t, "-k", "--frames", "--http1.1", url); got.code != 0 || got.err != "" {
		t.Errorf("exit %d, %q", got.code, got.err)
	}
}

// A stream that the server resets has the code that curl gives it.
func TestStreamReset(t *testing.T) {
	url := serve2(t, true, func(w http.ResponseWriter, r *http.Request) { panic(http.ErrAbortHandler) })
	okcurl(t, "-k", url).want(t, 92, "", "okcurl: (92) the server reset the stream: INTERNAL_ERROR\n")
}
