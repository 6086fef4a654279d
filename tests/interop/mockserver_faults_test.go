//go:build unix

package interop

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/okhttp/http2"
)

// TestCurlMeetsFaults compares what curl makes of faults with the exit codes that it documents.
func TestCurlMeetsFaults(t *testing.T) {
	curl := realCurl(t)
	text := mockserver.Reply(200).Text("abcdef")
	for _, tt := range []struct {
		name   string
		script mockserver.Response
		tls    bool
		code   int
		out    string
	}{
		{"nothing", text.On(mockserver.ResponseStart, mockserver.CloseSocket{}), false, 52, ""},
		{"a reset", text.On(mockserver.ResponseStart, mockserver.Reset{}), false, 56, ""},
		{"half of the body", text.On(mockserver.ResponseBody, mockserver.CloseSocket{}), false, 18, "abc"},
		{"a stall", text.On(mockserver.ResponseStart, mockserver.Stall{}), false, 28, ""},
		{"a malformed chunk", text.Chunked(3).MalformedChunk(), false, 56, "abcdef"},
		{"a length too large", text.WrongLength(3).On(mockserver.ResponseEnd, mockserver.CloseSocket{}), false, 18, "abcdef"},
		{"a length too small", text.WrongLength(-3), false, 0, "abc"},
		{"no handshake", text.On(mockserver.RequestStart, mockserver.FailHandshake{}), true, 35, ""},
		{"an expired certificate", text.On(mockserver.RequestStart, mockserver.BadCertificate{Fault: mockserver.Expired}), true, 60, ""},
		{"a certificate of another host", text.On(mockserver.RequestStart, mockserver.BadCertificate{Fault: mockserver.WrongHost}), true, 60, ""},
		{"a stream that is reset", text.On(mockserver.ResponseBody, mockserver.CloseStream{Code: http2.InternalError}), true, 92, "abc"},
		{"1xx, trickles and trailers", text.Informational(103, "Link", "x").Chunked(1).Dribble(5, 1).Trailer("a", "b"), true, 0, "abcdef"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			args := []string{"--max-time", "1"}
			var opts []mockserver.Option
			if tt.tls {
				opts = append(opts, mockserver.WithLocalhostTLS())
			}
			s := mockserver.New(t, opts...)
			if tt.tls {
				args = append(args, "--cacert", certificateFile(t, s))
			}
			s.Enqueue(tt.script)
			if got := curl(append(args, s.URL("/"))...); got.code != tt.code || got.out != tt.out {
				t.Errorf("exit code %d, output %q, %s\nwant %d, %q", got.code, got.out, got.err, tt.code, tt.out)
			}
		})
	}
}

func certificateFile(t *testing.T, s *mockserver.Server) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(file, s.CertificatePEM(), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestCurlThroughProxyRoles lets curl go through the mock server's proxies.
func TestCurlThroughProxyRoles(t *testing.T) {
	curl := realCurl(t)
	for _, tt := range []struct {
		name   string
		role   mockserver.Option
		scheme string
		args   []string
		code   int
	}{
		{"CONNECT", mockserver.WithHTTPProxy("", ""), "http", nil, 0},
		{"CONNECT with credentials", mockserver.WithHTTPProxy("u", "p"), "http", []string{"--proxy-user", "u:p"}, 0},
		{"CONNECT with others", mockserver.WithHTTPProxy("u", "p"), "http", []string{"--proxy-user", "u:q"}, 56},
		{"SOCKS with names", mockserver.WithSOCKS5(mockserver.SOCKS5{}), "socks5h", nil, 0},
		{"SOCKS with addresses", mockserver.WithSOCKS5(mockserver.SOCKS5{User: "u", Password: "p"}), "socks5", []string{"--proxy-user", "u:p", "--resolve", "origin.test:443:127.0.0.9"}, 0},
		{"SOCKS with other credentials", mockserver.WithSOCKS5(mockserver.SOCKS5{User: "u", Password: "p"}), "socks5h", []string{"--proxy-user", "u:q"}, 97},
		{"SOCKS that refuses", mockserver.WithSOCKS5(mockserver.SOCKS5{Reply: func(string) byte { return 4 }}), "socks5h", nil, 97},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := mockserver.New(t, mockserver.WithLocalhostTLS("origin.test"), tt.role)
			s.Enqueue(mockserver.Reply(200).Text("through"))
			_, port, _ := strings.Cut(strings.TrimPrefix(s.ProxyURL(), "http://"), ":")
			port = port[strings.LastIndex(port, ":")+1:]
			if _, err := strconv.Atoi(port); err != nil {
				t.Fatalf("the proxy is %s", s.ProxyURL())
			}
			args := append([]string{"--noproxy", "", "--proxy", tt.scheme + "://127.0.0.1:" + port, "--cacert", certificateFile(t, s), "--max-time", "10"}, tt.args...)
			want := ""
			if tt.code == 0 {
				want = "through"
			}
			if got := curl(append(args, "https://origin.test/")...); got.code != tt.code || got.out != want {
				t.Errorf("exit code %d, output %q, %s\nwant %d, %q", got.code, got.out, got.err, tt.code, want)
			}
			for tt.code == 0 {
				r, err := s.TakeRequest(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				if r.Method == "GET" {
					if r.Tunnel != "origin.test:443" && r.Tunnel != "127.0.0.9:443" {
						t.Errorf("the tunnel was to %q", r.Tunnel)
					}
					break
				}
			}
		})
	}
}
