//go:build unix

// Package interop tests what others wrote with what is ours: the client and okcurl against nginx and through squid and microsocks, the mock server
// against curl, okcurl beside curl, and the client's RoundTripper under libraries that take an http.Client. Where a program is not installed, its tests are skipped. Everything stays on the loopback
// interface and in temporary folders.
package interop

import (
	"bytes"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// patience bounds what another program may take to end, far above what it needs.
const patience = 30 * time.Second

// nginx is a running server.
type nginx struct {
	dir       string // of its files
	root      string // of what it serves
	addr      string // host and port in cleartext
	secure    string // host and port under TLS
	second    string // the same as addr, with HTTP/2 under TLS
	authority *authority
	cmd       *exec.Cmd
	stderr    bytes.Buffer
	accessLog string
}

// url returns the URL of a path in cleartext.
func (n *nginx) url(path string) string { return "http://" + n.addr + path }

// program finds another program, or skips the test.
func program(t *testing.T, name string) string {
	t.Helper()
	if path, err := exec.LookPath(name); err == nil {
		return path
	}
	if path := "/usr/sbin/" + name; exec.Command(path, "-v").Run() == nil { // daemons are there, and users' PATHs are not
		return path
	}
	t.Skipf("%s is not installed", name)
	return ""
}

// startNginx starts nginx for a test. The locations are those of its server in cleartext, which serves the folder root.
func startNginx(t *testing.T, locations string) *nginx {
	t.Helper()
	path := program(t, "nginx")
	dir := t.TempDir()
	n := &nginx{dir: dir, root: filepath.Join(dir, "root"), accessLog: filepath.Join(dir, "access.log"), authority: newAuthority(t)}
	if err := os.Mkdir(n.root, 0o755); err != nil {
		t.Fatal(err)
	}
	// nginx takes over sockets that listen already: so nobody else can have the ports, and there is no start to wait for. It does so only
	// with a master process.
	clear, clearAddr := listening(t)
	secure, secureAddr := listening(t)
	second, secondAddr := listening(t)
	n.addr, n.secure, n.second = clearAddr, secureAddr, secondAddr
	n.authority.write(t, dir, "server", "a_b.test", "c.test", "127.0.0.1")
	text := strings.ReplaceAll(configuration, "LOCATIONS", locations)
	n.write(t, "nginx.conf", strings.NewReplacer("DIR", dir, "SECURE", secureAddr, "SECOND", secondAddr, "CLEAR", clearAddr, "USER", asUser(t)).Replace(text))

	n.cmd = exec.Command(path, "-p", dir, "-c", filepath.Join(dir, "nginx.conf"))
	n.cmd.Env = append(os.Environ(), "NGINX=3;4;5;")
	n.cmd.ExtraFiles = []*os.File{clear, secure, second} // 3, 4 and 5
	n.cmd.Stderr = &n.stderr
	if err := n.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	clear.Close()
	secure.Close()
	second.Close()
	t.Cleanup(func() { n.stop(t) })
	return n
}

// stop ends nginx, which must not have failed, and looks at what it logged of the requests.
func (n *nginx) stop(t *testing.T) {
	if err := n.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Errorf("ending nginx: %v", err)
	}
	guard := time.AfterFunc(patience, func() { n.cmd.Process.Kill() })
	defer guard.Stop()
	if err := n.cmd.Wait(); err != nil {
		t.Errorf("nginx ended: %v", err)
	}
	if t.Failed() {
		t.Logf("nginx said:\n%s", n.stderr.Bytes())
	}
	log, err := os.ReadFile(n.accessLog)
	if err != nil {
		t.Error(err)
	}
	// Each line ends with "." or, for a request that came before the response to the one before it, "p".
	for line := range strings.Lines(string(log)) {
		if !strings.HasSuffix(line, " .\n") {
			t.Errorf("a request was pipelined: %s", line)
		}
	}
}

// asUser is what lets nginx's worker stay who started it, and read the files of the test: root's worker would become somebody else.
func asUser(t *testing.T) string {
	t.Helper()
	if os.Geteuid() != 0 {
		return ""
	}
	me, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	group, err := user.LookupGroupId(me.Gid)
	if err != nil {
		t.Fatal(err)
	}
	return "user " + me.Username + " " + group.Name + ";"
}

// listening returns a listening socket, as a file, and its address.
func listening(t *testing.T) (*os.File, string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	f, err := l.(*net.TCPListener).File()
	if err != nil {
		t.Fatal(err)
	}
	return f, l.Addr().String()
}

// write makes a file in nginx's folder.
func (n *nginx) write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(n.dir, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// serve makes a file that nginx serves.
func (n *nginx) serve(t *testing.T, name, text string) {
	t.Helper()
	n.write(t, filepath.Join("root", name), text)
}

// configuration is everything that nginx would otherwise look for in the system.
const configuration = `
daemon off;
worker_processes 1;
USER
error_log stderr warn;
pid DIR/nginx.pid;

events { worker_connections 256; }

http {
	client_body_temp_path DIR/body;
	proxy_temp_path DIR/proxy;
	fastcgi_temp_path DIR/fastcgi;
	uwsgi_temp_path DIR/uwsgi;
	scgi_temp_path DIR/scgi;

	log_format line '$connection $connection_requests "$request" $status $pipe';
	access_log DIR/access.log line;
	default_type text/plain;
	types { text/html html; application/json json; }

	# Which connection a request came on, and as which of its requests.
	add_header X-Connection $connection always;
	add_header X-Requests $connection_requests always;

	server {
		listen CLEAR;
		server_name localhost;
		root DIR/root;
LOCATIONS
	}

	server {
		listen SECOND ssl http2;
		server_name localhost;
		root DIR/root;
		ssl_certificate DIR/server.pem;
		ssl_certificate_key DIR/server.key;
LOCATIONS
	}

	server {
		listen SECURE ssl;
		ssl_protocols TLSv1.2 TLSv1.3;
		server_name a_b.test;
		ssl_certificate DIR/server.pem;
		ssl_certificate_key DIR/server.key;
		location / { return 200 "a_b $host $ssl_server_name $ssl_protocol\n"; }
	}
	server {
		listen SECURE ssl;
		ssl_protocols TLSv1.2 TLSv1.3;
		server_name c.test;
		ssl_certificate DIR/server.pem;
		ssl_certificate_key DIR/server.key;
		ssl_client_certificate DIR/ca.pem;
		ssl_verify_client on;
		location / { return 200 "c $host $ssl_server_name $ssl_client_s_dn\n"; }
	}
}
`
