package examples

import (
	"context"
	"fmt"
	"log"
	"log/slog"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/okhttp"
)

func Example_numberedCalls() {
	url := server.URL + "/hello"
	ctx := context.Background()
	// #region numbered
	var calls atomic.Int64
	client := okhttp.New(okhttp.WithEventListener(func(call *okhttp.Call) *okhttp.EventListener {
		number, start := calls.Add(1), time.Now() // of this call alone
		say := func(what string) {
			_ = time.Since(start) // print it too
			fmt.Printf("%d %s\n", number, what)
		}
		return &okhttp.EventListener{
			CallStart:        func(okhttp.CallStart) { say("start") },
			ConnectStart:     func(okhttp.ConnectEvent) { say("connect") },
			FollowUpDecision: func(e okhttp.FollowUpDecision) { say(fmt.Sprint("status ", e.Response.Status)) },
			CallEnd:          func(okhttp.CallEnd) { say("end") },
			CallFailed:       func(e okhttp.Failure) { say("failed: " + e.Err.Error()) },
		}
	}))
	// #endregion numbered
	defer client.Close()
	for range 2 {
		resp, err := client.Get(ctx, url)
		if err != nil {
			log.Fatal(err)
		}
		if _, err := resp.Body.Bytes(); err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// 1 start
	// 1 connect
	// 1 status 200
	// 1 end
	// 2 start
	// 2 status 200
	// 2 end
}

func Example_logEvents() {
	ctx := context.Background()
	handler := slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{
		Level: slog.LevelDebug,
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey || a.Key == "after" || a.Key == slog.LevelKey {
				return slog.Attr{} // changes from run to run
			}
			return a
		},
	})
	logger := slog.New(handler)
	// #region log
	client := okhttp.New(okhttp.WithEventListener(okhttp.LogEvents(logger)))
	// #endregion log
	defer client.Close()
	req, err := okhttp.NewRequest("GET", "http://example.com/",
		okhttp.WithCacheControl(okhttp.ForceCache()))
	if err != nil {
		log.Fatal(err)
	}
	resp, err := client.Do(ctx, req) // no cache has it, and the network is not wanted
	if err != nil {
		log.Fatal(err)
	}
	resp.Body.Close()
	// Output:
	// msg="okhttp: call start" method=GET url=http://example.com/...
	// msg="okhttp: cache satisfaction failure"
	// msg="okhttp: call end"
}

// Example_eventOrder holds the order that the page on events shows.
func Example_eventOrder() {
	s, err := mockserver.Start(mockserver.WithLocalhostTLS(), mockserver.WithHost("localhost"))
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	s.Enqueue(mockserver.Reply(200).Text("hello"))
	var events []string
	heard := func(name string) { events = append(events, name) }
	client := okhttp.New(okhttp.WithTLSConfig(s.ClientTLSConfig()), okhttp.WithDialer(s),
		okhttp.WithEventListener(func(*okhttp.Call) *okhttp.EventListener {
			return &okhttp.EventListener{
				CallStart:            func(okhttp.CallStart) { heard("CallStart") },
				DNSStart:             func(okhttp.DNSEvent) { heard("DNSStart") },
				DNSEnd:               func(okhttp.DNSEvent) { heard("DNSEnd") },
				ConnectStart:         func(okhttp.ConnectEvent) { heard("ConnectStart") },
				SecureConnectStart:   func(okhttp.ConnectEvent) { heard("SecureConnectStart") },
				SecureConnectEnd:     func(okhttp.ConnectEvent) { heard("SecureConnectEnd") },
				ConnectEnd:           func(okhttp.ConnectEvent) { heard("ConnectEnd") },
				ConnectFailed:        func(okhttp.ConnectEvent) { heard("ConnectFailed") },
				ConnectionAcquired:   func(okhttp.ConnectionEvent) { heard("ConnectionAcquired") },
				ConnectionReleased:   func(okhttp.ConnectionEvent) { heard("ConnectionReleased") },
				RequestHeadersStart:  func(*okhttp.Call) { heard("RequestHeadersStart") },
				RequestHeadersEnd:    func(okhttp.RequestHeadersEnd) { heard("RequestHeadersEnd") },
				RequestBodyStart:     func(*okhttp.Call) { heard("RequestBodyStart") },
				RequestBodyEnd:       func(okhttp.BodyEnd) { heard("RequestBodyEnd") },
				ResponseHeadersStart: func(*okhttp.Call) { heard("ResponseHeadersStart") },
				ResponseHeadersEnd:   func(okhttp.ResponseHeadersEnd) { heard("ResponseHeadersEnd") },
				FollowUpDecision:     func(okhttp.FollowUpDecision) { heard("FollowUpDecision") },
				ResponseBodyStart:    func(*okhttp.Call) { heard("ResponseBodyStart") },
				ResponseBodyEnd:      func(okhttp.BodyEnd) { heard("ResponseBodyEnd") },
				CallEnd:              func(okhttp.CallEnd) { heard("CallEnd") },
			}
		}))
	defer client.Close()
	resp, err := client.Post(context.Background(), s.URL("/"), okhttp.Text("hi"))
	if err != nil {
		log.Fatal(err)
	}
	if _, err := resp.Body.Bytes(); err != nil {
		log.Fatal(err)
	}
	fmt.Println(strings.Join(events, "\n"))
	// Output:
	// CallStart
	// DNSStart
	// DNSEnd
	// ConnectStart
	// SecureConnectStart
	// SecureConnectEnd
	// ConnectEnd
	// ConnectionAcquired
	// RequestHeadersStart
	// RequestHeadersEnd
	// RequestBodyStart
	// RequestBodyEnd
	// ResponseHeadersStart
	// ResponseHeadersEnd
	// FollowUpDecision
	// ResponseBodyStart
	// ResponseBodyEnd
	// ConnectionReleased
	// CallEnd
}
