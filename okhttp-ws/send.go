package okws

import (
	"context"
	"unsafe"
)

// SendText queues a text message and reports whether it was taken: not after Close, nor after the web socket failed, nor when the queue is full
// ([Config.QueueLimit]), which with [QueueCloses] ends the web socket with 1001 after what is queued. It does not wait, except with [QueueBlocks] for room.
func (ws *WebSocket) SendText(text string) bool {
	return ws.send(context.Background(), ws.message(Text, unsafe.Slice(unsafe.StringData(text), len(text))), ws.cfg.QueueFull) == nil
}

// Send is SendText for a message of any type. It keeps no reference to p.
func (ws *WebSocket) Send(t Type, p []byte) bool {
	return checkType(t) == nil && ws.send(context.Background(), ws.message(t, append([]byte(nil), p...)), ws.cfg.QueueFull) == nil
}

// SendContext is Send that waits for room in the queue until ctx ends, whatever the policy, and says why a message was not taken: with [ErrQueueFull] only
// if it is larger than the queue. written, unless nil, is called when the message was written, or with the error that prevented that, and must not wait.
func (ws *WebSocket) SendContext(ctx context.Context, t Type, p []byte, written func(error)) error {
	if err := checkType(t); err != nil {
		return err
	}
	m := ws.message(t, append([]byte(nil), p...))
	m.written = written
	return ws.send(ctx, m, QueueBlocks)
}

// SendWith is Send with a choice whether the message is compressed, whatever its size.
func (ws *WebSocket) SendWith(t Type, p []byte, compress bool) bool {
	if checkType(t) != nil {
		return false
	}
	m := ws.message(t, append([]byte(nil), p...))
	m.compress = compressNever
	if compress {
		m.compress = compressAlways
	}
	return ws.send(context.Background(), m, ws.cfg.QueueFull) == nil
}

func (ws *WebSocket) message(t Type, p []byte) outgoing { return outgoing{kind: opcode(t), payload: p} }

func (ws *WebSocket) send(ctx context.Context, m outgoing, full QueuePolicy) error {
	for {
		wait, err := ws.enqueue(m)
		if err != ErrQueueFull {
			return err
		}
		if full == QueueCloses {
			_ = ws.Close(CodeGoingAway, "")
		}
		if full != QueueBlocks || wait == nil {
			return err
		}
		select {
		case <-wait:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// enqueue is that of Conn, also when there is none yet.
func (ws *WebSocket) enqueue(m outgoing) (wait <-chan struct{}, err error) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	n := int64(len(m.payload))
	switch {
	case ws.failed != nil:
		return nil, ws.failed
	case ws.conn != nil:
		return ws.conn.enqueue(m)
	case ws.closing:
		return nil, ErrClosed
	case m.kind != opClose && n > ws.cfg.QueueLimit:
		return nil, ErrQueueFull
	case m.kind != opClose && ws.size+n > ws.cfg.QueueLimit:
		return ws.decided, ErrQueueFull
	}
	ws.early = append(ws.early, m)
	ws.size += n
	ws.closing = m.kind == opClose
	return nil, nil
}

// Flush waits until everything that was queued before is written.
func (ws *WebSocket) Flush(ctx context.Context) error {
	select {
	case <-ws.decided:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	ws.mu.Lock()
	c, err := ws.conn, ws.failed
	ws.mu.Unlock()
	if c == nil {
		return err
	}
	return c.flushed(ctx)
}

// Close queues a close frame behind the messages that are queued. Nothing can be sent after it, while messages of the peer are still told of until it closes too. If it
// does not within [Config.CloseTimeout] of the frame being written, the web socket fails.
//
// A code or reason that cannot be sent is an [*ArgumentError] and does nothing. For all but the first call, and after a failure, the error is [ErrClosed] or
// what the failure was.
func (ws *WebSocket) Close(code Code, reason string) error {
	if err := checkClose(code, reason); err != nil {
		return err
	}
	_, err := ws.enqueue(outgoing{kind: opClose, code: code, reason: reason, written: ws.closeSent})
	return err
}

// Cancel ends the web socket at once, also while it connects. What is queued is lost, the peer is told nothing, and OnFailure gets [ErrCanceled], or the error of the
// canceled call. After the end it does nothing.
func (ws *WebSocket) Cancel() {
	ws.mu.Lock()
	ws.canceled = true
	c := ws.conn
	ws.mu.Unlock()
	if c != nil {
		_ = c.fail(ErrCanceled)
		return
	}
	if ws.call != nil {
		ws.call.Cancel()
	}
}
