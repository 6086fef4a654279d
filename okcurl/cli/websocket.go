package cli

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/okhttp-go/ok/okhttp"
	okws "github.com/okhttp-go/ok/okhttp-ws"
)

// webSocketURL turns ws: and wss: into what they stand for, and reports whether that was it.
func webSocketURL(text string) (string, bool) {
	switch scheme, _ := schemeOf(text); strings.ToLower(scheme) {
	case "ws", "wss":
		return "http" + text[len("ws"):], true
	}
	return text, false
}

// talk sends the lines of the input as messages and prints those of the server, until one of both ends.
func (t *transfer) talk(ctx context.Context, client *okhttp.Client, req *okhttp.Request) *failure {
	interruptible := ctx
	ctx, cancel := t.o.within(ctx)
	defer cancel()
	if t.dest.open() != nil {
		return nil // the failure is the destination's
	}
	var failed *failure
	ws, err := okws.NewWebSocket(ctx, streamCaller{t, client}, req, okws.Listener{
		OnOpen: func(ws *okws.WebSocket, _ *okhttp.Response) { go t.sendLines(ctx, ws) },
		OnMessage: func(ws *okws.WebSocket, kind okws.Type, data []byte) {
			if kind == okws.Text {
				data = append(data, '\n')
			}
			if _, err := t.dest.Write(data); err != nil {
				ws.Cancel() // the failure is the destination's
			}
		},
		OnClosed: func(_ *okws.WebSocket, code okws.Code, reason string) {
			switch code {
			case okws.CodeNormal, okws.CodeGoingAway, okws.CodeNoStatus:
			default:
				failed = &failure{exitReceive, fmt.Sprintf("the server closed the web socket with %d %s", code, printable(reason))}
			}
		},
		OnFailure: func(_ *okws.WebSocket, err error, _ *okhttp.Response) {
			if !errors.Is(err, okws.ErrCanceled) || t.dest.err == nil {
				failed = t.webSocketFailure(interruptible, ctx, err)
			}
		},
	}, &okws.Config{
		Compression: okws.Compression{Off: !t.o.compress}, PingInterval: t.o.ping, CloseTimeout: closeLimit(t.o.closeTimeout), EchoClose: true,
	})
	if err != nil {
		return &failure{exitUsage, strings.TrimPrefix(err.Error(), "okws: ")}
	}
	<-ws.Done()
	return failed
}

// closeLimit is what --close-timeout means to the library, for which zero is the default.
func closeLimit(d time.Duration) time.Duration {
	switch d {
	case unset:
		return 0
	case 0:
		return -1
	}
	return d
}

// sendLines sends each line of the input, and closes after the last. When the server ends first it stays behind, because reading the input cannot be interrupted.
func (t *transfer) sendLines(ctx context.Context, ws *okws.WebSocket) {
	in := bufio.NewReader(t.in)
	for {
		line, err := in.ReadBytes('\n')
		if len(line) > 0 && ws.SendContext(ctx, okws.Text, bytes.TrimRight(line, "\r\n"), nil) != nil {
			return
		}
		if err != nil {
			_ = ws.Close(okws.CodeNormal, "")
			return
		}
	}
}

// webSocketFailure finds the code and the words for what ended a web socket.
func (t *transfer) webSocketFailure(interruptible, ctx context.Context, err error) *failure {
	if refused, ok := errors.AsType[*okws.HandshakeError](err); ok {
		if refused.Response != nil && refused.Response.Status != 101 {
			return &failure{exitStatus, fmt.Sprintf("the server answered %03d, not with a web socket", refused.Response.Status)}
		}
		return &failure{exitWeirdReply, refused.Detail}
	}
	if broken, ok := errors.AsType[*okws.ProtocolError](err); ok {
		return &failure{exitReceive, "the server broke the rules of web sockets: " + broken.Detail}
	}
	if late := (interface{ Timeout() bool })(nil); errors.As(err, &late) && late.Timeout() || ctx.Err() != nil && interruptible.Err() == nil {
		return &failure{exitTimeout, strings.TrimPrefix(err.Error(), "okws: ")}
	}
	return t.o.classify(interruptible, err)
}
