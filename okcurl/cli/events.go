package cli

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"
)

// eventLines prints the events that the library logs, one a line: when, what, and what about it. It implements [slog.Handler].
type eventLines struct {
	w io.Writer
}

func (e *eventLines) Enabled(context.Context, slog.Level) bool { return true }
func (e *eventLines) WithAttrs([]slog.Attr) slog.Handler       { return e }
func (e *eventLines) WithGroup(string) slog.Handler            { return e }

// Handle implements [slog.Handler].
func (e *eventLines) Handle(_ context.Context, r slog.Record) error {
	var b strings.Builder
	after := time.Duration(0)
	r.Attrs(func(a slog.Attr) bool {
		if a.Key == "after" {
			after = a.Value.Duration()
			return true
		}
		fmt.Fprintf(&b, " %s=%s", a.Key, printable(a.Value.String()))
		return true
	})
	_, err := fmt.Fprintf(e.w, "%10.3f ms  %s%s\n", after.Seconds()*1000, strings.TrimPrefix(r.Message, "okhttp: "), b.String())
	return err
}
