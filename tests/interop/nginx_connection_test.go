//go:build unix

package interop

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/okhttp-go/ok/okhttp"
)

// TestNginxReuse looks at the numbers that nginx gives connections, and the requests on each.
func TestNginxReuse(t *testing.T) {
	n := startNginx(t, `
		location / { return 200 "$connection/$connection_requests"; }
		location /three { keepalive_requests 3; return 200 "$connection/$connection_requests"; }
		location /never { keepalive_timeout 0; return 200 "$connection/$connection_requests"; }
		location /missing { return 404; }
	`)
	eachClient(t, func(t *testing.T, do fetch) {
		var connection string
		for i := 1; i <= 5; i++ {
			a := do(t, "GET", n.url("/"), nil)
			on, number, _ := strings.Cut(a.body, "/")
			if i == 1 {
				connection = on
			}
			if on != connection || number != fmt.Sprint(i) {
				t.Errorf("request %d was %s, want it on connection %s", i, a.body, connection)
			}
		}
		// Heads without bodies, pages of errors and requests with bodies leave the connection as they found it.
		do(t, "HEAD", n.url("/"), nil)
		do(t, "GET", n.url("/missing"), nil)
		do(t, "POST", n.url("/missing"), []byte("abc"))
		if a := do(t, "GET", n.url("/"), nil); a.body != connection+"/9" {
			t.Errorf("then %s, want %s/9", a.body, connection)
		}
	})
	// nginx closes after a third request, and says so in its response. So the fourth goes over another connection, without a failure.
	eachClient(t, func(t *testing.T, do fetch) {
		seen := map[string]int{}
		for i := range 7 {
			a := do(t, "GET", n.url("/three"), nil)
			on, number, _ := strings.Cut(a.body, "/")
			seen[on]++
			if number != fmt.Sprint(i%3+1) {
				t.Errorf("request %d was %s", i+1, a.body)
			}
			want := "keep-alive"
			if i%3 == 2 {
				want = "close"
			}
			a.wantHeader(t, "Connection", want)
		}
		if len(seen) != 3 {
			t.Errorf("connections %v, want 3", seen)
		}
	}, withoutRetry)
	eachClient(t, func(t *testing.T, do fetch) {
		for range 3 {
			if a := do(t, "GET", n.url("/never"), nil); !strings.HasSuffix(a.body, "/1") {
				t.Errorf("%s, want a connection for each request", a.body)
			}
		}
	}, withoutRetry)
	t.Run("okcurl", func(t *testing.T) {
		curl("-s", "-o", "/dev/null", "-o", "/dev/null", "-w", "%{num_connects} ", n.url("/"), n.url("/")).want(t, 0, "1 0 ")
	})
}

// withoutRetry makes a failure on a connection show.
var withoutRetry = okhttp.WithRetryOnConnectionFailure(false)

// recorder keeps the sockets that a client dials.
type recorder struct {
	mu    sync.Mutex
	conns []*net.TCPConn
}

