// Package oksse (module okhttp-sse) reads, follows and serves streams of server-sent events (HTML standard, section 9.2).
//
//	stream := oksse.NewStream(client, req, nil)
//	for e, err := range stream.Events(ctx) {
//		if err != nil {
//			return err // the stream is over for good
//		}
//		fmt.Println(e.Type, e.Data)
//	}
//
// A [Stream] does what the standard asks of a browser: when its connection ends or breaks, it waits for as long as the server wants, backs off from one
// that keeps failing, and goes on from the last event with Last-Event-ID. [Config] says what else it can do: stop after so many attempts, notice silence,
// keep the last ID in a file, change the request from attempt to attempt. What ends it is an error that says why.
//
// A [Factory] makes event sources as OkHttp does, for programs that were written to its API: one connection, a [Listener], no reconnection.
//
// # Reading and writing
//
// [Decoder] reads events from any reader, [Encoder] writes them to any writer. A decoder follows the standard, or OkHttp ([Mode]) in the few things that those differ in.
// Neither lines nor events are limited in size by a buffer; they are by MaxEventBytes, 16 MiB if nothing is said.
//
// # Serving
//
// [Handler] answers requests of net/http with a stream: a [Writer], which flushes each event and sends heartbeats in between. [Topic] is a handler that sends
// what is published to all its clients, and what they missed to those that come back.
//
// # Timeouts
//
// The timeouts of a client bound how long it may take until a stream is open. From then on the call timeout does not apply, and to a [Stream] neither does the
// read timeout: a stream may be silent. Config.IdleTimeout is for noticing silence that is none, given a server that sends heartbeats. Streams hold no place in a
// dispatcher.
//
// # Concurrency
//
// Everything that a Stream does, it does on the goroutine that loops over it, hooks and stores included; nothing is read while the body of the loop runs. A timer
// ends a read that takes too long. An event source runs on one goroutine from its first callback to its last. A Writer has one goroutine for its heartbeats,
// which Close waits for. A Topic has none.
//
// [Stream.State], [Stream.LastEventID], [Stream.Close], [EventSource.Cancel], and all methods of Writer and Topic may be called from any goroutine. Decoders and encoders
// belong to one goroutine at a time.
//
// Locks: Stream guards its state and its last ID, Topic what is kept, each by a mutex under which nothing blocks and no code of the user runs. Writer
// guards the connection by a channel of one slot, which is held while it writes. None is taken while another is held.
package oksse
