//go:build unix

package interop

import (
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/okhttp-go/ok/okhttp"
)

// startSOCKS starts microsocks, a SOCKS5 proxy, and returns its host and port. With a user and a password it lets in who has them.
func startSOCKS(t *testing.T, login ...string) string {
	t.Helper()
	path, err := exec.LookPath("microsocks")
	if err != nil {
		t.Skip("microsocks is not installed")
	}
	addr := freeAddr(t)
	host, port, _ := net.SplitHostPort(addr)
	args := []string{"-i", host, "-p", port}
	if len(login) > 0 {
		args = append(args, "-u", login[0], "-P", login[1])
	}
	cmd := exec.Command(path, args...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Signal(syscall.SIGTERM)
		guard := time.AfterFunc(patience, func() { cmd.Process.Kill() })
		defer guard.Stop()
		cmd.Wait() // it does not end by itself
	})
	untilListening(t, addr)
	return addr
}

// TestMicrosocks sends requests through a SOCKS5 proxy, with names resolved here and there.
func TestMicrosocks(t *testing.T) {
	b := newBehind(t)
	plain, guarded := startSOCKS(t), startSOCKS(t, "aladdin", "open sesame")
	unused := freeAddr(t)
	for _, proxy := range []string{"socks5://" + plain, "socks5h://" + plain, "socks5h://aladdin:open%20sesame@" + guarded, "socks5://aladdin:open%20sesame@" + guarded, "socks5h://not:needed@" + plain} {
		t.Run(proxy, func(t *testing.T) {
			dialer := new(counting)
			eachClient(t, func(t *testing.T, do fetch) {
				for _, url := range []string{b.clear.URL, b.secure.URL, strings.Replace(b.clear.URL, "127.0.0.1", "localhost", 1)} {
					dialer.n.Store(0)
					do(t, "GET", url+"/a?b", nil).want(t, 200, said("GET", "/a?b", url, nil))
					body := []byte(strings.Repeat("x", 300_000))
					do(t, "POST", url+"/", body).want(t, 200, said("POST", "/", url, body))
					if n := dialer.n.Load(); n > 2 { // localhost may have an address that nobody listens on, before the one that is
						t.Errorf("%d connections", n)
					}
				}
			}, via(t, proxy), okhttp.WithTLSConfig(b.trust), okhttp.WithDialer(dialer))
		})
	}
	for name, tt := range map[string]struct{ proxy, url, want string }{
		"no password":    {"socks5h://" + guarded, b.clear.URL, "no acceptable authentication methods"},
		"wrong password": {"socks5h://aladdin:hunter2@" + guarded, b.clear.URL, "authentication failed"},
		"nobody there":   {"socks5h://" + plain, "http://" + unused, "connection refused"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := newClient(t, via(t, tt.proxy)).Get(t.Context(), tt.url)
			if _, ok := errors.AsType[*okhttp.ProxyError](err); !ok || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "hunter2") {
				t.Errorf("error %v, want %s", err, tt.want)
			}
		})
	}
	curl("--socks5", plain, b.clear.URL+"/a").want(t, 0, said("GET", "/a", b.clear.URL, nil))
	curl("--socks5-hostname", guarded, "-U", "aladdin:open sesame", b.clear.URL+"/a").want(t, 0, said("GET", "/a", b.clear.URL, nil))
	curl("--socks5", guarded, b.clear.URL+"/a").want(t, 97, "")
}

// TestNginxUnixSocket speaks to nginx over a Unix domain socket, where a path leads to both of its protocols.
func TestNginxUnixSocket(t *testing.T) {
	dir, err := os.MkdirTemp("", "ok")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "nginx.sock")
	n := startNginx(t, "listen unix:"+path+`; location / { return 200 "$host $request_uri $remote_addr"; }`)
	ownAPI(newClient(t))(t, "GET", n.url("/"), nil).want(t, 200, "*") // nginx has started, then
	eachClient(t, func(t *testing.T, do fetch) {
		do(t, "GET", "http://localhost/a?b", nil).want(t, 200, "localhost /a?b unix:")
		do(t, "GET", "http://elsewhere.test:81/", nil).want(t, 200, "elsewhere.test / unix:")
	}, okhttp.WithProxy(okhttp.UnixSocket(path)))
	curl("--unix-socket", path, "http://localhost/x").want(t, 0, "localhost /x unix:")
}
