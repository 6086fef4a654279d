//go:build unix

package interop

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/mockserver/match"
	"github.com/okhttp-go/ok/okhttp/http2"
)

// fetchScript is what a browser or Node does, in a function run(origin) that returns a promise of lines.
const fetchScript = `
async function run(origin) {
  const lines = [];
  const attempt = async (name, what) => {
    try { lines.push(name + ": " + await what()); } catch (e) { lines.push(name + ": " + e.name); }
  };
  await attempt("text", async () => (await fetch(origin + "/text")).text());
  await attempt("headers", async () => { const r = await fetch(origin + "/headers"); return r.status + " " + r.headers.get("x-one"); });
  await attempt("post", async () => (await fetch(origin + "/echo", {method: "POST", body: "b".repeat(100000)})).text());
  await attempt("chunked", async () => (await fetch(origin + "/chunked")).text());
  await attempt("dribble", async () => (await fetch(origin + "/dribble")).text());
  await attempt("hints", async () => (await fetch(origin + "/hints")).text());
  await attempt("cut", async () => (await fetch(origin + "/cut")).text());
  await attempt("closed", async () => (await fetch(origin + "/closed")).text());
  await attempt("garbage", async () => (await fetch(origin + "/garbage")).text());
  await attempt("aborted", async () => (await fetch(origin + "/stall", {signal: AbortSignal.timeout(200)})).text());
  await attempt("again", async () => (await fetch(origin + "/text")).text());
  return lines;
}
`

var scriptWant = []string{
	"text: hello", "headers: 418 1", "post: 100000 bytes", "chunked: abcdef", "dribble: abcdef", "hints: after hints", "cut: TypeError", "closed: TypeError",
	"garbage: TypeError", "aborted: TimeoutError", "again: hello",
}

// fetchSite answers the script.
func fetchSite(page string) mockserver.Dispatcher {
	return mockserver.DispatcherFunc(func(_ context.Context, r *mockserver.Request) mockserver.Response {
		text := mockserver.Reply(200).Header("Access-Control-Allow-Origin", "*").Header("Content-Type", "text/plain").Text("abcdef")
		switch r.Target {
		case "/":
			return mockserver.Reply(200).Header("Content-Type", "text/html; charset=utf-8").Text(page)
		case "/text":
			return text.Text("hello")
		case "/headers":
			return text.Status(418).Header("X-One", "1")
		case "/echo":
			return text.Text(strconv.FormatInt(r.BodySize, 10) + " bytes")
		case "/chunked":
			return text.Chunked(1, 2).Trailer("Sum", "1")
		case "/dribble":
			return text.Dribble(3, 50*time.Millisecond)
		case "/hints":
			return text.Informational(103, "Link", "</style.css>; rel=preload").Text("after hints")
		case "/cut":
			if r.Proto == "HTTP/2" {
				return text.On(mockserver.ResponseBody, mockserver.CloseStream{Code: http2.InternalError})
			}
			return text.On(mockserver.ResponseBody, mockserver.CloseSocket{})
		case "/closed":
			return text.On(mockserver.ResponseStart, mockserver.CloseSocket{})
		case "/garbage":
			return text.On(mockserver.ResponseStart, mockserver.Garbage{Bytes: 500})
		case "/stall":
			return text.On(mockserver.ResponseStart, mockserver.Stall{})
		}
		return mockserver.Reply(404)
	})
}

// wantLines compares what a script said, and looks at the version that its requests came over.
func wantLines(t *testing.T, s *mockserver.Server, got, proto string) {
	t.Helper()
	for _, line := range scriptWant {
		if !strings.Contains(got, line+"\n") {
			t.Errorf("no line %q", line)
		}
	}
	if t.Failed() {
		t.Logf("said:\n%s", got)
	}
	seen := 0
	for {
		r, ok := s.TryTakeRequest()
		if !ok {
			break
		}
		if r.Proto == proto && r.Failure == nil {
			seen++
		}
	}
	if seen < len(scriptWant) {
		t.Errorf("%d requests came over %s", seen, proto)
	}
}

// TestNodeFetch lets the fetch of Node, which is undici's, meet responses and faults.
func TestNodeFetch(t *testing.T) {
	node := program(t, "node")
	for _, way := range []string{"cleartext", "TLS"} {
		t.Run(way, func(t *testing.T) {
			opts := []mockserver.Option{mockserver.WithDispatcher(fetchSite(""))}
			if way == "TLS" {
				opts = append(opts, mockserver.WithLocalhostTLS())
			}
			s := mockserver.New(t, opts...)
			folder := t.TempDir()
			file := filepath.Join(folder, "run.mjs")
			if err := os.WriteFile(file, []byte(fetchScript+"for (const line of await run(process.argv[2])) console.log(line);\nprocess.exit(0);\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			cmd := exec.CommandContext(t.Context(), node, file, strings.TrimSuffix(s.URL("/"), "/"))
			cmd.Env = os.Environ()
			if pem := s.CertificatePEM(); pem != nil {
				ca := filepath.Join(folder, "ca.pem")
				if err := os.WriteFile(ca, pem, 0o644); err != nil {
					t.Fatal(err)
				}
				cmd.Env = append(cmd.Env, "NODE_EXTRA_CA_CERTS="+ca)
			}
			var out, stderr bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &stderr
			if err := cmd.Run(); err != nil {
				t.Fatalf("node: %v\n%s", err, &stderr)
			}
			wantLines(t, s, out.String(), "HTTP/1.1")
		})
	}
}

// TestChromium lets a browser load a page that fetches, over HTTP/1.1 and, under TLS, over HTTP/2.
func TestChromium(t *testing.T) {
	page := `<!doctype html><title>page</title><script>` + fetchScript + `
run(location.origin).then(lines => fetch("/report", {method: "POST", body: lines.join("\n") + "\n"}));
</script>`
	for _, way := range []struct {
		name  string
		opts  []mockserver.Option
		proto string
	}{{"cleartext", nil, "HTTP/1.1"}, {"TLS", []mockserver.Option{mockserver.WithLocalhostTLS()}, "HTTP/2"}} {
		t.Run(way.name, func(t *testing.T) {
			s := mockserver.New(t, append(way.opts, mockserver.WithDispatcher(fetchSite(page)))...)
			browse(t, s.URL("/"), "--ignore-certificate-errors")
			found, err := s.AwaitRequests(browsing(t), match.Path("/report"), 1)
			if err != nil {
				t.Fatalf("no report came: %v", err)
			}
			wantLines(t, s, string(found[0].Body), way.proto)
		})
	}
}
