// Package okws (module okhttp-ws) speaks web sockets (RFC 6455) with compression (RFC 7692), as a client over the connections of package okhttp and as
// a server for handlers of net/http.
//
//	conn, err := okws.Dial(ctx, client, "wss://example.com/chat", nil)
//	if err != nil {
//		return err
//	}
//	defer conn.CloseNow()
//
//	if err := conn.WriteText(ctx, "hello"); err != nil {
//		return err
//	}
//	for m, err := range conn.Messages(ctx) {
//		if err != nil {
//			return err
//		}
//		fmt.Println(m.Text())
//	}
//
// [Conn] blocks its caller, reading on the caller's goroutine and writing on it. [NewWebSocket] connects in the background and tells a [Listener] what comes; its messages
// leave through a queue. [Accept] is the server's side. All three are the same engine.
//
// # Errors
//
// What the peer does against the protocol is a [*ProtocolError], its close frame a [*CloseError], and both were answered. An answer that is no upgrade is a
// [*HandshakeError]. What this side may not do is an [*ArgumentError] and changes nothing. The first failure of a connection is what all later operations report.
//
// # Concurrency
//
// Every method of [Conn], [WebSocket] and [MessageWriter] may be called by any goroutine. A connection has two turns, to read and to write, each a one-slot channel, so that
// who waits for it obeys its context; the holder of one may wait for the network. Nobody waits for the turn to read while holding the one to write. A mutex guards what
// else there is in memory; it is held for no I/O and no foreign code, and may be taken with a turn held. A [WebSocket] has another one, taken before that of its connection.
//
// An idle connection has no goroutine of its own and holds no buffer: who reads waits on its own goroutine, and the listener's goroutine is the one that reads for it. A
// goroutine sends pongs and queued messages for as long as there are any, timers see to pings and limits, and after a violation one waits for at most a second
// until the peer has noticed. Functions of the application run without the mutex.
package okws
