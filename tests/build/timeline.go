package build

import (
	"bytes"
	"context"
	"encoding/xml"
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/okhttp"
)

// timelineDir is where the pictures go, below docs. They are made for each build of the site, of real calls.
const timelineDir = "public/timelines"

// Timelines draws what listeners are told of calls to a server in the same process.
func (w *Workspace) Timelines(ctx context.Context) error {
	dir := filepath.Join(w.dir("docs"), filepath.FromSlash(timelineDir))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	runs, err := timelineRuns(ctx)
	if err != nil {
		return fmt.Errorf("timelines: %w", err)
	}
	for name, t := range runs {
		if err := os.WriteFile(filepath.Join(dir, name+".svg"), t.draw(), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// deaf is an address that nobody answers at; it is kept for documentation (RFC 5737).
var deaf = netip.MustParseAddr("192.0.2.1")

// timelineRuns makes the calls: over a new connection, over the same again with a redirect on the way, and to a host whose first address does not answer.
func timelineRuns(ctx context.Context) (map[string]*timeline, error) {
	const host, slow = "example.test", "slow.test"
	server, err := mockserver.Start(mockserver.WithHost(host), mockserver.WithLocalhostTLS(host, slow),
		mockserver.WithDispatcher(mockserver.DispatcherFunc(func(_ context.Context, r *mockserver.Request) mockserver.Response {
			if r.Target == "/moved" {
				return mockserver.Reply(302).Header("Location", "/").HeadDelay(2 * time.Millisecond)
			}
			return mockserver.Reply(200).Text(strings.Repeat("hello ", 1000)).HeadDelay(3*time.Millisecond).Throttle(3000, 2*time.Millisecond)
		})))
	if err != nil {
		return nil, err
	}
	defer server.Close()
	here := netip.MustParseAddr("127.0.0.1")
	names := okhttp.DNSFunc(func(_ context.Context, name string) ([]netip.Addr, error) {
		time.Sleep(time.Millisecond) // as near as a resolver is
		if name == slow {
			return []netip.Addr{deaf, here}, nil
		}
		return []netip.Addr{here}, nil
	})
	settings := []okhttp.Option{okhttp.WithDNS(names), okhttp.WithTLSConfig(server.ClientTLSConfig()), okhttp.WithDialer(patientDialer{})}
	client, other := okhttp.New(settings...), okhttp.New(settings...) // which has no connection yet
	defer client.Close()
	defer other.Close()
	runs := map[string]*timeline{}
	for _, run := range []struct {
		name, url string
		client    *okhttp.Client
	}{
		{"new", server.URL("/"), client},
		{"redirect", server.URL("/moved"), client},
		{"fallback", strings.Replace(server.URL("/"), host, slow, 1), other},
	} {
		t := new(timeline)
		resp, err := run.client.With(okhttp.WithEventListener(t.listen)).Get(ctx, run.url)
		if err != nil {
			return nil, err
		}
		if _, err := resp.Body.Text(); err != nil {
			return nil, err
		}
		runs[run.name] = t
	}
	return runs, nil
}

// patientDialer connects, but never to the deaf address.
type patientDialer struct{ net.Dialer }

func (d patientDialer) DialContext(ctx context.Context, network, addr string) (net.Conn, error) {
	if strings.HasPrefix(addr, deaf.String()) {
		<-ctx.Done()
		return nil, context.Cause(ctx)
	}
	return d.Dialer.DialContext(ctx, network, addr)
}

// span is a time that something took.
type span struct {
	row, text  string
	kind       string // the class of its color
	begin, end time.Duration
}

// timeline is one call.
type timeline struct {
	mu    sync.Mutex
	began time.Time
	spans []*span
	total time.Duration
}

func (t *timeline) open(row, kind, text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.spans = append(t.spans, &span{row: row, kind: kind, text: text, begin: time.Since(t.began), end: -1})
}

// shut ends the latest open span of a row.
func (t *timeline) shut(row, more string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i := len(t.spans) - 1; i >= 0; i-- {
		if s := t.spans[i]; s.row == row && s.end < 0 {
			s.end = time.Since(t.began)
			s.text += more
			return
		}
	}
}

// listen is an event listener factory.
func (t *timeline) listen(*okhttp.Call) *okhttp.EventListener {
	tls := func(e okhttp.ConnectEvent) string { return "TLS to " + e.Route.Addr().Addr().String() }
	connect := func(e okhttp.ConnectEvent) string { return "connect to " + e.Route.Addr().Addr().String() }
	return &okhttp.EventListener{
		CallStart:           func(okhttp.CallStart) { t.began = time.Now() },
		DNSStart:            func(e okhttp.DNSEvent) { t.open("look up", "dns", e.Host) },
		DNSEnd:              func(e okhttp.DNSEvent) { t.shut("look up", fmt.Sprintf(": %d", len(e.Addrs))) },
		ConnectStart:        func(e okhttp.ConnectEvent) { t.open(connect(e), "tcp", "") },
		SecureConnectStart:  func(e okhttp.ConnectEvent) { t.shut(connect(e), ""); t.open(tls(e), "tls", "") },
		SecureConnectEnd:    func(e okhttp.ConnectEvent) { t.shut(tls(e), string(e.Handshake.Version)) },
		ConnectFailed:       func(e okhttp.ConnectEvent) { t.shut(connect(e), "given up"); t.shut(tls(e), "given up") },
		RequestHeadersStart: func(*okhttp.Call) { t.open("request", "send", "") },
		RequestHeadersEnd: func(e okhttp.RequestHeadersEnd) {
			t.shut("request", e.Request.Method())
			t.open("the server", "wait", "")
		},
		ResponseHeadersStart: func(*okhttp.Call) { t.shut("the server", "thinks"); t.open("response", "read", "") },
		ResponseHeadersEnd:   func(e okhttp.ResponseHeadersEnd) { t.shut("response", fmt.Sprint(e.Response.Status)) },
		ResponseBodyStart:    func(*okhttp.Call) { t.open("body", "read", "") },
		ResponseBodyEnd:      func(e okhttp.BodyEnd) { t.shut("body", fmt.Sprint(e.Bytes, " bytes")) },
		CallEnd:              func(okhttp.CallEnd) { t.mu.Lock(); t.total = time.Since(t.began); t.mu.Unlock() },
	}
}

const (
	timelineWidth = 640 // of the bars
	timelineLabel = 170
	timelineRow   = 24
)

// draw is the picture: a row for each thing, from left to right in time. It brings its own ground, so that its words can be read whatever the page around it looks like.
func (t *timeline) draw() []byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	var rows []string
	at := map[string]int{}
	for _, s := range t.spans {
		if _, ok := at[s.row]; !ok {
			at[s.row] = len(rows)
			rows = append(rows, s.row)
		}
	}
	height := timelineRow*(len(rows)+1) + 12
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="system-ui,sans-serif" font-size="12">`+"\n", timelineLabel+timelineWidth+90, height)
	b.WriteString("<style>text{fill:#57606a}.ground{fill:#fff}@media(prefers-color-scheme:dark){text{fill:#9198a1}.ground{fill:#161b22}}.dns{fill:#8a63d2}.tcp{fill:#2f81f7}.tls{fill:#1f9d8b}.send{fill:#d29922}.wait{fill:#9aa4b2}.read{fill:#3fb950}line{stroke:#7d8590;stroke-opacity:.3}</style>\n")
	b.WriteString(`<rect class="ground" width="100%" height="100%" rx="6"/>` + "\n")
	x := func(d time.Duration) float64 {
		return timelineLabel + timelineWidth*float64(d)/float64(max(t.total, 1))
	}
	step := niceStep(t.total)
	for d := time.Duration(0); d <= t.total; d += step {
		fmt.Fprintf(&b, `<line x1="%.1f" x2="%.1f" y1="0" y2="%d"/><text x="%.1f" y="%d">%v</text>`+"\n", x(d), x(d), height-20, x(d)+3, height-8, d)
	}
	for i, row := range rows {
		fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="end">%s</text>`+"\n", timelineLabel-8, timelineRow*i+20, escapeXML(row))
	}
	for _, s := range t.spans {
		y, end := timelineRow*at[s.row]+8, s.end
		if end < 0 {
			end = t.total
		}
		fmt.Fprintf(&b, `<rect class="%s" x="%.1f" y="%d" width="%.1f" height="14" rx="3"/>`, s.kind, x(s.begin), y, max(x(end)-x(s.begin), 2))
		fmt.Fprintf(&b, `<text x="%.1f" y="%d">%s</text>`+"\n", x(end)+5, y+11, escapeXML(s.text))
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}

func escapeXML(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s))
	return b.String()
}

// niceStep is the distance of the lines: 1, 2 or 5 of a power of ten, so that there are four to ten of them.
func niceStep(total time.Duration) time.Duration {
	step := time.Microsecond
	for i := 0; total/step > 10; i++ { // by 2, 2.5 and 2
		if step *= 2; i%3 == 1 {
			step = step * 5 / 4
		}
	}
	return step
}
