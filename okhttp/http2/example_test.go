package http2_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/okhttp-go/ok/okhttp/http2"
	"github.com/okhttp-go/ok/okio"
)

// tea is the head of a request that the examples make.
var tea = http2.RequestHead{Method: "POST", Scheme: "https", Authority: "example.com", Path: "/tea"}

// serve answers the requests of a connection, one after the other, until it ends.
func serve(conn *http2.Conn, answer func(s *http2.Stream, head []string) error) error {
	for {
		stream, head, _, err := conn.Accept(time.Time{}) // no deadline
		if err != nil {
			return err
		}
		if err := answer(stream, head); err != nil {
			stream.Cancel(http2.InternalError, err)
		}
		stream.Source().Close() // whatever was not read
	}
}

// Both sides of a connection, in memory. Over a network, raw is a connection on which both sides have agreed to speak HTTP/2.
func ExampleConn() {
	raw, peer := okio.ConnPair(1 << 16)
	server := http2.NewServer(peer, http2.Config{})
	defer server.Close()
	go serve(server, func(s *http2.Stream, head []string) error {
		order, err := io.ReadAll(okio.NewBufferedSource(s.Source()))
		if err != nil {
			return err
		}
		if err := s.SendHead(200, []string{"content-type", "text/plain"}, false); err != nil {
			return err
		}
		pot := okio.NewBufferedSink(s.Sink())
		fmt.Fprintf(pot, "a cup of %s", order)
		return errors.Join(pot.Flush(), s.SendTrailers([]string{"brewed", "4 minutes"})) // trailers end the response
	})

	client := http2.NewClient(raw, http2.Config{})
	defer client.Close()
	stream, err := client.Open(tea, []string{"Content-Type", "text/plain"}, false) // content follows
	if err != nil {
		fmt.Println(err)
		return
	}
	order := okio.NewBufferedSink(stream.Sink())
	order.WriteString("oolong")
	if err := order.Close(); err != nil { // sends it, and the end of the request
		fmt.Println(err)
		return
	}
	head, _, err := stream.ReadHead()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(http2.Status(head), head)
	body := okio.NewBufferedSource(stream.Source())
	defer body.Close()
	text, err := io.ReadAll(body)
	fmt.Println(string(text), err)
	trailers, err := stream.Trailers()
	fmt.Println(trailers, err)
	// Output:
	// 200 [:status 200 content-type text/plain]
	// a cup of oolong <nil>
	// [brewed 4 minutes] <nil>
}

// A server sees a request as fields, with the pseudo-headers first.
func ExampleNewServer() {
	raw, peer := okio.ConnPair(1 << 16)
	client := http2.NewClient(raw, http2.Config{})
	defer client.Close()
	stream, err := client.Open(tea, []string{"Accept", "text/plain"}, true) // no content
	if err != nil {
		fmt.Println(err)
		return
	}
	client.Flush() // Open alone sends nothing

	server := http2.NewServer(peer, http2.Config{MaxConcurrentStreams: 10})
	defer server.Close()
	accepted, fields, last, err := server.Accept(time.Now().Add(time.Minute))
	if err != nil {
		fmt.Println(err)
		return
	}
	pseudo, rest := http2.SplitPseudo(fields)
	fmt.Println(pseudo)
	fmt.Println(rest, last)
	if err := accepted.SendHead(204, nil, true); err != nil {
		fmt.Println(err)
		return
	}
	head, last, err := stream.ReadHead()
	fmt.Println(http2.Status(head), last, err)
	fmt.Println(client.MaxStreams()) // known since the server's settings came
	// Output:
	// [:method POST :path /tea :authority example.com :scheme https]
	// [accept text/plain] true
	// 204 true <nil>
	// 10
}

// A stream that is given up is reset: the other side learns of it, and the connection goes on.
func ExampleStream_Cancel() {
	raw, peer := okio.ConnPair(1 << 16)
	server := http2.NewServer(peer, http2.Config{})
	defer server.Close()
	began, ended := make(chan bool), make(chan error, 1)
	go serve(server, func(s *http2.Stream, head []string) error {
		close(began)
		_, err := io.ReadAll(okio.NewBufferedSource(s.Source()))
		ended <- err
		return err
	})

	client := http2.NewClient(raw, http2.Config{})
	defer client.Close()
	stream, err := client.Open(tea, nil, false)
	if err != nil {
		fmt.Println(err)
		return
	}
	client.Flush()
	<-began
	stream.Cancel(http2.Cancel, context.Canceled)
	_, _, err = stream.ReadHead()
	fmt.Println("client:", err)

	var reset *http2.StreamResetError
	fmt.Println("server:", errors.As(<-ended, &reset), reset.Code, reset.Remote)
	fmt.Println("the connection is usable:", client.Usable())
	// Output:
	// client: context canceled
	// server: true CANCEL true
	// the connection is usable: true
}

// A server that leaves answers what it has begun, and is asked nothing more.
func ExampleConn_Leave() {
	raw, peer := okio.ConnPair(1 << 16)
	server := http2.NewServer(peer, http2.Config{})
	defer server.Close()
	go serve(server, func(s *http2.Stream, head []string) error {
		server.Leave()
		return s.SendHead(204, nil, true)
	})

	client := http2.NewClient(raw, http2.Config{})
	defer client.Close()
	stream, err := client.Open(tea, nil, true)
	if err != nil {
		fmt.Println(err)
		return
	}
	head, _, err := stream.ReadHead()
	fmt.Println(http2.Status(head), err)

	_, err = client.Open(tea, nil, true)
	var goodbye *http2.GoAwayError
	fmt.Println(errors.As(err, &goodbye), goodbye.Code)
	// Output:
	// 204 <nil>
	// true NO_ERROR
}