func (r *recorder) DialContext(ctx context.Context, network, addr string) (net.Conn, error) {
	c, err := new(net.Dialer).DialContext(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.conns = append(r.conns, c.(*net.TCPConn))
	return c, nil
}

// ended waits until the server has closed the last connection, without taking anything from it.
func (r *recorder) ended(t *testing.T) {
	t.Helper()
	r.mu.Lock()
	c := r.conns[len(r.conns)-1]
	r.mu.Unlock()
	raw, err := c.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	err = raw.Read(func(fd uintptr) bool {
		_, _, err := syscall.Recvfrom(int(fd), make([]byte, 1), syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		return err != syscall.EAGAIN
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestNginxStale lets nginx close a connection in the pool.
func TestNginxStale(t *testing.T) {
	n := startNginx(t, `location / { keepalive_timeout 20ms; return 200 "$request_method"; }`)
	for _, method := range []string{"GET", "POST"} {
		t.Run(method, func(t *testing.T) {
			dialed := new(recorder)
			var body []byte
			if method == "POST" {
				body = []byte("abc")
			}
			eachClient(t, func(t *testing.T, do fetch) {
				before := len(dialed.conns)
				for range 3 {
					do(t, method, n.url("/"), body).want(t, 200, method)
					dialed.ended(t)
				}
				if got := len(dialed.conns) - before; got != 3 {
					t.Errorf("%d connections, want 3: each request found the one before it closed", got)
				}
			}, okhttp.WithDialer(dialed))
		})
	}
	// A POST is not sent again, so it has to find out beforehand.
	dialed := new(recorder)
	do := ownAPI(newClient(t, okhttp.WithDialer(dialed), withoutRetry))
	for range 2 {
		do(t, "POST", n.url("/"), []byte("abc")).want(t, 200, "POST")
		dialed.ended(t)
	}
}

// TestNginxConcurrent shares a client among many callers. No response may reach the wrong one.
func TestNginxConcurrent(t *testing.T) {
	n := startNginx(t, `
		location / { return 200 "$request_uri"; }
		location /gzip/ { gzip on; gzip_min_length 1; gzip_types text/plain; return 200 "$request_uri"; }
	`)
	eachClient(t, func(t *testing.T, do fetch) {
		var all sync.WaitGroup
		for i := range 20 {
			all.Go(func() {
				for j := range 20 {
					path := []string{"", "/gzip"}[j%2] + fmt.Sprintf("/%d/%d", i, j)
					if a := do(t, "GET", n.url(path), nil); a.status != 200 || a.body != path {
						t.Errorf("%s: %d %q", path, a.status, a.body)
					}
				}
			})
		}
		all.Wait()
	})
}

// TestNginxLarge streams a file of 64 MiB and compares its hash.
func TestNginxLarge(t *testing.T) {
	const size = 64 << 20
	n := startNginx(t, `location / { output_buffers 2 256k; }`)
	path := filepath.Join(n.root, "large")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	hash := sha256.New()
	if _, err := io.CopyN(io.MultiWriter(file, hash), rand.NewChaCha8([32]byte{1}), size); err != nil {
		t.Fatal(err)
	}
	want := hex.EncodeToString(hash.Sum(nil))
	client := newClient(t)

	check := func(t *testing.T, n int64, r io.Reader) {
		t.Helper()
		hash := sha256.New()
		got, err := io.Copy(hash, r)
		if err != nil || got != size || n != size || hex.EncodeToString(hash.Sum(nil)) != want {
			t.Errorf("%d bytes of %d, %v, hash %x; want %s", got, n, err, hash.Sum(nil), want)
		}
	}
	t.Run("own API", func(t *testing.T) {
		resp, err := client.Get(t.Context(), n.url("/large"))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		check(t, resp.Body.Len(), resp.Body)
	})
	t.Run("net/http", func(t *testing.T) {
		req, err := http.NewRequestWithContext(t.Context(), "GET", n.url("/large"), nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := client.HTTPClient().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		check(t, resp.ContentLength, resp.Body)
	})
	t.Run("okcurl", func(t *testing.T) {
		got := filepath.Join(t.TempDir(), "got")
		curl("-o", got, "-w", "%{size_download}", n.url("/large")).want(t, 0, fmt.Sprint(size))
		file, err := os.Open(got)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		check(t, size, file)
	})
	// A download that is given up in its middle costs its connection and nothing else.
	t.Run("given up", func(t *testing.T) {
		resp, err := client.Get(t.Context(), n.url("/large"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(resp.Body, make([]byte, 1<<20)); err != nil {
			t.Error(err)
		}
		if err := resp.Body.Close(); err != nil {
			t.Error(err)
		}
		ownAPI(client)(t, "GET", n.url("/large"), nil, "Range", "bytes=0-0").want(t, 206, "*")
	})
}

// TestNginxTooLarge sends bodies that nginx refuses as soon as it has read the head, with 413. It drops what comes of them, or not: either way the
// response must be read.
func TestNginxTooLarge(t *testing.T) {
	n := startNginx(t, `
		client_max_body_size 1k;
		location / { return 200 ok; }
		location /store/ { dav_methods PUT; create_full_put_path on; }
	`)
	const size = 8 << 20
	large := make([]byte, size)
	eachClient(t, func(t *testing.T, do fetch) {
		for _, method := range []string{"PUT", "POST"} {
			a := do(t, method, n.url("/store/x"), large)
			a.want(t, 413, "*")
			a.wantHeader(t, "Connection", "close")
			do(t, method, n.url("/"), []byte("abc")).want(t, 200, "ok")
		}
	})
	t.Run("chunked", func(t *testing.T) {
		body := okhttp.Streamed("text/plain", func(_ context.Context, w io.Writer) error {
			for range size >> 16 {
				if _, err := w.Write(large[:1<<16]); err != nil {
					return err
				}
			}
			return nil
		})
		req, err := okhttp.NewRequest("PUT", n.url("/store/x"), okhttp.WithBody(body))
		if err != nil {
			t.Fatal(err)
		}
		resp, err := newClient(t).Do(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.Status != 413 {
			t.Errorf("%d, want 413", resp.Status)
		}
	})
	// Who asks first gets the refusal in place of 100 (Continue).
	t.Run("Expect", func(t *testing.T) {
		do := ownAPI(newClient(t))
		do(t, "PUT", n.url("/store/x"), large, "Expect", "100-continue").want(t, 413, "*")
		do(t, "PUT", n.url("/store/x"), []byte("abc"), "Expect", "100-continue").want(t, 201, "*")
	})
	t.Run("okcurl", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "large")
		if err := os.WriteFile(file, large, 0o600); err != nil {
			t.Fatal(err)
		}
		curl("-s", "-o", "/dev/null", "-w", "%{http_code}", "-X", "PUT", "--data-binary", "@"+file, n.url("/store/x")).want(t, 0, "413")
	})
}
