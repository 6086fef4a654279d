//go:build unix

package interop

import (
	"bufio"
	"bytes"
	"context"
	"crypto/md5"
	"encoding/hex"
	"io"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/okhttp-go/ok/okhttp"
)

// squid is a running proxy.
type squid struct {
	open    string // host and port for everybody
	guarded string // host and port for those who know the password
	secure  string // host and port under TLS, "" if this squid was built without
	ca      *authority
}

// startSquid starts squid for a test. It stays in the foreground, with all of its files in a folder of the test.
func startSquid(t *testing.T) *squid {
	t.Helper()
	path := program(t, "squid")
	dir := t.TempDir()
	s := &squid{open: freeAddr(t), guarded: freeAddr(t), ca: newAuthority(t)}
	s.ca.write(t, dir, "server", "localhost", "127.0.0.1")
	text := configurationOfSquid
	if built, _ := exec.Command(path, "-v").Output(); bytes.Contains(built, []byte("openssl")) {
		s.secure = freeAddr(t)
		text += "https_port SECURE tls-cert=DIR/server.pem tls-key=DIR/server.key\n"
	}
	user := ""
	if os.Geteuid() == 0 {
		user = "cache_effective_user nobody"
	}
	files := map[string]string{
		"squid.conf": strings.NewReplacer("DIR", dir, "OPEN", s.open, "GUARDED", s.guarded, "SECURE", s.secure, "USER", user).Replace(text),
		// Helpers read a question a line, percent-encoded, and answer it.
		"basic":  "while read user password; do [ \"$user $password\" = 'aladdin open%20sesame' ] && echo OK || echo ERR; done\n",
		"digest": "while read question; do [ \"$question\" = '\"aladdin\":\"squid\"' ] && echo 'OK ha1=\"" + ha1("aladdin:squid:open sesame") + "\"' || echo ERR; done\n",
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	giveTo(t, dir, "nobody")
	cmd := exec.Command(path, "-N", "-d", "1", "-f", filepath.Join(dir, "squid.conf"))
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	guard := time.AfterFunc(patience, func() { cmd.Process.Kill() })
	var said bytes.Buffer
	ports := strings.Count(text, "_port ")
	lines := bufio.NewReader(io.TeeReader(stderr, &said))
	for ports > 0 {
		line, err := lines.ReadString('\n')
		if err != nil {
			cmd.Wait()
			t.Fatalf("squid ended:\n%s", said.Bytes())
		}
		if strings.Contains(line, "| Accepting ") {
			ports--
		}
	}
	guard.Stop()
	for _, addr := range []string{s.open, s.guarded, s.secure} { // it says so a moment before it does
		if addr != "" {
			untilListening(t, addr)
		}
	}
	rest := make(chan struct{})
	go func() {
		defer close(rest)
		io.Copy(io.Discard, lines)
	}()
	t.Cleanup(func() {
		cmd.Process.Signal(syscall.SIGTERM)
		guard := time.AfterFunc(patience, func() { cmd.Process.Kill() })
		defer guard.Stop()
		<-rest
		if err := cmd.Wait(); err != nil {
			t.Errorf("squid ended: %v", err)
		}
		if t.Failed() {
			t.Logf("squid said:\n%s", said.Bytes())
		}
	})
	return s
}

// ha1 is what a server keeps in the place of a password for Digest (RFC 7616 section 3.4.2).
func ha1(s string) string {
	sum := md5.Sum([]byte(s))
	return hex.EncodeToString(sum[:])
}

// giveTo lets another user work in a folder of a test, if that can be: squid does not want to be root.
func giveTo(t *testing.T, dir, name string) {
	t.Helper()
	if os.Geteuid() != 0 {
		return
	}
	u, err := user.Lookup(name)
	if err != nil {
		t.Skip("squid would run as root: ", err)
	}
	uid, _ := strconv.Atoi(u.Uid)
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	paths := []string{dir}
	for _, e := range entries {
		paths = append(paths, filepath.Join(dir, e.Name()))
	}
	for _, p := range paths {
		if err := os.Chown(p, uid, -1); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(filepath.Dir(dir), 0o755); err != nil { // the folder around it is nobody else's
		t.Fatal(err)
	}
}

// freeAddr returns a host and port that nobody listens on, and that most likely nobody will until the program that is told does.
func freeAddr(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// untilListening waits for a program that does not say when it listens.
func untilListening(t *testing.T, addr string) {
	t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		c, err := net.Dial("tcp", addr)
		if err == nil {
			c.Close()
			return
		}
		if time.Now().After(end) {
			t.Fatal(err)
		}
	}
}

// via is the option for a proxy.
func via(t *testing.T, url string) okhttp.Option {
	t.Helper()
	p, err := okhttp.ParseProxy(url)
	if err != nil {
		t.Fatal(err)
	}
	return okhttp.WithProxy(p)
}

// counting is a dialer that counts.
type counting struct {
	net.Dialer
	n atomic.Int64
}

func (c *counting) DialContext(ctx context.Context, network, addr string) (net.Conn, error) {
	c.n.Add(1)
	return c.Dialer.DialContext(ctx, network, addr)
}

const configurationOfSquid = `
http_port OPEN
http_port GUARDED name=guarded
USER
pid_filename none
coredump_dir DIR
netdb_filename none
cache_log /dev/null
access_log none
cache deny all
pinger_enable off
shutdown_lifetime 0 seconds
visible_hostname squid.test
dns_nameservers 127.0.0.1
connect_retries 0

auth_param digest program /bin/sh DIR/digest
auth_param digest children 1
auth_param digest realm squid
auth_param basic program /bin/sh DIR/basic
auth_param basic children 1
auth_param basic realm squid

acl guarded myportname guarded
acl known proxy_auth REQUIRED
acl forbidden dst 127.0.0.2
http_access deny guarded !known
http_access deny forbidden
http_access allow all
`
