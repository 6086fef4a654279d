package okhttp

import "context"

// waiting is a stretch of a call without a connection: in the queue, connecting, or between two tries. It ends early when the call is
// canceled or the client closed.
type waiting struct {
	call       *Call
	cancel     context.CancelFunc
	prev, next *waiting // of the client's list, guarded by the client
}

// wait begins such a stretch under a context of its own, until end. It fails if the call is canceled or the client closed already.
func (c *Call) wait(ctx context.Context) (context.Context, *waiting, error) {
	ctx, cancel := context.WithCancel(ctx)
	w := &waiting{call: c, cancel: cancel}
	c.client.enlist(w)
	c.waiting.Store(w)
	// Whoever canceled the call or closed the client before this point may not have seen it waiting.
	var err error
	switch {
	case c.canceled.Load():
		err = ErrCanceled
	case c.client.closed.Load():
		err = ErrClientClosed
	}
	if err != nil {
		w.end()
		return nil, nil, err
	}
	return ctx, w, nil
}

func (w *waiting) end() {
	w.call.waiting.Store(nil)
	w.call.client.delist(w)
	w.cancel()
}

func (c *Client) enlist(w *waiting) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if w.next = c.waiting; w.next != nil {
		w.next.prev = w
	}
	c.waiting = w
}

func (c *Client) delist(w *waiting) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if w.prev != nil {
		w.prev.next = w.next
	} else {
		c.waiting = w.next
	}
	if w.next != nil {
		w.next.prev = w.prev
	}
}