// pushes is told of what a server pushes.
type pushes struct{ done chan string }

func (p *pushes) OnRequest(_ uint32, fields []string) bool {
	pseudo, _ := http2.SplitPseudo(fields)
	fmt.Println("promised:", pseudo)
	return false // true refuses it
}

func (p *pushes) OnHeaders(_ uint32, fields []string, _ bool) bool {
	fmt.Println("head:", http2.Status(fields))
	return false
}

func (p *pushes) OnData(_ uint32, data *okio.BufferedSource, n int64, last bool) bool {
	if n > 0 { // the end may come alone
		text, err := data.ReadText(n)
		fmt.Println("content:", text, err)
	}
	if last {
		close(p.done)
	}
	return false
}

func (p *pushes) OnReset(_ uint32, code http2.ErrorCode) { fmt.Println("reset:", code) }

// What a server pushes goes to a handler of the client. Without one the client tells the server not to push.
func ExamplePushHandler() {
	raw, peer := okio.ConnPair(1 << 16)
	server := http2.NewServer(peer, http2.Config{})
	defer server.Close()
	go serve(server, func(s *http2.Stream, head []string) error {
		milk, err := s.Push(http2.RequestHead{Method: "GET", Scheme: "https", Authority: "example.com", Path: "/milk"}, nil)
		if err != nil {
			return err
		}
		if err := errors.Join(s.SendHead(204, nil, true), milk.SendHead(200, nil, false)); err != nil {
			return err
		}
		jug := okio.NewBufferedSink(milk.Sink())
		jug.WriteString("cold")
		return jug.Close()
	})

	handler := &pushes{done: make(chan string)}
	client := http2.NewClient(raw, http2.Config{Push: handler})
	defer client.Close()
	stream, err := client.Open(tea, nil, true)
	if err != nil {
		fmt.Println(err)
		return
	}
	if _, _, err := stream.ReadHead(); err != nil {
		fmt.Println(err)
		return
	}
	<-handler.done
	// Output:
	// promised: [:method GET :path /milk :authority example.com :scheme https]
	// head: 200
	// content: cold <nil>
}

// A tunnel for another protocol through one stream (RFC 8441). The client has to hear first that the server takes it.
func ExampleStream_Socket() {
	raw, peer := okio.ConnPair(1 << 16)
	server := http2.NewServer(peer, http2.Config{ExtendedConnect: true})
	defer server.Close()
	go serve(server, func(s *http2.Stream, head []string) error {
		if err := s.SendHead(200, nil, false); err != nil {
			return err
		}
		socket := s.Socket()
		from, to := okio.NewBufferedSource(socket.Source()), okio.NewBufferedSink(socket.Sink())
		line, err := from.ReadLine()
		if err != nil {
			return err
		}
		to.WriteString(strings.ToUpper(line))
		if err := to.Close(); err != nil { // the end of this direction
			return err
		}
		_, err = io.Copy(io.Discard, from) // until the client ends the other one
		return err
	})

	settings := make(chan bool, 1)
	client := http2.NewClient(raw, http2.Config{Changed: func() {
		select {
		case settings <- true:
		default: // there is news already
		}
	}})
	defer client.Close()
	client.Flush() // sends the preface
	<-settings
	fmt.Println(client.TakesConnect())

	stream, err := client.Open(http2.RequestHead{Method: "CONNECT", Protocol: "shout", Scheme: "https", Authority: "example.com", Path: "/"}, nil, false)
	if err != nil {
		fmt.Println(err)
		return
	}
	socket := stream.Socket()
	to, from := okio.NewBufferedSink(socket.Sink()), okio.NewBufferedSource(socket.Source())
	to.WriteString("hello\n")
	if err := to.Flush(); err != nil {
		fmt.Println(err)
		return
	}
	head, _, err := stream.ReadHead()
	fmt.Println(http2.Status(head), err)
	text, err := io.ReadAll(from)
	fmt.Println(string(text), err, to.Close(), from.Close())
	// Output:
	// true true
	// 200 <nil>
	// HELLO <nil> <nil> <nil>
}

// A log of the frames of one stream, as the client sends and receives them.
func ExampleConfig_frames() {
	raw, peer := okio.ConnPair(1 << 16)
	server := http2.NewServer(peer, http2.Config{})
	defer server.Close()
	go serve(server, func(s *http2.Stream, head []string) error { return s.SendHead(204, nil, true) })

	lines := make(chan string, 10) // the two directions are told by two goroutines
	client := http2.NewClient(raw, http2.Config{Frames: func(inbound bool, h http2.FrameHeader, payload []byte) {
		if h.Stream != 0 { // those of the connection come when they come
			lines <- http2.FormatFrame(inbound, h, payload)
		}
	}})
	defer client.Close()
	stream, err := client.Open(tea, nil, true)
	if err != nil {
		fmt.Println(err)
		return
	}
	if _, _, err := stream.ReadHead(); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(<-lines)
	fmt.Println(<-lines)
	// Output:
	// >> 0x00000003    17 HEADERS       END_STREAM|END_HEADERS
	// << 0x00000003     1 HEADERS       END_STREAM|END_HEADERS
}
