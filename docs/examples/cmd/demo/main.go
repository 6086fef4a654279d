// Command demo makes real calls against a server in the same process and prints what happened, event by event. It needs no network.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"time"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/okhttp"
)

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, out io.Writer) error {
	const host = "demo.test" // a name that only this program knows
	server, err := mockserver.Start(mockserver.WithHost(host), mockserver.WithLocalhostTLS(host),
		mockserver.WithDispatcher(mockserver.DispatcherFunc(answer)))
	if err != nil {
		return err
	}
	defer server.Close()
	dns := okhttp.DNSFunc(func(context.Context, string) ([]netip.Addr, error) {
		return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
	})
	client := okhttp.New(okhttp.WithDNS(dns), okhttp.WithTLSConfig(server.ClientTLSConfig()), okhttp.WithEventListener(timeline(out)))
	defer client.Close()

	steps := []struct {
		title string
		call  func() (string, error)
	}{
		{"A GET over a new connection: look up, connect, TLS, exchange", func() (string, error) {
			return text(client.Get(ctx, server.URL("/hello")))
		}},
		{"A POST over the same connection", func() (string, error) {
			return text(client.Post(ctx, server.URL("/echo"), okhttp.Text("how are you?")))
		}},
		{"A redirect, and a gzip response that is unpacked on the way", func() (string, error) {
			return text(client.Get(ctx, server.URL("/moved")))
		}},
		{"A server that hangs up on a kept connection: the GET is sent again", func() (string, error) {
			return text(client.Get(ctx, server.URL("/hang-up")))
		}},
		{"A server that does not answer: the call's time is up", func() (string, error) {
			_, err := client.Get(ctx, server.URL("/silence"), okhttp.WithCallTimeout(200*time.Millisecond))
			if !errors.Is(err, okhttp.ErrCallTimeout) {
				return "", fmt.Errorf("expected the call to time out, but: %w", err)
			}
			return "as expected: " + err.Error(), nil
		}},
	}
	for _, step := range steps {
		fmt.Fprintf(out, "\n== %s\n", step.title)
		result, err := step.call()
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "-> %s\n", result)
	}
	return nil
}

func text(resp *okhttp.Response, err error) (string, error) {
	if err != nil {
		return "", err
	}
	body, err := resp.Body.Text()
	return fmt.Sprintf("%d over %s: %s", resp.Status, resp.Protocol, body), err
}
