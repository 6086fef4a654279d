package okhttp

// hold makes a connection that of the call.
func (c *Call) hold(conn *Connection) error {
	if conn.http2 != nil {
		conn.calls.add(c)
	} else {
		conn.owner.Store(c)
	}
	c.conn.Store(conn)
	held := false
	defer func() {
		if !held { // also when a listener panics
			conn.unfit()
			c.giveUp(conn)
		}
	}()
	conn.pool.acquired(c, conn)
	// Whoever canceled the call or closed the client before this point may not have seen the connection.
	switch {
	case c.canceled.Load():
		return ErrCanceled
	case c.client.closed.Load():
		return ErrClientClosed
	}
	if c.plan.planner != nil {
		c.plan.planner.resolved()
	}
	held = true
	if l := c.events.Load(); l != nil && l.ConnectionAcquired != nil {
		l.ConnectionAcquired(ConnectionEvent{c, conn})
	}
	return nil
}

// release gives the connection up, if the call holds one: back to its pool if it is fit for others, closed otherwise.
func (c *Call) release() {
	conn := c.conn.Load()
	if conn == nil {
		return
	}
	defer func() { // also if a listener of the pool panics
		if l := c.events.Load(); l != nil && l.ConnectionReleased != nil {
			l.ConnectionReleased(ConnectionEvent{c, conn})
		}
	}()
	c.giveUp(conn)
}

// giveUp is release without the event. Cancel sets its flag before it looks for a connection to cancel: if it found this one, the flag is
// seen here, and no other call gets a connection that is about to be canceled.
func (c *Call) giveUp(conn *Connection) {
	if conn.http2 != nil {
		conn.calls.remove(c)
	} else {
		conn.owner.Store(nil)
	}
	c.conn.Store(nil)
	defer func() { // also if a listener panics
		idle := conn.pool.giveBack(conn, c)
		if t := c.tracer(); idle && t != nil && t.PutIdleConn != nil {
			t.PutIdleConn(nil)
		}
	}()
	switch {
	case c.canceled.Load() && conn.http2 == nil:
		conn.pool.retire(conn, c, "its call was canceled")
	case !conn.reusable():
		conn.pool.retire(conn, c, "its last exchange leaves it unfit for another")
	}
}
