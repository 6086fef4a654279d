package cli

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"math"
	"strings"
	"time"

	"github.com/okhttp-go/ok/okhttp"
	okcache "github.com/okhttp-go/ok/okhttp-cache"
	"github.com/okhttp-go/ok/okio"
)

// cacheCommand is "okcurl cache", which looks into the directory of a cache.
type cacheCommand struct {
	out, err  io.Writer
	dir       string
	urls      []string
	head, all bool
}

// list prints a line for each URL: the status, the bytes of the body as it is stored, when the response came, and the URL.
func (c *cacheCommand) list() error {
	in, err := c.inspect()
	if err != nil {
		return err
	}
	var b strings.Builder
	for _, e := range in.Entries {
		if !e.Variant {
			fmt.Fprintf(&b, "%d %9d %s %s\n", e.Status, e.BodyLen, e.Received.UTC().Format(time.RFC3339), printable(e.URL))
		}
	}
	return c.print(b.String())
}

// show prints the head of a stored response, and its body as it is stored.
func (c *cacheCommand) show() error {
	in, err := c.inspect()
	if err != nil {
		return err
	}
	u, err := okhttp.ParseURL(c.urls[0])
	if err != nil {
		return err
	}
	for _, e := range in.Entries {
		if e.URL != u.String() || e.Variant {
			continue
		}
		var b strings.Builder
		fmt.Fprintf(&b, "%s %03d %s\r\n", versionName(e.Protocol), e.Status, e.Message)
		for name, value := range e.Headers.All() {
			b.WriteString(name + ": " + value + "\r\n")
		}
		b.WriteString("\r\n")
		if err := c.print(b.String()); err != nil || c.head {
			return err
		}
		body, err := in.Body(e)
		if err != nil {
			return &failure{exitRead, "cannot read the cache: " + printable(rootText(err))}
		}
		source := okio.NewBufferedSource(body)
		defer source.Close()
		if _, err := source.WriteTo(c.out); err != nil {
			return (&destination{err: err}).close()
		}
		return nil
	}
	return &failure{exitRead, fmt.Sprintf("nothing is stored for %s", printable(c.urls[0]))}
}

// remove removes what is stored for URLs, or everything.
func (c *cacheCommand) remove() error {
	if _, err := c.inspect(); err != nil {
		return err // there is no cache, and none is to be made
	}
	cache, err := okcache.Open(c.dir, math.MaxInt64, okcache.Config{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return &failure{exitRead, fmt.Sprintf("cannot open the cache: %s", printable(rootText(err)))}
	}
	defer cache.Close()
	if c.all {
		if err := cache.EvictAll(); err != nil {
			return &failure{exitWrite, fmt.Sprintf("cannot remove everything: %s", printable(rootText(err)))}
		}
		return nil
	}
	for _, url := range c.urls {
		removed, err := cache.Evict(url)
		switch {
		case err != nil:
			return err
		case !removed:
			return &failure{exitRead, fmt.Sprintf("nothing is stored for %s", printable(url))}
		}
	}
	return nil
}

// stats prints what there is, in numbers.
func (c *cacheCommand) stats() error {
	in, err := c.inspect()
	if err != nil {
		return err
	}
	urls, heads, bodies := 0, int64(0), int64(0)
	var oldest, latest time.Time
	for _, e := range in.Entries {
		if !e.Variant {
			urls++
		}
		heads += e.HeadLen
		bodies += e.BodyLen
		if oldest.IsZero() || e.Received.Before(oldest) {
			oldest = e.Received
		}
		if e.Received.After(latest) {
			latest = e.Received
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "urls %d\nresponses %d\nbytes %d\nheads %d\nbodies %d\nproblems %d\n", urls, len(in.Entries), in.Size, heads, bodies, len(in.Problems))
	if len(in.Entries) > 0 {
		fmt.Fprintf(&b, "oldest %s\nlatest %s\n", oldest.UTC().Format(time.RFC3339), latest.UTC().Format(time.RFC3339))
	}
	return c.print(b.String())
}

// verify prints what is damaged, and fails if anything is.
func (c *cacheCommand) verify() error {
	in, err := c.inspect()
	if err != nil {
		return err
	}
	var b strings.Builder
	for _, p := range in.Problems {
		b.WriteString(printable(p.String()) + "\n")
	}
	if err := c.print(b.String()); err != nil {
		return err
	}
	if n := len(in.Problems); n > 0 {
		return &failure{exitDamaged, fmt.Sprintf("%d problems", n)}
	}
	return c.print(fmt.Sprintf("%d responses are as they should be\n", len(in.Entries)))
}

// print writes to the output.
func (c *cacheCommand) print(s string) error {
	if _, err := io.WriteString(c.out, s); err != nil {
		return (&destination{err: err}).close()
	}
	return nil
}

// cacheLog prints what a cache logs.
type cacheLog struct {
	s *session
}

func (l cacheLog) Enabled(context.Context, slog.Level) bool { return !l.s.o.silent }
func (l cacheLog) WithAttrs([]slog.Attr) slog.Handler       { return l }
func (l cacheLog) WithGroup(string) slog.Handler            { return l }

func (l cacheLog) Handle(_ context.Context, r slog.Record) error {
	text := r.Message
	r.Attrs(func(a slog.Attr) bool {
		text += " " + a.Key + "=" + a.Value.String()
		return true
	})
	_, err := fmt.Fprintf(l.s.err, "okcurl: warning: %s\n", printable(text))
	return err
}
