package http2

import "github.com/okhttp-go/ok/okio"

// takeData begins a frame of content.
func (r *receiver) takeData() error {
	c, h := r.conn, r.frame
	pad := 0
	if h.Flags&FlagPadded != 0 {
		first, err := r.in.ReadByte()
		if err != nil {
			return err
		}
		if pad, err = h.PadLength(first); err != nil {
			return err
		}
	}
	if f := c.cfg.Frames; f != nil {
		f(true, h, nil)
	}
	content := h.Length - pad
	if h.Flags&FlagPadded != 0 {
		content--
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	s, err := c.expectContent(h, content)
	c.flushAside()
	if s == nil {
		content, pad = 0, content+pad
	}
	r.target, r.content, r.padding, r.toldLast = s, content, pad, false
	r.moveContent() // what is there already, which is all of it as a rule
	c.noteWindow(nil)
	if s != nil {
		c.noteWindow(s)
	}
	return err // of a stream alone: its bytes are skipped as padding
}

// takeContent hands content over.
func (r *receiver) takeContent() {
	c, s := r.conn, r.target
	c.mu.Lock()
	defer c.mu.Unlock()
	r.moveContent()
	c.noteWindow(s)
}

// moveContent hands over what is there of the content of a frame. The lock is held.
func (r *receiver) moveContent() {
	if r.content > 0 {
		r.moveSome(min(r.content, int(r.in.Len())))
	}
	if r.content == 0 && r.padding == 0 {
		r.endContent()
	}
}

func (r *receiver) moveSome(n int) {
	c, s := r.conn, r.target
	r.content -= n
	if n == 0 {
		return
	}
	if s.err == nil && !s.unwanted {
		if s.promised {
			e := pushEvent{kind: pushData, stream: s, data: new(okio.Buffer), bytes: int64(n)}
			_, _ = r.in.ReadBuffer(e.data, int64(n))
			r.toldLast = r.content == 0 && r.padding == 0 && r.frame.Flags&FlagEndStream != 0
			e.last = r.toldLast
			c.push(e)
		} else {
			_, _ = r.in.ReadBuffer(&s.in, int64(n))
			s.reader.tell()
		}
	} else {
		_ = r.in.Skip(int64(n))
		c.unread -= n
		if s.credit(int64(n)) {
			c.flushAside()
		}
	}
}

// endContent ends a frame of content. The lock is held.
func (r *receiver) endContent() {
	s := r.target
	r.target = nil
	if s == nil || r.frame.Flags&FlagEndStream == 0 {
		return
	}
	if s.err == nil { // else its content was dropped, and must not look whole
		if s.promised && !r.toldLast { // the end came without content, or behind padding
			r.conn.push(pushEvent{kind: pushData, stream: s, data: new(okio.Buffer), last: true})
		}
		s.endInput()
	}
}
