package adapters

// okhttp: Debian's OkHttp 3.13.1 on the JVM as an external process (java/OkBench.java).
// CPU and bytes are the JVM's own (application threads); allocation counts are not known.

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/okhttp-go/ok/tests/bench"
)

func init() { bench.Register("okhttp-jvm", okA{}) }

type okA struct{}

// WarmUp: the JIT needs seconds, not the runner's usual 150 ms.
// BENCH_JVM_WARMUP overrides it.
func (okA) WarmUp() time.Duration {
	if d, err := time.ParseDuration(os.Getenv("BENCH_JVM_WARMUP")); err == nil {
		return d
	}
	return 6 * time.Second
}

const okCP = "java/classes:/usr/share/java/okhttp.jar:/usr/share/java/okio.jar"

func (okA) Open(c bench.Config) (bench.Session, error) {
	if c.Gzip || c.Resolver != nil || c.TLSResume || os.Getenv("BENCH_NO_JVM") != "" {
		return nil, bench.ErrUnsupported
	}
	if _, err := os.Stat("java/classes/OkBench.class"); err != nil {
		return nil, bench.ErrUnsupported
	}
	proto := []string{"h1", "h1tls", "h2"}[c.Proto]
	ca, nc, cache := c.CAFile, "0", "-"
	if ca == "" {
		ca = "-"
	}
	if c.NewConnPerRequest {
		nc = "1"
	}
	if c.CacheDir != "" {
		cache = c.CacheDir + "/okhttp"
	}
	cmd := exec.Command("java", "-Xmx512m", "-cp", okCP, "OkBench", proto, ca, fmt.Sprint(c.MaxConns), nc, cache)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	s := &okS{c: c, cmd: cmd, in: in, out: bufio.NewReader(out)}
	_, err = s.out.ReadString('\n')
	return s, err
}

type okS struct {
	c    bench.Config
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
	hits int64
}

func (s *okS) RunLoad(ctx context.Context, l bench.Load) (sm bench.Sample, err error) {
	fmt.Fprintf(s.in, "LOAD %s %d %d %d %d\n", strings.Replace(l.URL, "https://127.0.0.1", "https://localhost", 1), l.Conc, l.Duration.Milliseconds(), l.MaxOps, l.Upload)
	line, err := s.out.ReadString('\n')
	if err != nil {
		return sm, err
	}
	if strings.HasPrefix(line, "ERR") {
		return sm, fmt.Errorf("%s", strings.TrimSpace(line))
	}
	var ops, el, p50, p99, al, cpu, body, rss, hits int64
	var proto string
	if _, err := fmt.Sscanf(line, "OK %d %d %d %d %d %d %d %d %s %d", &ops, &el, &p50, &p99, &al, &cpu, &body, &rss, &proto, &hits); err != nil {
		return sm, fmt.Errorf("%q: %w", line, err)
	}
	if os.Getenv("BENCH_DEBUG") != "" {
		fmt.Fprintln(os.Stderr, "okhttp", proto, line)
	}
	if s.c.Proto == bench.H2 && !strings.HasPrefix(proto, "h2") {
		return sm, fmt.Errorf("okhttp spoke %s, want h2", proto)
	}
	s.hits += hits
	if l.Upload > 0 {
		body = l.Want
	}
	return bench.Sample{Ops: ops, Elapsed: time.Duration(el), P50: time.Duration(p50), P99: time.Duration(p99), Mallocs: -1,
		Bytes: float64(al) / float64(ops), CPU: time.Duration(cpu), BodyLen: body, PeakRSS: rss << 10}, nil
}

func (s *okS) Hits() int64 { return s.hits }

func (s *okS) Get(ctx context.Context, u string) (int64, error) {
	sm, err := s.RunLoad(ctx, bench.Load{URL: u, Conc: 1, MaxOps: 1})
	return sm.BodyLen, err
}

func (s *okS) Close() error { s.in.Close(); return s.cmd.Wait() }
