package oklog

import (
	"context"
	"log/slog"
	"strings"
	"sync/atomic"
	"time"

	"github.com/okhttp-go/ok/okhttp"
)

// Level is how much is printed.
type Level int32

const (
	None    Level = iota // nothing
	Basic                // a line for the request and one for the response
	Headers              // these and the headers
	Body                 // these and the bodies, where that is possible
)

// String returns the name of the level.
func (l Level) String() string {
	switch l {
	case None:
		return "None"
	case Basic:
		return "Basic"
	case Headers:
		return "Headers"
	case Body:
		return "Body"
	}
	return "Level(?)"
}

// Config configures an [Interceptor]. Its zero value prints nothing.
type Config struct {
	// Level is how much is printed, to begin with: see [Interceptor.SetLevel].
	Level Level
	// RedactHeaders names headers whose values are not printed, besides Authorization, Cookie, Proxy-Authorization and Set-Cookie. Case
	// does not count.
	RedactHeaders []string
	// RedactQuery names query parameters whose values are not printed: in the URLs of requests, and in Location and the other headers
	// that are URLs. Case does not count.
	RedactQuery []string
	// MaxBody is how much of a body is printed, and kept in memory for that, in bytes. 0 and less: 64 KiB.
	MaxBody int64
}

// Interceptor prints what passes by. It is an [okhttp.Interceptor] and safe for concurrent use; what prints the lines must be too. The lines
// of calls that run at the same time mix.
type Interceptor struct {
	level   atomic.Int32
	redact  redactor
	maxBody int64
	print   func(ctx context.Context, line string)
	enabled func(ctx context.Context) bool
}

// New makes an interceptor that prints with a function, called for one line at a time, without its end, and for the text of a body as a whole.
// c may be nil.
func New(print func(line string), c *Config) *Interceptor {
	return newInterceptor(c, func(_ context.Context, line string) { print(line) }, func(context.Context) bool { return true })
}

// NewSlog makes an interceptor that logs each line at level info, with the context of the call. Lines without text are left out. c may be nil.
func NewSlog(logger *slog.Logger, c *Config) *Interceptor {
	return newInterceptor(c, func(ctx context.Context, line string) {
		if line != "" {
			logger.LogAttrs(ctx, slog.LevelInfo, line)
		}
	}, func(ctx context.Context) bool { return logger.Enabled(ctx, slog.LevelInfo) })
}

func newInterceptor(c *Config, print func(context.Context, string), enabled func(context.Context) bool) *Interceptor {
	if c == nil {
		c = new(Config)
	}
	i := &Interceptor{redact: newRedactor(c.RedactHeaders, c.RedactQuery), maxBody: c.MaxBody, print: print, enabled: enabled}
	if i.maxBody <= 0 {
		i.maxBody = 64 << 10
	}
	i.SetLevel(c.Level)
	return i
}

// Level returns how much is printed.
func (i *Interceptor) Level() Level { return Level(i.level.Load()) }

// SetLevel changes how much is printed, of requests and responses whose request comes by later.
func (i *Interceptor) SetLevel(l Level) { i.level.Store(int32(l)) }

// Intercept implements [okhttp.Interceptor].
func (i *Interceptor) Intercept(ctx context.Context, chain okhttp.Chain) (*okhttp.Response, error) {
	req := chain.Request()
	level := i.Level()
	if level <= None || !i.enabled(ctx) {
		return chain.Proceed(ctx, req)
	}
	e := &entry{Interceptor: i, ctx: ctx, level: level}
	protocol := ""
	if conn, ok := chain.Connection(); ok {
		protocol = " " + string(conn.Protocol())
	}
	e.request(req, protocol)
	e.began = time.Now()
	resp, err := chain.Proceed(ctx, req)
	if err != nil {
		e.line("<-- HTTP FAILED: ", err.Error(), ". ", i.redact.url(req.URL()), " (", e.took(), ")")
		return nil, err
	}
	if e.response(req, resp) && protocol != "" {
		// On the way from the network a client may unpack a body from where it comes, past what was read ahead.
		resp = resp.With(okhttp.ResponseBodyFrom(resp.Body.ContentType(), resp.Body.Len(), resp.Body))
	}
	return resp, nil
}

// entry is what is printed of one exchange.
type entry struct {
	*Interceptor
	ctx   context.Context
	level Level
	began time.Time
}

func (e *entry) line(parts ...string) { e.print(e.ctx, printable(strings.Join(parts, ""))) }

// took returns the time since the request was passed on.
func (e *entry) took() string { return number(time.Since(e.began).Milliseconds()) + "ms" }

// headers prints all fields.
func (e *entry) headers(h okhttp.Headers) {
	for name, value := range h.All() {
		e.line(name, ": ", e.redact.header(name, value))
	}
}
